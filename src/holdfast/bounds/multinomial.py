"""Lemmas 4 and 5 of the paper: exact expectations next to the lower bounds the paper states.

Both are about label counts (N_1, ..., N_m) of n uniform labels, a multinomial vector. How far two
of them drift apart is the distance of a lazy random walk.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import mean_absolute_deviation
from holdfast.problem import check_at_least

__all__ = ["Expectation", "expected_distance", "first_or_second", "larger_of_two", "one_query_gain"]

# A node whose integrand is below exp(-NEGLIGIBLE_NATS) is skipped.
NEGLIGIBLE_NATS = 80.0


def expected_distance(n_steps: int, inverse_probability: int) -> float:
    r"""Return E|D| after n steps that are +1 or -1 with probability p = 1/M each, else 0.

    If each of b examples has one of m labels, uniformly, the surplus N1 - N2 of the first label
    over the second is such a walk with b steps and M = m.

    The sign of D is worth X_1 to the first step, so E|D_b| = b E[X_1 sgn D_b]
    = 2pb [P(D_{b-1} = 0) + P(D_{b-1} = 1)], and with the characteristic function
    phi(t) = 1 - 4p sin^2(t/2) of one step the bracket is twice the mean over a period of
    cos^2(t/2) phi(t)^(b-1). The mean over N equally spaced nodes adds to it exactly the
    probabilities (halved or quartered) that D_{b-1} is a non-zero multiple of N or one beside it.
    Bernstein's inequality puts those below exp(-55) for the N used here, and none is left
    when N > b: the result is exact up to rounding for every b, 10^12 included, from at most a few
    hundred nodes.

    Parameters
    ----------
    n_steps
        b, at least 0.
    inverse_probability
        M, at least 2.

    Examples
    --------
    >>> expected_distance(2, 2)      # ++, +-, -+, --
    1.0
    >>> round(expected_distance(10**12, 10), 3)
    356824.823
    """
    if n_steps == 0:
        return 0.0
    if inverse_probability == 2:
        # Two fair steps are one step of a lazy walk with p = 1/4 on the even numbers, and an odd
        # number of fair steps goes as far as one step more.
        return 2.0 * expected_distance((n_steps + 1) // 2, 4)
    p = 1.0 / inverse_probability
    variance = 2.0 * p * (n_steps - 1)
    n_nodes = min(n_steps + 1, math.ceil(40.0 + 12.0 * math.sqrt(variance)))
    # phi^(b-1) <= exp(-4p (b-1) sin^2(t/2)) wherever phi >= 0, that is for M >= 4; for M = 3
    # it is at least -1/3 and negligible outside the window as well once the window is a part.
    sine = math.sqrt(min(1.0, NEGLIGIBLE_NATS / (2.0 * variance))) if variance > 0.0 else 1.0
    last = min(n_nodes // 2, math.ceil(2.0 * math.asin(sine) / (2.0 * math.pi) * n_nodes))
    half_angle = np.pi * np.arange(last + 1) / n_nodes
    drop = 4.0 * p * np.sin(half_angle) ** 2
    values = np.cos(half_angle) ** 2 * _power_of_one_minus(drop, n_steps - 1)
    # The integrand is even: every node but 0 and the middle one of an even number counts twice.
    total = 2.0 * math.fsum(values) - float(values[0])
    if 2 * last == n_nodes:
        total -= float(values[last])
    return 4.0 * p * n_steps * total / n_nodes


def _power_of_one_minus(drop: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """Return (1 - drop)**exponent, for drop in [0, 4/3], to full precision where drop is tiny."""
    if exponent == 0:
        return np.ones_like(drop)
    base = 1.0 - drop
    with np.errstate(divide="ignore"):
        log_size = np.where(drop < 0.5, np.log1p(-np.minimum(drop, 0.5)), np.log(np.abs(base)))
    size = np.exp(exponent * log_size)
    signed: NDArray[np.float64] = np.where((base < 0.0) & (exponent % 2 == 1), -size, size)
    return signed


class Expectation(NamedTuple):
    """An exact expectation and the lower bound that the paper states for it."""

    exact: float
    stated: float | None  # None outside n >= m, where the paper states nothing


def one_query_gain(n_examples: int, n_classes: int) -> float:
    r"""Return how many more than n/m matches one query gains, E|m N - n| / (2 (m - 1)).

    N ~ Bin(n, 1/m) examples have the label that was shown. It is guessed for all if N >= n/m, and
    another one otherwise, of which the n - N others have (n - N)/(m - 1) on average.

    >>> one_query_gain(1, 2), round(one_query_gain(5, 2), 9)
    (0.5, 0.9375)
    """
    n, m = n_examples, n_classes
    return m * mean_absolute_deviation(n, m) / (2.0 * (m - 1.0)) if n else 0.0


def first_or_second(n_examples: int, n_classes: int) -> Expectation:
    r"""Return E[N_1 if N_1 >= n/m else N_2], the matches of the one-query attack.

    Implements: acharya2020 lem:bin-1 (Lemma 4)

    Examples
    --------
    >>> first_or_second(2, 2)
    Expectation(exact=1.5, stated=1.25)
    """
    n, m = _checked(n_examples, n_classes)
    return Expectation(n / m + one_query_gain(n, m), _stated(n, m))


def larger_of_two(n_examples: int, n_classes: int) -> Expectation:
    r"""Return E[max(N_1, N_2)], the matches of the small-k attack in one block.

    max(a, b) = (a + b)/2 + |a - b|/2, and N_1 - N_2 is a lazy random walk of n steps.

    Implements: acharya2020 lem:bin-max (Lemma 5)

    Examples
    --------
    >>> larger_of_two(2, 2)
    Expectation(exact=1.5, stated=1.25)
    """
    n, m = _checked(n_examples, n_classes)
    return Expectation(n / m + expected_distance(n, m) / 2.0, _stated(n, m))


def _stated(n: int, m: int) -> float | None:
    return n / m + math.sqrt(n / m) / 4.0 if n >= m else None


def _checked(n_examples: int, n_classes: int) -> tuple[int, int]:
    return check_at_least("n_examples", n_examples, 1), check_at_least("n_classes", n_classes, 2)
