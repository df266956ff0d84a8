r"""Any analyst with exact answers, without log n: two classes, and pairs out of many classes.

With labels x in {-1, +1}^n the sum of the squared posterior means is at most k v, where

    c1 v <= c2 + ln(k)/2 + ln(2 pi e (v/16 + 1/12))/2 + (ln 2 + exp(-2 c2)/2)/k,

so the gain in matches is at most sqrt(n k v)/2: v grows like ln k and does not depend on n. The
constants rest on the inequality c1 J - c2 l <= N(J, l) on the unit square, which is proved in
docs/bounds/queries.md for small l and by cells for the rest (tests/bounds/test_two_classes.py).

With m classes, tell the analyst for each example a random pair of labels, if it holds the true one:
what is left is a problem of two classes with abstentions.
"""

from __future__ import annotations

import math

from holdfast.bounds.bisection import largest
from holdfast.bounds.label_model import ROUNDING
from holdfast.bounds.record import EVERYTHING, SHOWN, Bound
from holdfast.problem import Problem

__all__ = [
    "pairs_accuracy",
    "pairs_of_classes",
    "two_classes",
    "two_classes_accuracy",
]

# c1 and c2.
PRICE, CREDIT = 0.488, 1.08
# The variance of a sum of signs, over the square of the distance of two of its possible values: 4,
# as the parity is known after the first answer; or 2, if examples may be left out.
PARITY, ANY = 1.0 / 16.0, 1.0 / 4.0
# No v is larger: even k = 10^30 gives 150.
LARGEST_V = 1e4

STATEMENT = "leverages of the queries (docs/bounds.md)"
NOT_COVERED = ("unequal classes or a model: a posterior mean costs less than under a fair coin",)


def two_classes_accuracy(problem: Problem, *, abstentions: bool = False) -> float:
    """Return what no analyst exceeds in expectation with exact answers and two classes.

    Examples
    --------
    >>> round(10_000 * (two_classes_accuracy(Problem(10_000, 2, 100)) - 0.5))
    1537
    """
    n, _, k = problem
    v = _largest_v(k, ANY)
    if not abstentions:
        v = min(v, _largest_v(k, PARITY))
    return min(1.0, 0.5 + 0.5 * math.sqrt(k * v / n))


def pairs_accuracy(problem: Problem) -> float:
    r"""Return the same for any number of classes, at the price of a factor sqrt(m - 1).

    The gain x in accuracy obeys x^2 <= (1-1/m)^2 (k v/n) (1 + m(m-2)/(2(m-1)) x).
    """
    n, m, k = problem
    base = (1.0 - 1.0 / m) ** 2 * (k * _largest_v(k, ANY) / n)
    half = 0.25 * base * m * (m - 2.0) / (m - 1.0)
    return min(1.0, 1.0 / m + half + math.sqrt(half * half + base))


def two_classes(problem: Problem, *, abstentions: bool = False) -> Bound:
    """Return `two_classes_accuracy` as a record."""
    m = problem.n_classes
    return Bound(
        name="two-classes",
        statement=STATEMENT,
        conditions="m = 2",
        accuracy=two_classes_accuracy(problem, abstentions=abstentions) if m == 2 else None,
        reason=None if m == 2 else f"It is proved for m = 2 only, got m = {m}.",
        assumptions=EVERYTHING if abstentions else (*EVERYTHING, SHOWN),
        not_covered=NOT_COVERED,
    )


def pairs_of_classes(problem: Problem) -> Bound:
    """Return `pairs_accuracy` as a record.

    Examples
    --------
    >>> round(10**8 * (pairs_of_classes(Problem(10**8, 3, 100)).accuracy - 1 / 3))
    220264
    """
    return Bound(
        name="pairs-of-classes",
        statement=STATEMENT,
        accuracy=pairs_accuracy(problem),
        assumptions=EVERYTHING,
        not_covered=NOT_COVERED,
    )


def _largest_v(k: int, inverse_square: float) -> float:
    """Return the largest v that the inequality leaves, rounded up."""
    extra = math.log(2.0) if inverse_square == PARITY else 0.0
    fixed = CREDIT + 0.5 * math.log(k) + (extra + 0.5 * math.exp(-2.0 * CREDIT)) / k

    def possible(v: float) -> bool:
        spread = 0.5 * math.log(2.0 * math.pi * math.e * (v * inverse_square + 1.0 / 12.0))
        return PRICE * v <= (fixed + spread) * (1.0 + ROUNDING)

    return largest(possible, 0.0, LARGEST_V)
