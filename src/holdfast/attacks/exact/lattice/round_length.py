"""Length of a round: estimates of the looks to come, and the numbers of rows worth trying."""

from __future__ import annotations

from math import log2

import numpy as np

from holdfast.attacks.exact.lattice import tuning

__all__ = ["expected_looks", "first_length", "lengths", "looks_left", "one_round"]


def one_round(bits: float, m: int) -> float:
    """Return the looks that so many bits would take in one round, roughly.

    Solves K (log2(K)/2 + overhead) = bits by iteration: nodes of a round of K rows have log2(K)/2
    bits on average.

    >>> round(one_round(10000.0, 10))
    1844
    """
    overhead = tuning.RATE_OVERHEAD_FOUR_CLASSES if m <= 4 else tuning.RATE_OVERHEAD
    k = 2.0
    for _ in range(40):
        k = bits / max(tuning.RATE_AT_LEAST, 0.5 * log2(max(k, 2.0)) + overhead)
    return k


def looks_left(bits: float, from_prior: bool = False) -> float:
    """Return the looks that so many bits take in all rounds to come.

    Small rounds yield less per look, so that a bit left for the end costs most.

    >>> round(looks_left(10000.0)), round(looks_left(100.0))
    (2158, 45)
    """
    start = tuning.TAIL_RATE_START_FROM_PRIOR if from_prior else tuning.TAIL_RATE_START
    rate = tuning.TAIL_RATE_SLOPE * log2(max(bits, 1.0)) + start
    return bits / max(tuning.RATE_AT_LEAST, min(tuning.TAIL_RATE_MOST, rate))


def expected_looks(bits: float, m: int) -> float:
    """Return the looks that so many bits take with m classes, on average.

    Those of one round times a measured slowdown, and a few more: the end of a game, when hardly any
    position is left, takes a number of rounds that grows with the classes, not with the positions.

    >>> bits = 10_000 * log2(10)
    >>> round(one_round(bits, 10)), round(expected_looks(bits, 10))
    (5363, 6841)
    """
    known = tuning.SLOWDOWN_BY_CLASSES
    slowdown = float(np.interp(m, list(known), list(known.values())))
    per_class, few = tuning.LOOKS_MORE_PER_CLASS, tuning.LOOKS_MORE_TWO_OR_THREE_CLASSES
    return slowdown * one_round(bits, m) + (per_class * m if m > 3 else few)


def first_length(looks: float) -> int:
    """Return the rows of a round before which nothing is known of any group.

    It can only check groups, one per node, and leaves lower places empty that later rounds fill
    with splits of what it finds. So it is short: a twentieth of the looks to come.

    >>> first_length(100), first_length(2000)
    (16, 110)
    """
    return max(tuning.FIRST_ROUND_ROWS, int(tuning.FIRST_ROUND_SHARE * looks))


def lengths(least: float, finish: int) -> list[int]:
    """Return the lengths worth trying for a round that is not the last: quarters of powers of 2.

    >>> lengths(5, 20)
    [5, 6, 7, 8, 10, 12, 14, 16]
    """
    powers = [2**r for r in range(1, finish.bit_length())]
    found = {power * quarter // 4 for power in powers for quarter in (4, 5, 6, 7)}
    return sorted(size for size in found if least <= size < finish)
