r"""What one released answer says about a match count that is nearly normal.

Over a random design the count of a query is close to normal around its expected value. A linear
decoder needs one number an answer: the slope of the log-likelihood of that expected value,

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
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast.answers import AnswerModel, RoundedAnswers, SubsetAnswers
from holdfast.problem import Problem

__all__ = ["Released", "effective_variance", "informative_share", "normal_nodes", "slopes"]

Floats = NDArray[np.float64]

# Beyond this many standard deviations a bin's probability is 0 in double precision.
FAR = 8.0


class Released(NamedTuple):
    """Answers as arrays, one entry a look: possible counts and estimates."""

    low: Floats
    high: Floats
    estimate: Floats

    @classmethod
    def empty(cls, n_queries: int) -> Released:
        """Return room for this many answers."""
        return cls(np.empty(n_queries), np.empty(n_queries), np.empty(n_queries))

    def put(self, index: int, low: int, high: int, estimate: float) -> None:
        """Store one answer."""
        self.low[index], self.high[index], self.estimate[index] = low, high, estimate

    def first(self, count: int) -> Released:
        """Return the first `count` answers."""
        return Released(self.low[:count], self.high[:count], self.estimate[:count])


@cache
def normal_nodes(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights whose weighted sums are expectations over a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))


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
    answers: AnswerModel, released: Released, means: Floats, variance: float, problem: Problem
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
    mass = ndtr(above) - ndtr(below)
    # Far out in a tail the bin's nearer end is where the count is.
    nearer = np.clip(0.0, below, above)
    inside = (_density(below) - _density(above)) / np.maximum(mass, 1e-300)
    return np.asarray(np.where(mass > 1e-12, inside, nearer) / spread)


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
    spread, offset = math.sqrt(variance), math.sqrt(max(offset_variance, 0.0))
    width = answers.step * n
    centre = n / m
    reach = FAR * (spread + offset) + width
    first = math.floor((centre - reach) / width)
    last = math.ceil((centre + reach) / width)
    edges = (np.arange(first, last + 1) + 0.5) * width
    total = 0.0
    for node, weight in zip(nodes, weights, strict=True):
        x = (edges - centre - offset * node) / spread
        mass = np.diff(ndtr(x))
        seen = mass > 1e-12
        total += float(weight) * float((np.diff(_density(x))[seen] ** 2 / mass[seen]).sum())
    return min(1.0, total)


def effective_variance(
    answers: AnswerModel, variance: float, offset_variance: float, problem: Problem
) -> float:
    """Return the noise variance that would leave the same share of the information."""
    share = informative_share(answers, variance, offset_variance, problem)
    return variance * (1.0 / max(share, 1e-12) - 1.0)
