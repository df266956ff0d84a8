"""Feldman, Frostig and Hardt: no analyst beats the number of possible transcripts.

"The advantages of multiple classes for reducing overfitting from test set reuse", ICML 2019,
arXiv 1905.10360. Their achievable side carries no explicit constants, so none is stated here.
"""

from __future__ import annotations

import math

from scipy.special import erfcx

from holdfast.bounds.record import EVERYTHING, Bound
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = ["description_length"]

STATEMENT = "feldman2019 upper bound, constants derived in docs/bounds.md"


def with_probability(problem: Problem, *, failure: float) -> float:
    r"""Return an accuracy that no analyst exceeds except with probability `failure`.

    k answers of n + 1 values each leave (n+1)^k possible outputs. Each fixed one matches
    Bin(n, 1/m) of uniform labels, and Bernstein's inequality with a union bound gives
    1/m + 2 max{sqrt(b/(mn)), b/n}, b = k ln(n+1) + ln(1/failure).

    Examples
    --------
    >>> round(with_probability(Problem(10_000, 10, 101), failure=0.05), 4)
    0.2932
    """
    if not 0.0 < failure <= 1.0:
        raise InvalidInput(f"failure must be in (0, 1], got {failure}.")
    n, m, k = problem
    b = k * math.log(n + 1.0) + math.log(1.0 / failure)
    return min(1.0, 1.0 / m + 2.0 * max(math.sqrt(b / (m * n)), b / n))


def description_length(problem: Problem) -> Bound:
    r"""Return the expectation that `with_probability` implies, integrated over `failure`.

    If the gain exceeds x(u) with probability at most exp(-u), its mean is at most the integral
    of exp(-u) x(u). With x(u) = 2 max{sqrt((B+u)/(mn)), (B+u)/n} and B = k ln(n+1) that integral
    has the closed form below, split at b = n/m where the two terms are equal.

    Examples
    --------
    >>> round(description_length(Problem(50_000, 1000, 1000)).accuracy, 3)
    0.434
    """
    n, m, k = problem
    start, split = k * math.log(n + 1.0), n / m
    if start >= split:
        mean_maximum = (start + 1.0) / n
    else:
        beyond = math.exp(start - split)  # probability that b lies beyond the split
        root = _root_integral(start) - beyond * _root_integral(split)
        mean_maximum = root / math.sqrt(m * n) + beyond * (split + 1.0) / n
    return Bound(
        name="description-length",
        statement=STATEMENT,
        accuracy=min(1.0, 1.0 / m + 2.0 * mean_maximum),
        assumptions=EVERYTHING,
    )


def _root_integral(start: float) -> float:
    """Return the integral of exp(-(b - start)) sqrt(b) over b from start to infinity."""
    root = math.sqrt(start)
    return root + math.sqrt(math.pi) / 2.0 * float(erfcx(root))
