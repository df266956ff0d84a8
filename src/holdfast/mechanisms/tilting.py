r"""Information bounds for blurred answers and adaptive analysts, by tilted laws.

An analyst can steer a query so that its answer is spread more widely than that of a fixed one,
but only as far as the answers so far allow. Let D be the divergence of the labels' posterior
from uniform; its mean over histories is the information x gained so far. An answer is computed
from the labels, so its law P given the history and its law Q for a fixed query obey
KL(P || Q) <= D. That limits what the next answer tells to f(D), f increasing and concave, and
x_i <= x_(i-1) + f(x_(i-1)).

- An answer with few values tells at most its entropy, and H(P) <= R_t(Q) + t/(1-t) D for every
  0 < t < 1, R_t the Rényi entropy of order t.
- An answer with noise tells at most what `channel` says for an accuracy of variance V, where
  V <= (D + ln E_Q exp(w X^2))/w for every w > 0, X the deviation of the accuracy from 1/m
  (Donsker and Varadhan).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from holdfast.bounds.binomial import log_pmf
from holdfast.mechanisms.channel import LARGEST_VARIANCE
from holdfast.problem import Problem

__all__ = ["noisy_nats", "rounded_nats"]

# More examples than this: the law of a count is not tabulated, and there is no such limit.
MOST_EXAMPLES = 1 << 17
# More looks than this: the recursion is not run.
MOST_LOOKS = 1 << 17
# Slopes t/(1-t), and weights w in units of the inverse variance: any set gives a valid limit.
SLOPES = np.geomspace(32.0, 1e-4, 60)
TILTS = np.geomspace(1e-3, 32.0, 90)
LARGEST_INTEGER = 1 << 62
# Added to each limit, so that rounding never makes it too low.
ROUNDING_SLACK = 1e-9
NEGLIGIBLE_NATS = 60.0


def rounded_nats(problem: Problem, step: Fraction) -> float:
    """Return a limit on the information in k accuracies that are rounded to a step.

    >>> round(rounded_nats(Problem(10_000, 10, 300), Fraction(1, 100)) / 300, 2)
    3.42
    """
    n, m, k = problem
    if n > MOST_EXAMPLES or k > MOST_LOOKS:
        return math.inf
    first, intercepts, most = _rounded_lines(n, m, step)
    lines = _LowestLine(SLOPES, intercepts)
    return _after(problem, first, lambda x: min(most, lines.at(x)))


def noisy_nats(problem: Problem, tells: Callable[[float], float]) -> float:
    """Return a limit on the information in k accuracies with independent noise.

    `tells` says what one answer can tell of an accuracy whose variance, given everything released
    before, is at most some number; it grows with that number and is concave in it.
    """
    n, m, k = problem
    if n > MOST_EXAMPLES or k > MOST_LOOKS:
        return math.inf
    weights, moments = _moments(n, m)
    lines = _LowestLine(1.0 / weights, moments / weights)

    def after(x: float) -> float:
        return tells(min(LARGEST_VARIANCE, lines.at(x)))

    return _after(problem, after(0.0), after)


class _LowestLine:
    """The least of several rising lines, asked at points that never fall.

    Only lines of the lower envelope are kept, steepest first: the further out, the flatter the
    lowest one, so the place of the last answer is where the search for the next one starts.
    """

    def __init__(self, slopes: NDArray[np.float64], intercepts: NDArray[np.float64]) -> None:
        self._lines: list[tuple[float, float]] = []
        for index in np.lexsort((-intercepts, -slopes)).tolist():
            slope, intercept = float(slopes[index]), float(intercepts[index])
            while self._lines and self._is_beaten(slope, intercept):
                self._lines.pop()
            self._lines.append((slope, intercept))
        self._place = 0

    def _is_beaten(self, slope: float, intercept: float) -> bool:
        """Return whether the last line is nowhere below both its neighbour and a flatter line."""
        middle_slope, middle = self._lines[-1]
        if intercept <= middle:
            return True
        if len(self._lines) == 1:
            return False
        steep_slope, steep = self._lines[-2]
        # The flatter line passes the steeper one before the middle line does.
        return (intercept - steep) * (steep_slope - middle_slope) <= (middle - steep) * (
            steep_slope - slope
        )

    def at(self, x: float) -> float:
        """Return the least of the lines at `x` >= 0."""
        slope, intercept = self._lines[self._place]
        value = slope * x + intercept
        while self._place + 1 < len(self._lines):
            slope, intercept = self._lines[self._place + 1]
            if slope * x + intercept > value:
                break
            self._place += 1
            value = slope * x + intercept
        return value


def _after(problem: Problem, first: float, tells: Callable[[float], float]) -> float:
    """Return the information after k looks: never more than all labels have."""
    n, m, k = problem
    information, everything = first, n * math.log(m)
    for _ in range(k - 1):
        if information >= everything:
            return everything
        information += tells(information)
    return information


@functools.lru_cache(maxsize=64)
def _rounded_lines(n: int, m: int, step: Fraction) -> tuple[float, NDArray[np.float64], float]:
    """Return the entropy of a fixed query's answer, the lines' intercepts, and their limit."""
    counts = np.arange(n + 1)
    # floor(count/(n step) + 1/2) in integers.
    if 2 * step.denominator * (n + 1) + n * step.numerator < LARGEST_INTEGER:
        levels = (2 * step.denominator * counts + n * step.numerator) // (2 * n * step.numerator)
    else:  # a step of many digits: whole numbers of any size
        width = 2 * n * step.numerator
        exact = [(2 * step.denominator * c + n * step.numerator) // width for c in range(n + 1)]
        levels = np.array(exact, dtype=np.int64)
    starts = np.flatnonzero(np.diff(levels, prepend=-1))
    log_q = np.logaddexp.reduceat(log_pmf(counts, n, m), starts)
    log_q = np.minimum(log_q, 0.0)
    first = -float(np.sum(np.exp(log_q) * log_q)) + ROUNDING_SLACK
    orders = SLOPES / (1.0 + SLOPES)
    sums = logsumexp(orders[:, None] * log_q[None, :], axis=1)
    return first, np.maximum(sums * (1.0 + SLOPES), 0.0) + ROUNDING_SLACK, math.log(starts.size)


@functools.lru_cache(maxsize=64)
def _moments(n: int, m: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights w and ln E exp(w X^2), X the deviation of a fixed query's accuracy."""
    counts = np.arange(n + 1)
    squares = (counts / n - 1.0 / m) ** 2
    weights = TILTS * (n * m * m / (m - 1.0))
    log_q = log_pmf(counts, n, m)
    moments = []
    for w in weights.tolist():
        terms = w * squares + log_q
        top = float(terms.max())
        # What is left out is below n e^-60 of the sum, far below the slack.
        near = terms[terms > top - NEGLIGIBLE_NATS]
        moments.append(top + math.log(float(np.exp(near - top).sum())) + ROUNDING_SLACK)
    return weights, np.array(moments)
