r"""Reverse water-filling over label posteriors: pairs of labels at a common Lagrange slope.

Spend information where it still changes a guess. Rate-distortion theory says what the best use of
a budget of R nats looks like: with Hamming distortion and Lagrange slope s, every example that is
worth any of the budget ends with its winner at the same odds exp(s) : 1 against each other label
that was in the running, and the labels below that line are left alone. An answer is worth half a
nat (its unpredicted part is one standard normal number, spread over so many examples that each
sees it in first order), so the answers that are left fix the level s: `lagrange_slope`.

A position whose best label has reached the level is parked. The others show their best label, the
champion, or the second best, the challenger. Where two labels of a position have most of the mass,
as with two classes or from a model, one gains most of what the other loses, and the chance of
the champion grows with its lead: `pair_labels`. For others see `multiclass_pairing`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["lagrange_slope", "pair_labels"]

Floats = NDArray[np.float64]

# Chance that a champion without a lead is shown, and the power by which the chance grows to 1
# with the lead; a challenger shown more often than the champion is told apart sooner.
CHAMPION_SHOWN = (0.4, 2)
# Log-odds beyond which a label counts as certain: no level is higher.
CERTAIN_LOG_ODDS = 12.0
# The level is solved on about this many positions, evenly spaced.
SAMPLED_POSITIONS = 512
# Linear estimates may fall below 0.
LEAST_ESTIMATE = 1e-9


@njit(cache=True, nogil=True)
def _rate(sample: Any, entropies: Any, alike: float, slope: float) -> float:
    """Sum the rates of some positions, (positions, labels); the last label stands for `alike`.

    At slope s the winner ends with probability a, the other labels in the running with a exp(-s),
    and a label is in the running if its probability now exceeds a exp(-s).
    """
    n, n_labels = sample.shape
    fall = math.exp(-slope)
    total = 0.0
    for j in range(n):
        bar, top, running, entropy = 0.0, 0.0, 0.0, 0.0
        for _ in range(n_labels + 1):
            mass, running, entropy = 0.0, 0.0, 0.0
            for label in range(n_labels):
                p = sample[j, label]
                if p > bar:
                    count = alike if label == n_labels - 1 else 1.0
                    mass += count * p
                    running += count
                    entropy += count * entropies[j, label]
            if running <= 1.0:
                break
            top = mass / (1.0 + (running - 1.0) * fall)
            if top * fall <= bar * (1.0 + 1e-12):
                break
            bar = top * fall
        if running > 1.0:
            after = math.log(top)
            total += entropy + top * (after + (running - 1.0) * fall * (after - slope))
    return total


@njit(cache=True, nogil=True)
def _solve(sample: Any, entropies: Any, alike: float, wanted: float, start: float) -> float:
    """Return the slope whose rate is `wanted`, by false position; the rate grows with the slope."""
    high = CERTAIN_LOG_ODDS
    above = _rate(sample, entropies, alike, high) - wanted
    if above <= 0.0:
        return high
    low, below = 0.0, -wanted
    guess = start
    for _ in range(60):
        if not low < guess < high:
            guess = 0.5 * (low + high)
        excess = _rate(sample, entropies, alike, guess) - wanted
        if abs(excess) <= 0.005 * wanted or high - low <= 1e-6:
            break
        if excess > 0.0:
            high, above = guess, excess
            below *= 0.5  # Illinois: an end that stays is given less weight
        else:
            low, below = guess, excess
            above *= 0.5
        guess = (low * above - high * below) / (above - below)
    return guess


@njit(cache=True, nogil=True)
def _pair(estimates: Any, slope: float, uniforms: Any, no_lead: float, power: int, out: Any) -> int:
    """Write the label each position shows; return how many positions are not parked."""
    n_labels, n = estimates.shape
    fall, half = math.exp(-slope), math.tanh(slope / 2.0)
    playing = 0
    for j in range(n):
        best, second = 0, -1
        for label in range(1, n_labels):
            if estimates[label, j] > estimates[best, j]:
                best, second = label, best
            elif second < 0 or estimates[label, j] > estimates[second, j]:
                second = label
        out[j] = best
        if second < 0:
            continue
        high, low = (
            max(estimates[best, j], LEAST_ESTIMATE),
            max(estimates[second, j], LEAST_ESTIMATE),
        )
        if low <= high * fall:
            continue
        playing += 1
        lead = (high - low) / ((high + low) * half)
        if uniforms[j] >= no_lead + (1.0 - no_lead) * lead**power:
            out[j] = second
    return playing


def lagrange_slope(estimates: Floats, nats: float, *, alike: int = 1, start: float = 0.0) -> float:
    """Return the slope at which bringing all positions to the common level costs `nats`.

    Parameters
    ----------
    estimates
        (labels, positions): probabilities of the labels in play and of one that is not.
    nats
        What may be spent on these positions.
    alike
        How many labels the last row stands for.
    start
        A guess, such as the level before the last answer.

    Examples
    --------
    One position of two equally likely labels, and half of what would decide it:

    >>> round(lagrange_slope(np.array([[0.5], [0.5]]), 0.5 * np.log(2)), 1)
    2.1
    """
    n = estimates.shape[1]
    sample = np.ascontiguousarray(
        np.maximum(estimates[:, :: max(1, n // SAMPLED_POSITIONS)], LEAST_ESTIMATE).T
    )
    entropies = -sample * np.log(sample)
    return float(_solve(sample, entropies, float(alike), nats * len(sample) / n, start))


def pair_labels(estimates: Floats, slope: float, uniforms: Floats) -> tuple[NDArray[np.uint8], int]:
    """Return the label that each position shows, and how many positions are not parked.

    Parameters
    ----------
    estimates
        (labels, positions): probabilities.
    slope
        Log-odds of the best label against the second at which a position is parked.
    uniforms
        One uniform number per position.
    """
    out = np.empty(estimates.shape[1], dtype=np.uint8)
    return out, int(_pair(estimates, slope, uniforms, *CHAMPION_SHOWN, out))
