"""The loops of the linear posterior over past queries and positions, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["BLOCK_POSITIONS", "agreements", "overlaps", "tilt", "whiten"]

# Positions per block: partial sums are added block by block, so that the result does not depend on
# how the blocks were shared among threads, and a block's table of labels fits the first cache.
BLOCK_POSITIONS = 512


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


@njit(cache=True, nogil=True, fastmath=True)
def overlaps(past: Any, prior: Any, gains: Any, first: int, last: int, out: Any) -> None:
    """out[b, s] = sum of gains_j * prior[past[s, j], j] over the positions of block b."""
    for block in range(first, last):
        low, high = block * BLOCK_POSITIONS, min(gains.size, (block + 1) * BLOCK_POSITIONS)
        for s in range(past.shape[0]):
            total = 0.0
            for j in range(low, high):
                total += gains[j] * prior[past[s, j], j]
            out[block, s] = total


@njit(cache=True, nogil=True, fastmath=True)
def tilt(past: Any, change: Any, prior: Any, first: int, last: int, out: Any) -> None:
    """Add change_s to theta at the label shown in query s, and renew the estimates.

    `out` is (theta, estimate) of shape (2, labels, positions).
    """
    n_labels, n = prior.shape
    table = np.empty((n_labels, BLOCK_POSITIONS))
    for block in range(first, last):
        low, high = block * BLOCK_POSITIONS, min(n, (block + 1) * BLOCK_POSITIONS)
        table[:, :] = 0.0
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
