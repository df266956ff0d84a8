r"""Where the one wrong label of a group is, and which label it is, with one coin.

A group is known to have exactly one position without its likely label, and which labels that one
can have. Its parts show other labels in some rows instead of the likely ones. A part that shows
label x in v_x rows, S in all, counts 0 if all its labels are right, S + v_x if the wrong one has
label x, and S if it has one that is not shown (relative to -S a position). With a run of digits
v = a .. b for every part, and another a for every part, all these values are different.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice.rows import IMPOSSIBLE

__all__ = ["Search", "Spans", "search", "spans_for"]

Spans = tuple[tuple[int, int], ...]
"""Digits a .. b of every part."""

PARTS = (1, 2, 4, 8)
"""Parts of which the wrong one is told along with its label."""


class Case(NamedTuple):
    """What a value tells: the part, the labels left by place in the list, and its probability."""

    part: int
    slots: tuple[int, ...]
    chance: float


class Search(NamedTuple):
    """A kind of coin; runs are (part, slot, sign, start, stop)."""

    low: int
    radix: int
    need: int
    runs: tuple[tuple[int, int, int, int, int], ...]
    cases: tuple[Case | None, ...]
    table: NDArray[np.int16]


def spans_for(size: int, c: int) -> list[Spans]:
    """Return the coins worth trying for `size` positions and c labels.

    The first asks for little and needs one row a unit: it suits a node's last place.
    """
    out: list[Spans] = [((0, 1), (-1, 0)) if size == 2 else ((0, 1), (0, 0), (-1, 0))]
    for parts in PARTS:
        if parts <= size:
            first = -((c - 1) // 2) - parts // 2
            out.append(tuple((first + i, first + i + c - 1) for i in range(parts)))
    return out


@lru_cache(maxsize=1024)
def search(spans: Spans, c: int) -> Search:
    """Tabulate the coin.

    >>> coin = search(((-4, 3), (-3, 4)), 8)
    >>> coin.radix, coin.need           # 16 outcomes
    (17, 10)
    """
    runs: list[tuple[int, int, int, int, int]] = []
    need = 1
    found: dict[int, tuple[Case, dict[int, int]]] = {}
    for part, (a, b) in enumerate(spans):
        digits = [v for v in range(a, b + 1) if v]
        rows = {1: 0, -1: 0}
        mine = []
        for slot, v in enumerate(digits):
            sign = 1 if v > 0 else -1
            mine.append(len(runs))
            runs.append((part, slot, sign, rows[sign], rows[sign] + abs(v)))
            rows[sign] += abs(v)
        need = max(need, *rows.values())
        total = sum(digits)
        for slot, v in enumerate(digits):
            weight = {r: 1 + (r == mine[slot]) for r in mine}
            found[total + v] = Case(part, (slot,), 1 / c), weight
        if len(digits) < c:
            rest = tuple(range(len(digits), c))
            found[total] = Case(part, rest, len(rest) / c), dict.fromkeys(mine, 1)
    low, high = min(found), max(found)
    table = np.full((high - low + 1, len(runs)), IMPOSSIBLE, np.int16)
    cases: list[Case | None] = [None] * (high - low + 1)
    for value, (case, weight) in found.items():
        table[value - low] = [weight.get(r, 0) for r in range(len(runs))]
        cases[value - low] = case
    return Search(low, high - low + 1, need, tuple(runs), tuple(cases), table)
