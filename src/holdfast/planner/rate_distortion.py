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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from holdfast.bounds.information import accuracy_from_information
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["NATS_PER_LOOK", "RateAllocation", "gain_for_nats", "prior_gain", "spend"]

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


class RateAllocation(NamedTuple):
    """Where so many nats go, for a sample of a prior's examples.

    Parameters
    ----------
    slope
        Log-odds of the winner against the other labels in the running, the same everywhere.
    scale
        Examples that each of the sample stands for.
    top
        Probability of an example's first label before.
    second
        Probability of its second label before.
    best
        Probability of its winner after.
    running
        Labels in the running.
    mass
        Probability of all labels in the running.
    """

    slope: float
    scale: float
    top: Floats
    second: Floats
    best: Floats
    running: Floats
    mass: Floats

    @property
    def gains(self) -> Floats:
        """Expected matches above the prior's own guess, one number an example of the sample."""
        return np.maximum(self.best - self.top, 0.0)

    @property
    def gain(self) -> float:
        """Expected matches above the prior's own guess."""
        return self.scale * float(self.best.sum() - self.top.sum())


def prior_gain(prior: Prior, nats: float) -> float:
    """Return the expected matches above the prior's own guess that so many nats are worth.

    Examples
    --------
    >>> round(prior_gain(Prior.uniform(10_000, 10), 150.0))
    557
    """
    return spend(prior, nats).gain


def spend(prior: Prior, nats: float) -> RateAllocation:
    """Return the best way to share so many nats among the examples.

    >>> round(spend(Prior.uniform(10_000, 10), 150.0).slope, 2)
    0.51
    """
    rows, alike = _rows(prior)
    scale = prior.n_examples / len(rows)
    sample = _Sample(rows, alike)
    slope = STEEPEST
    if scale * sample.spent(slope) > nats:
        slope = brentq(lambda s: scale * sample.spent(s) - nats, 0.0, STEEPEST, xtol=1e-10)
    best, running, mass = sample.at(slope)
    return RateAllocation(slope, scale, rows[:, 0], rows[:, 1], best, running, mass)


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


class _Sample:
    """Some examples of a prior, and what is the same at every slope."""

    def __init__(self, rows: Floats, alike: Floats) -> None:
        self._rows, self._labels = rows, np.cumsum(alike)
        self._mass = np.cumsum(rows * alike, axis=1)
        surprise = -rows * np.log(np.maximum(rows, 1e-300)) * alike
        self._entropy = np.cumsum(surprise, axis=1)

    def _count(self, fall: float) -> NDArray[np.intp]:
        """Return how many columns are in the running.

        With the first c columns in the running the winner ends at `top`; they are the right ones
        while the last of them exceeds top * fall.
        """
        top = self._mass / (1.0 + (self._labels - 1.0) * fall)
        inside = self._rows > top * fall
        inside[:, 0] = True
        count: NDArray[np.intp] = inside.argmin(axis=1)
        count[inside.all(axis=1)] = inside.shape[1]
        return count

    def at(self, slope: float) -> tuple[Floats, Floats, Floats]:
        """Return the winners' probabilities, the labels in the running, and their mass."""
        fall = math.exp(-slope)
        last = self._count(fall) - 1
        running, mass = self._labels[last], self._mass[np.arange(len(last)), last]
        return mass / (1.0 + (running - 1.0) * fall), running, mass

    def spent(self, slope: float) -> float:
        """Return the nats that this slope costs."""
        fall = math.exp(-slope)
        last = self._count(fall) - 1
        here = np.arange(len(last))
        rivals = self._labels[last] - 1.0
        best = self._mass[here, last] / (1.0 + rivals * fall)
        after = -best * np.log(np.maximum(best, 1e-300)) * (1.0 + rivals * fall)
        after += rivals * best * fall * slope
        return float((self._entropy[here, last] - after).sum())
