r"""Information bounds for blurred answers and adaptive analysts, by tilted laws.

An analyst can steer a query so that its answer is spread more widely than that of a fixed one,
but only as far as the answers so far allow. Let D be the divergence of the labels' posterior
from uniform; its mean over histories is the information x gained so far. An answer is computed
from the labels, so its law P given the history and its law Q for a fixed query obey
KL(P || Q) <= D. That limits what the next answer tells to f(D), f increasing and concave, and
x_i <= x_(i-1) + f(x_(i-1)).

- An answer with few values tells at most its entropy, and H(P) <= R_t(Q) + t/(1-t) D for every
  0 < t < 1, R_t the Rényi entropy of order t.
- An answer with noise tells at most what `noise.Channel` says for an accuracy of variance V, where
  V <= (D + ln E_Q exp(w X^2))/w for every w > 0, X the deviation of the accuracy from 1/m
  (Donsker and Varadhan).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy.special import logsumexp

from holdfast.bounds.binomial import log_pmf
from holdfast.bounds.tilted import Lines, lowest_lines
from holdfast.problem import Problem
from holdfast.rules.noise import LARGEST_VARIANCE

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
    first, lines = _rounded_lines(n, m, step)
    return _after(problem, first, _lowest(lines))


def noisy_nats(problem: Problem, tells: Callable[[float], float]) -> float:
    """Return a limit on the information in k accuracies with independent noise.

    `tells` says what one answer can tell of an accuracy whose variance, given everything released
    before, is at most some number; it grows with that number and is concave in it.
    """
    n, m, k = problem
    if n > MOST_EXAMPLES or k > MOST_LOOKS:
        return math.inf
    lowest = _lowest(_variance_lines(n, m))

    def after(x: float) -> float:
        return tells(min(LARGEST_VARIANCE, lowest(x)))

    return _after(problem, after(0.0), after)


def _lowest(lines: tuple[tuple[float, float, float], ...]) -> Callable[[float], float]:
    """Return the lowest of lines as a function, to be asked at points that never fall."""
    place = 0

    def at(x: float) -> float:
        nonlocal place
        while x >= lines[place][2]:
            place += 1
        intercept, slope, _ = lines[place]
        return intercept + slope * x

    return at


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
def _rounded_lines(n: int, m: int, step: Fraction) -> tuple[float, Lines]:
    """Return the entropy of a fixed query's answer, and the lowest lines for the next ones."""
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
    intercepts = np.maximum(sums * (1.0 + SLOPES), 0.0) + ROUNDING_SLACK
    lines = zip(intercepts.tolist(), SLOPES.tolist(), strict=True)
    return first, lowest_lines([(math.log(starts.size), 0.0), *lines])


@functools.lru_cache(maxsize=64)
def _variance_lines(n: int, m: int) -> Lines:
    """Return the lowest lines (D + ln E exp(w X^2))/w, X the deviation of a fixed accuracy."""
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
    limits = (np.array(moments) / weights).tolist()
    return lowest_lines(list(zip(limits, (1.0 / weights).tolist(), strict=True)))
