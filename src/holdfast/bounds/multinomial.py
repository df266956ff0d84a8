"""Lemmas 4 and 5 of the paper: exact expectations next to the lower bounds the paper states.

Both are about label counts (N_1, ..., N_m) of n uniform labels, a multinomial vector.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from holdfast.bounds.binomial import mean_absolute_deviation
from holdfast.bounds.lazy_walk import expected_distance
from holdfast.problem import check_at_least

__all__ = ["Expectation", "first_or_second", "larger_of_two", "one_query_gain"]


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
