r"""Likelihood of released answers given a nearly normal match count.

Over a random design the count of a query is close to normal around its expected value. A linear
decoder needs one number per answer: the slope of the log-likelihood of that expected value,

    exact count A           (A - mean) / variance
    estimate with error     (estimate - mean) / (variance + error variance)
    A known to lie in a set (E[A | set] - mean) / variance

and, to predict how well it will do, the share of the exact information that is left.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast.answers import AnswerModel, RoundedAnswers, SubsetAnswers
from holdfast.problem import Problem

__all__ = [
    "ReleasedCounts",
    "effective_variance",
    "informative_share",
    "normal_nodes",
    "rounding_share",
    "slopes",
    "truncated_normal",
]

Floats = NDArray[np.float64]

SQRT_2, SQRT_2_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)
# Beyond this many standard deviations a bin's probability is 0 in double precision.
FARTHEST_DEVIATIONS = 8.0
# An interval from here on is in the upper tail: P(X > 2) = .023.
UPPER_TAIL = 2.0
# Less probable than this, a bin or interval counts as impossible.
NEXT_TO_NOTHING = 1e-12


class ReleasedCounts(NamedTuple):
    """Answers as arrays, one entry per look: possible counts and estimates."""

    low: Floats
    high: Floats
    estimate: Floats

    @classmethod
    def empty(cls, n_queries: int) -> ReleasedCounts:
        """Return room for this many answers."""
        return cls(np.empty(n_queries), np.empty(n_queries), np.empty(n_queries))

    def put(self, index: int, low: int, high: int, estimate: float) -> None:
        """Store one answer."""
        self.low[index], self.high[index], self.estimate[index] = low, high, estimate

    def first(self, count: int) -> ReleasedCounts:
        """Return the first `count` answers."""
        return ReleasedCounts(self.low[:count], self.high[:count], self.estimate[:count])


@cache
def normal_nodes(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights whose weighted sums are expectations over a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x * x) / SQRT_2_PI)


def truncated_normal(below: Floats, above: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of standard normal numbers that are known to lie between two ends.

    Far out in a tail the number is at the end that is nearer to 0.

    >>> mean, variance = truncated_normal(np.array([0.0, 50.0]), np.array([np.inf, 60.0]))
    >>> mean.round(4).tolist(), variance.round(4).tolist()  # sqrt(2/pi) and 1 - 2/pi; a far tail
    ([0.7979, 50.0], [0.3634, 0.0])
    """
    # In the upper tail the difference of two numbers near 1 would lose its digits.
    flip = np.where(below > UPPER_TAIL, -1.0, 1.0)
    mass = flip * (ndtr(flip * above) - ndtr(flip * below))
    seen = mass > NEXT_TO_NOTHING
    mass = np.where(seen, mass, 1.0)
    at_below, at_above = _density(below), _density(above)
    mean = (at_below - at_above) / mass
    # An end at infinity adds nothing.
    lower, upper = (np.where(np.isfinite(end), end, 0.0) for end in (below, above))
    variance = 1.0 + (lower * at_below - upper * at_above) / mass - mean * mean
    nearer = np.clip(0.0, below, above)
    return np.where(seen, mean, nearer), np.where(seen, np.maximum(variance, 0.0), 0.0)


def _error_variance(answers: AnswerModel, variance: float, problem: Problem) -> float:
    """Return the variance of the estimate's error, as far as a centred decoder sees it.

    The error of a scored subset is not independent of the design: it is the part of the design's
    own variance that the other examples would have had, scaled up.
    """
    if isinstance(answers, SubsetAnswers):
        scored = answers.size(problem.n_examples) / problem.n_examples
        return variance * (1.0 / scored - 1.0)
    return answers.variance(problem)


def slopes(
    answers: AnswerModel, released: ReleasedCounts, means: Floats, variance: float, problem: Problem
) -> Floats:
    """Return the slope of each answer's log-likelihood in its expected count.

    Parameters
    ----------
    answers
        The answer model.
    released
        The answers.
    means
        Expected count of each query.
    variance
        Variance of a count around its expected value.
    problem
        The sizes played for.
    """
    error = _error_variance(answers, variance, problem)
    if not (isinstance(answers, RoundedAnswers) and error > 0.0):
        return np.asarray((released.estimate - means) / (variance + error))
    spread = math.sqrt(variance)
    # A bin reaches half a count beyond its extreme counts.
    below = (released.low - 0.5 - means) / spread
    above = (released.high + 0.5 - means) / spread
    return truncated_normal(below, above)[0] / spread


def informative_share(
    answers: AnswerModel, variance: float, offset_variance: float, problem: Problem
) -> float:
    """Return which share of the exact answer's information about its mean is left.

    Parameters
    ----------
    answers
        The answer model.
    variance
        Variance of a count around its query's expected value.
    offset_variance
        Variance of an unknown offset that all counts have in common: it decides where the
        counts lie between two rounding steps.
    problem
        The sizes played for.
    """
    error = _error_variance(answers, variance, problem)
    if not (isinstance(answers, RoundedAnswers) and error > 0.0):
        return variance / (variance + error)
    n, m, _ = problem
    nodes, weights = normal_nodes(31)
    means = n / m + math.sqrt(max(offset_variance, 0.0)) * nodes
    shares = [rounding_share(mean, variance, answers.step * n) for mean in means.tolist()]
    return min(1.0, float(weights @ shares))


def rounding_share(mean: float, variance: float, width: float) -> float:
    """Return which share of a normal count's information survives rounding to steps of `width`.

    >>> round(rounding_share(1000.0, 500.0, 100.0), 3)
    0.169
    >>> round(rounding_share(1050.0, 500.0, 100.0), 3)
    0.637
    """
    return float(_rounding_share(float(mean), float(variance), float(width)))


@njit(cache=True)
def _rounding_share(mean: float, variance: float, width: float) -> float:
    """Sum the squared change of the density over each step, divided by the step's probability."""
    spread = math.sqrt(max(variance, 1e-12))
    first = math.floor((mean - FARTHEST_DEVIATIONS * spread) / width) - 1
    last = math.ceil((mean + FARTHEST_DEVIATIONS * spread) / width) + 1
    share = below = density = 0.0
    for step in range(first, last + 1):
        x = ((step + 0.5) * width - mean) / spread
        before, density_before = below, density
        below, density = 0.5 * math.erfc(-x / SQRT_2), math.exp(-0.5 * x * x) / SQRT_2_PI
        if step > first and below - before > NEXT_TO_NOTHING:
            share += (density - density_before) ** 2 / (below - before)
    return share


def effective_variance(
    answers: AnswerModel, variance: float, offset_variance: float, problem: Problem
) -> float:
    """Return the noise variance that would leave the same share of the information."""
    share = informative_share(answers, variance, offset_variance, problem)
    return variance * (1.0 / max(share, 1e-12) - 1.0)
