"""Logarithms of binomial coefficients, which count answers, transcripts and vectors of sizes."""

from __future__ import annotations

from scipy.special import gammaln

__all__ = ["log_binomial"]

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
