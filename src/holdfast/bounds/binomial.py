"""The binomial distribution Bin(n, 1/m) of one answer, accurate for n up to 10^12 and beyond.

One query's match count is Bin(n, 1/m) when the labels are uniform, whatever the query. The
bounds need its entropy and its mean absolute deviation. Binomial coefficients count answers,
transcripts and vectors of class sizes; their logarithms are here, too.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

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


# Probabilities this many standard deviations out (plus a constant for the Poisson-like case) are
# left out of sums: Bernstein's inequality puts them below exp(-60).
WINDOW_DEVIATIONS = 12.0
WINDOW_CONSTANT = 40.0
# A sum over every integer is replaced by one over every s-th, times s, with at least this many
# points per standard deviation. For a bell-shaped analytic summand the error is of the order
# exp(-2 pi^2 POINTS^2), far below rounding.
POINTS_PER_DEVIATION = 8
# Below this size of e the series of `excess` is used; its first term left out is below 1e-19.
SERIES_BELOW = 0.2

FloatOrArray = TypeVar("FloatOrArray", float, NDArray[np.float64])


def divergence(gain: float, n_classes: int) -> float:
    """Return KL(1/m + x || 1/m) in nats, the divergence of two coins, for 0 <= x <= 1 - 1/m.

    >>> divergence(0.0, 10), divergence(0.5, 2) == math.log(2)
    (0.0, True)
    """
    p = 1.0 / n_classes
    q = 1.0 - p
    if gain >= q:
        return math.log(n_classes)
    return p * excess(gain / p) + q * excess(-gain / q)


def excess(e: float) -> float:
    """Return (1 + e) ln(1 + e) - e for e > -1, to full relative precision near e = 0.

    It is what divergences are made of: KL(a || p) = p excess(x/p) + q excess(-x/q) with x = a - p.

    >>> excess(0.0), excess(2.0**-40) / 2.0**-81
    (0.0, 0.9999999999996968)
    """
    if abs(e) < SERIES_BELOW:
        return float(_excess_near(e))
    return (1.0 + e) * math.log1p(e) - e


def log_pmf(counts: NDArray[np.int64], n: int, m: int) -> NDArray[np.float64]:
    """Return ln P(N = count) for N ~ Bin(n, 1/m), by Loader's saddle-point form.

    Stirling errors and deviances are small numbers, where the textbook difference of log
    factorials loses all digits near n = 10^12.
    """
    x = np.asarray(counts, dtype=np.int64)
    result = np.empty(x.shape)
    none, every = x == 0, x == n
    result[none] = n * math.log1p(-1.0 / m)
    result[every] = -n * math.log(m)
    inner = ~(none | every)
    hit = x[inner].astype(np.float64)
    miss = n - hit
    # count - n/m with the integer part subtracted as integers.
    deviation = (x[inner] - n // m).astype(np.float64) - (n % m) / m
    mean, rest = n / m, n - n / m
    deviance = mean * excesses(deviation / mean) + rest * excesses(-deviation / rest)
    stirling = _stirling_error(np.array([float(n)])) - _stirling_error(hit) - _stirling_error(miss)
    result[inner] = stirling - deviance + 0.5 * np.log(n / (2.0 * np.pi * hit * miss))
    return result


def entropy(n: int, m: int) -> float:
    """Return the entropy of Bin(n, 1/m) in nats.

    >>> entropy(1, 2) == math.log(2)
    True
    >>> round(entropy(10**12, 10), 6)
    14.030476
    """
    log_p, step = _log_pmf_window(n, m)
    p = np.exp(log_p)
    # Dividing by the total removes what rounding and the step leave of it: a few 1e-16.
    total = step * math.fsum(p)
    return -step * math.fsum(p * log_p) / total


def mean_absolute_deviation(n: int, m: int) -> float:
    """Return E|N - n/m| for N ~ Bin(n, 1/m), by De Moivre's formula.

    E|N - np| = 2 n p q P(Bin(n-1, p) = floor(np)).

    >>> mean_absolute_deviation(2, 2)
    0.5
    """
    p = 1.0 / m
    at_mean = float(np.exp(log_pmf(np.array([n // m], dtype=np.int64), n - 1, m))[0])
    return 2.0 * n * p * (1.0 - p) * at_mean


def _log_pmf_window(n: int, m: int) -> tuple[NDArray[np.float64], int]:
    """Return log probabilities of every step-th count around the mean, and the step."""
    deviation = math.sqrt(n / m * (1.0 - 1.0 / m))
    reach = math.ceil(WINDOW_CONSTANT + WINDOW_DEVIATIONS * deviation)
    step = max(1, int(deviation / POINTS_PER_DEVIATION))
    low, high = max(0, n // m - reach), min(n, n // m + reach)
    return log_pmf(np.arange(low, high + 1, step, dtype=np.int64), n, m), step


def excesses(e: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `excess` of every element."""
    return np.where(np.abs(e) < SERIES_BELOW, _excess_near(e), (1.0 + e) * np.log1p(e) - e)


def _excess_near(e: FloatOrArray) -> FloatOrArray:
    # With v = e/(2+e), ln(1+e) = 2 (v + v^3/3 + v^5/5 + ...), so the excess is
    # e v + 2 (1+e) v (v^2/3 + v^4/5 + ...): no difference of nearly equal numbers.
    v = e / (2.0 + e)
    square = v * v
    tail = 0.0 * square
    for power in range(19, 1, -2):
        tail = square * (tail + 1.0 / power)
    return e * v + 2.0 * (1.0 + e) * v * tail


def _stirling_error(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln x! - [x ln x - x + ln(2 pi x)/2] for positive integers x."""
    small = x < 16.0
    y = np.where(small, 16.0, x)
    inverse_square = 1.0 / (y * y)
    # Coefficients B_2j / (2j (2j-1)) of Stirling's series; the next is below 1e-17 at x = 16.
    series = np.zeros_like(y)
    for coefficient in (-691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360):
        series = inverse_square * (series + coefficient)
    table = _SMALL_ERRORS[np.where(small, x, 0.0).astype(np.intp)]
    return np.where(small, table, (1.0 / 12.0 + series) / y)


_SMALL_ERRORS = np.array(
    [0.0]
    + [
        math.lgamma(i + 1.0) - (i * math.log(i) - i + 0.5 * math.log(2.0 * math.pi * i))
        for i in range(1, 16)
    ]
)
