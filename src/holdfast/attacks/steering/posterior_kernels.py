"""The loops of the linear posterior over past queries and positions, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["BLOCK_POSITIONS", "agreements", "covariances", "picked", "tilt", "whiten"]

# Positions per block: partial sums are added block by block, so that the result does not depend on
# how the blocks were shared among threads, and a block's table of labels fits the first cache.
BLOCK_POSITIONS = 512
# Up to so many labels a pass for each of them is faster than one pass that looks them up.
FEW_LABELS = 6


@njit(cache=True, nogil=True, fastmath=True)
def agreements(past: Any, new: Any, gains: Any, first: int, last: int, out: Any) -> None:
    """out[b, s] = sum of gains_j over the positions of block b with past[s, j] = new[j]."""
    for block in range(first, last):
        low, high = block * BLOCK_POSITIONS, min(new.size, (block + 1) * BLOCK_POSITIONS)
        shown, gain = new[low:high], gains[low:high]
        for s in range(past.shape[0]):
            row = past[s, low:high]
            total = 0.0
            for j in range(high - low):
                total += gain[j] if row[j] == shown[j] else 0.0
            out[block, s] = total


@njit(cache=True, nogil=True)
def picked(prior: Any, codes: Any, weights: Any) -> Any:
    """weights_j * prior[codes_j, j]."""
    out = np.empty(codes.size)
    for j in range(codes.size):
        out[j] = weights[j] * prior[codes[j], j]
    return out


@njit(cache=True, nogil=True, fastmath=True)
def covariances(
    past: Any, new: Any, gains: Any, prior: Any, boost: float, first: int, last: int, out: Any
) -> None:
    """out[b, s] = sum of gains_j (boost [past[s, j] = new[j]] - prior[past[s, j], j]) over block b.

    One pass for every label but the first: comparing eight labels at once is faster than looking
    up eight numbers, unless there are a dozen labels, and then it is as fast.
    """
    n_labels = prior.shape[0]
    table = np.empty((n_labels, BLOCK_POSITIONS))
    for block in range(first, last):
        low, high = block * BLOCK_POSITIONS, min(new.size, (block + 1) * BLOCK_POSITIONS)
        for label in range(n_labels):
            for j in range(low, high):
                same = boost if new[j] == label else 0.0
                table[label, j - low] = gains[j] * (same - prior[label, j])
        everywhere_first = 0.0
        for j in range(high - low):
            everywhere_first += table[0, j]
        for label in range(1, n_labels):
            for j in range(high - low):
                table[label, j] -= table[0, j]
        for s in range(past.shape[0]):
            row = past[s, low:high]
            total = everywhere_first
            for label in range(1, n_labels):
                more = table[label]
                for j in range(high - low):
                    total += more[j] if row[j] == label else 0.0
            out[block, s] = total


@njit(cache=True, nogil=True, fastmath=True)
def tilt(past: Any, change: Any, prior: Any, n_shown: int, first: int, last: int, out: Any) -> None:
    """Add change_s to theta at the label shown in query s, and renew the estimates.

    `out` is (theta, estimate) of shape (2, labels, positions); the queries showed `n_shown` labels.
    """
    n_labels, n = prior.shape
    table = np.empty((n_labels, BLOCK_POSITIONS))
    everything = change.sum()
    for block in range(first, last):
        low, high = block * BLOCK_POSITIONS, min(n, (block + 1) * BLOCK_POSITIONS)
        table[:, :] = 0.0
        if n_shown <= FEW_LABELS:  # a pass for every label but the first, as in `covariances`
            table[0, :] = everything
            for s in range(past.shape[0]):
                row, amount = past[s, low:high], change[s]
                for label in range(1, n_shown):
                    shown = table[label]
                    for j in range(high - low):
                        shown[j] += amount if row[j] == label else 0.0
            for label in range(1, n_shown):
                for j in range(high - low):
                    table[0, j] -= table[label, j]
        else:
            for s in range(past.shape[0]):
                amount = change[s]
                for j in range(low, high):
                    table[past[s, j], j - low] += amount
        mean = np.zeros(high - low)
        for label in range(n_labels):
            for j in range(low, high):
                out[0, label, j] += table[label, j - low]
                mean[j - low] += prior[label, j] * out[0, label, j]
        for label in range(n_labels):
            for j in range(low, high):
                out[1, label, j] = prior[label, j] * (1.0 + out[0, label, j] - mean[j - low])


@njit(cache=True, nogil=True, fastmath=True)
def whiten(inverse: Any, t: int, covariance: Any, out: Any) -> float:
    """Write the next row of the inverse Cholesky factor, not yet scaled; return its variance."""
    explained = 0.0
    out[:t] = 0.0
    for s in range(t):
        part = 0.0
        for r in range(s + 1):
            part += inverse[s, r] * covariance[r]
        explained += part * part
        for r in range(s + 1):
            out[r] -= part * inverse[s, r]
    out[t] = 1.0
    return float(covariance[t] - explained)
