"""Splitting a set of positions with a known number of hits into parts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice.rows import IMPOSSIBLE

__all__ = ["Split", "split", "weights_for"]

# Sums of two (of three) of these, repetitions allowed, are all different.
TWO_HITS = {2: (0, 1), 3: (0, 1, 3), 4: (0, 1, 4, 6)}
THREE_HITS = {2: (0, 1), 3: (0, 1, 4)}


class Split(NamedTuple):
    """Part i shows the label in `weights[i]` rows; a value tells the hits of every part."""

    low: int
    high: int
    table: NDArray[np.int16]
    hits: tuple[tuple[int, ...] | None, ...]


def weights_for(size: int, hits: int, room: int) -> tuple[int, ...]:
    """Return weights for as many parts as `room` values allow; () if not even two.

    >>> weights_for(100, 1, 4), weights_for(100, 2, 8), weights_for(100, 2, 2)
    ((0, 1, 2, 3), (0, 1, 3), ())
    """
    if hits == 1:
        parts = min(size, room)
        return tuple(range(parts)) if parts > 1 else ()
    if hits in (2, 3):
        known = TWO_HITS if hits == 2 else THREE_HITS
        for parts in sorted(known, reverse=True):
            if size >= parts and hits * known[parts][-1] < room:
                return known[parts]
    return (0, 1) if hits < room else ()


@lru_cache(maxsize=4096)
def split(weights: tuple[int, ...], hits: int, most: tuple[int, ...], turned: bool) -> Split:
    """Tabulate a split; `most` caps the hits of each part, `turned` counts values downwards.

    >>> split((0, 1), 2, (2, 2), False).hits
    ((2, 0), (1, 1), (0, 2))
    """
    cases: dict[int, tuple[int, ...]] = {}

    def fill(part: int, left: int, value: int, so_far: tuple[int, ...]) -> None:
        if part == len(weights) - 1:
            if left <= most[part]:
                cases[value + left * weights[part]] = (*so_far, left)
            return
        for here in range(min(left, most[part]) + 1):
            fill(part + 1, left - here, value + here * weights[part], (*so_far, here))

    if hits == 1:
        # A recursion over a thousand parts would be too deep, and is not needed.
        zeros = (0,) * len(weights)
        cases = {w: (*zeros[:i], 1, *zeros[i + 1 :]) for i, w in enumerate(weights)}
    else:
        fill(0, hits, 0, ())
    low, high = min(cases), max(cases)
    runs = [i for i, w in enumerate(weights) if w]
    table = np.full((high - low + 1, len(runs)), IMPOSSIBLE, np.int16)
    found: list[tuple[int, ...] | None] = [None] * (high - low + 1)
    for value, counts in cases.items():
        table[value - low] = [counts[i] for i in runs]
        found[value - low] = counts
    if not turned:
        return Split(low, high, table, tuple(found))
    return Split(-high, -low, np.ascontiguousarray(table[::-1]), tuple(found[::-1]))
