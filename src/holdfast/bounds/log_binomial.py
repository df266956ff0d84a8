"""Logarithms of binomial coefficients, which count answers, transcripts and vectors of sizes."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

__all__ = ["log_binomial", "log_patterns", "log_sequences"]

# Up to so many factors are multiplied one by one: a difference of logarithms of factorials of
# 10^12 has lost all digits behind the second.
MOST_FACTORS = 1 << 17
# By what share a sum of logarithms is raised: more than rounding can have taken away.
SUM_ROUNDING = 1e-12
# A logarithm of a factorial is wrong in its last place, and a difference of large ones by as much:
# so much of the largest is more than rounding can have taken away.
ROUNDING = 1e-15


def log_binomial(total: float, part: float, *, rounded_up: bool = False) -> float:
    """Return log C(total, part) in nats.

    Parameters
    ----------
    total, part
        How many there are, and how many are chosen. Millions of either take no longer.
    rounded_up
        Return no less than the true value, as a limit on information must be.

    Examples
    --------
    C(6, 2) = 15 ways to choose two of six:

    >>> import math
    >>> math.isclose(log_binomial(6, 2), math.log(15))
    True
    >>> log_binomial(6, 2, rounded_up=True) >= math.log(15)
    True
    """
    largest = float(gammaln(total + 1.0))
    rest = float(gammaln(part + 1.0) + gammaln(total - part + 1.0))
    return largest * (1.0 + ROUNDING * rounded_up) - rest


def log_sequences(looks: int, values: int) -> float:
    """Return the logarithm of the number of sequences of so many values that never fall.

    >>> round(log_sequences(2, 3), 6) == round(math.log(6), 6)
    True
    """
    few, many = sorted((looks, values - 1))
    if few <= MOST_FACTORS:
        return float(np.log1p(float(many) / np.arange(1.0, few + 1.0)).sum()) * (1.0 + SUM_ROUNDING)
    return log_binomial(few + many, few, rounded_up=True)


def log_patterns(looks: int, most: int) -> float:
    """Return the logarithm of the number of ways to pick at most `most` of `looks` looks.

    >>> round(log_patterns(4, 1), 6) == round(float(np.log(5)), 6)
    True
    """
    if min(looks, most) > MOST_FACTORS:
        return looks * math.log(2.0)  # all that there are
    chosen = np.arange(1.0, min(looks, most) + 1.0)
    each = np.cumsum(np.log(looks - chosen + 1.0) - np.log(chosen))
    return float(logsumexp(np.append(0.0, each))) * (1.0 + SUM_ROUNDING)
