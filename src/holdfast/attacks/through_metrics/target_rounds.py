"""Rounds of a bisection of targets: the looks that each takes, and what is known after some."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from holdfast.attacks.exact.lattice.looks import lattice_affordable
from holdfast.attacks.through_metrics._fractional_offsets import OffsetDigits
from holdfast.bounds.bisection import least
from holdfast.problem import Problem

__all__ = ["Halving", "forecast_rounds", "round_looks"]


def round_looks(digits: int, size: int, left: int) -> int:
    """Return how many looks so many sides take, at most those left: digits, and counts beside them.

    One of the looks counts all that are above.
    """
    problem = Problem(size, 2, left)

    def enough(looks: int) -> bool:
        return digits * looks + lattice_affordable(looks - 1, problem) >= size

    return min(left, least(enough, 0, 2 * size + 2))


@dataclass(frozen=True)
class Halving:
    """A round in which each range is halved.

    Attributes
    ----------
    looks
        The looks that it takes.
    right
        The share of targets that the middles of the ranges hit after it.
    certain
        The share of targets that are known after it.
    """

    looks: int
    right: float
    certain: float


def forecast_rounds(n_examples: int, radix: int, decimals: int | None) -> list[Halving]:
    """Forecast the rounds for targets 0 to radix - 1 that are equally frequent.

    >>> [each.looks for each in forecast_rounds(20, 4, None)]
    [1, 1]
    """
    rounds, ranges = [], Counter({radix: 1})
    each = n_examples / radix
    while max(ranges) > 1:
        middles = {size: (size - 1) // 2 for size in ranges}
        most = each * sum(n * s * (s - 1 - middles[s]) for s, n in ranges.items())
        base = each * sum(n * sum(abs(t - middles[s]) for t in range(s)) for s, n in ranges.items())
        first, later = (
            len(
                OffsetDigits.largest_set(
                    n_examples, total, span=span, largest=radix - 1.0, decimals=decimals
                ).sizes
            )
            for total, span in ((most, 1), (base, 2))
        )
        size = math.ceil(each * sum(n * s for s, n in ranges.items() if s > 1)) - first
        looks = 1 if size <= 0 else 1 + round_looks(later, size, 3 * size + 3)
        halves: Counter[int] = Counter()
        for s, n in ranges.items():
            halves[middles[s] + 1] += n
            if s > 1:
                halves[s - 1 - middles[s]] += n
        ranges = halves
        rounds.append(Halving(looks, ranges.total() / radix, ranges[1] / radix))
    return rounds
