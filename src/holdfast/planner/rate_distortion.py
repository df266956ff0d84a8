r"""What a number of nats is worth: the law that champion-challenger follows.

The rate-distortion function R(a) says how many nats an example costs at least if its label is to
be guessed right with probability a. An answer whose unpredicted part is one normal number, spread
over many examples, is worth half a nat. So k answers buy the accuracy a with n R(a) = k/2, and the
attack that spends them as the theory says reaches it up to a few per cent.

With a prior the examples differ. At Lagrange slope s an example ends with its best label at
probability a and every other label in the running at a exp(-s); labels below that line keep their
prior probability. One slope for all examples is the best way to share the nats.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.information import accuracy_from_information
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["NATS_PER_LOOK", "gain_for_nats", "prior_gain"]

Floats = NDArray[np.float64]

# One normal number, seen by many examples in first order.
NATS_PER_LOOK = 0.5
# Log-odds beyond which a label counts as certain.
STEEPEST = 40.0
# Examples of a prior that stand for all, and candidates of each that are looked at.
SAMPLE, CANDIDATES = 2000, 64


def gain_for_nats(problem: Problem, nats: float) -> float:
    """Return n (a - 1/m) with n R(a) = nats, at most n (1 - 1/m).

    >>> round(gain_for_nats(Problem(10_000, 10, 300), 150.0))
    557
    """
    n, m, _ = problem
    # R(a) of a uniform label is the divergence KL(a || 1/m).
    return n * (accuracy_from_information(nats, n, m) - 1.0 / m)


def prior_gain(prior: Prior, nats: float) -> float:
    """Return the expected matches above the prior's own guess that so many nats are worth.

    Examples
    --------
    >>> round(prior_gain(Prior.uniform(10_000, 10), 150.0))
    557
    """
    n = prior.n_examples
    rows, alike = _rows(prior)
    scale = n / len(rows)
    low, high = 0.0, STEEPEST
    if scale * _at(rows, alike, high)[0] > nats:
        for _ in range(50):
            middle = (low + high) / 2.0
            spent = scale * _at(rows, alike, middle)[0]
            low, high = (middle, high) if spent <= nats else (low, middle)
    return scale * (_at(rows, alike, high)[1] - float(rows[:, 0].sum()))


def _rows(prior: Prior) -> tuple[Floats, Floats]:
    """Return probabilities in falling order, and how many labels each column stands for."""
    m = prior.n_classes
    depth = min(m, CANDIDATES)
    _, probabilities = prior.ranked(depth)
    rows = probabilities[:: max(1, len(probabilities) // SAMPLE)]
    alike = np.ones(depth)
    if depth < m:
        rest = np.maximum(0.0, 1.0 - rows.sum(axis=1, keepdims=True)) / (m - depth)
        rows = np.concatenate([rows, rest], axis=1)
        alike = np.append(alike, m - depth)
    return rows, alike


def _at(rows: Floats, alike: Floats, slope: float) -> tuple[float, float]:
    """Return the nats spent at a slope and the expected matches there, summed over the rows."""
    fall = math.exp(-slope)
    mass, labels = np.cumsum(rows * alike, axis=1), np.cumsum(alike)
    # With the first c columns in the running the winner ends at top; they are the right ones
    # while the last of them exceeds top * fall.
    top = mass / (1.0 + (labels - 1.0) * fall)
    inside = rows > top * fall
    inside[:, 0] = True
    count = np.cumprod(inside, axis=1).sum(axis=1).astype(np.int64)
    here = np.arange(len(rows))
    best = top[here, count - 1]
    running = np.arange(rows.shape[1]) < count[:, None]
    logs = np.log(np.maximum(rows, 1e-300))
    before = -(np.where(running, rows * logs, 0.0) * alike).sum(axis=1)
    rivals = labels[count - 1] - 1.0
    after = -best * np.log(np.maximum(best, 1e-300)) * (1.0 + rivals * fall)
    after += rivals * best * fall * slope
    return float((before - after).sum()), float(best.sum())
