r"""Search of a group for its one wrong label: where it is, and which label it is, with one block.

A group is known to have exactly one position without its likely label, and which c labels that one
can have. Its parts show other labels in some rows instead of the likely ones. A part that shows
label x in v_x rows, S in all, counts 0 if all its labels are right (relative to -S per position),
S + v_x if the wrong one has label x, and S if it has one that is not shown. With a run of digits
v = a .. b for every part, and another a for every part, all these values are different.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from holdfast.attacks.exact.rounds.digit_blocks import DigitBlock, Run, digit_block

__all__ = ["ErrorCase", "Spans", "error_search", "spans_for"]

SEARCH_PARTS = (1, 2, 4, 8)
"""Parts of a group of which the wrong one is told along with its label."""

Spans = tuple[tuple[int, int], ...]
"""Digits a .. b of every part."""


class ErrorCase(NamedTuple):
    """What a value tells: the part, the labels left by place in the list, and its probability."""

    part: int
    slots: tuple[int, ...]
    chance: float


def spans_for(size: int, c: int) -> list[Spans]:
    """Return the searches worth trying for `size` positions and c labels.

    The first asks for little and needs one row per unit: it suits a node's last place. The others
    tell the label along with one of 1, 2, 4 or 8 parts.
    """
    out: list[Spans] = [((0, 1), (-1, 0)) if size == 2 else ((0, 1), (0, 0), (-1, 0))]
    for parts in SEARCH_PARTS:
        if parts <= size:
            first = -((c - 1) // 2) - parts // 2
            out.append(tuple((first + i, first + i + c - 1) for i in range(parts)))
    return out


@lru_cache(maxsize=1024)
def error_search(spans: Spans, c: int) -> DigitBlock:
    """Tabulate the search; outcomes are `ErrorCase`s.

    A run's coefficient is counted from -1 per position, what its rows lose if all labels are
    right: 1 in all runs of the part with the wrong label, 2 in the run that shows that label.

    >>> block = error_search(((-4, 3), (-3, 4)), 8)
    >>> block.radix, block.need           # 16 outcomes
    (17, 10)
    """
    runs: list[Run] = []
    need = 1
    found: dict[int, tuple[ErrorCase, dict[int, int]]] = {}
    for part, (a, b) in enumerate(spans):
        digits = [v for v in range(a, b + 1) if v]
        rows = {1: 0, -1: 0}
        mine = range(len(runs), len(runs) + len(digits))
        for slot, v in enumerate(digits):
            sign = 1 if v > 0 else -1
            runs.append(Run(part, slot, sign, rows[sign], rows[sign] + abs(v)))
            rows[sign] += abs(v)
        need = max(need, *rows.values())
        total = sum(digits)
        for slot, v in enumerate(digits):
            coefficients = {r: 1 + (r == mine[slot]) for r in mine}
            found[total + v] = ErrorCase(part, (slot,), 1 / c), coefficients
        if len(digits) < c:
            rest = tuple(range(len(digits), c))
            found[total] = ErrorCase(part, rest, len(rest) / c), dict.fromkeys(mine, 1)
    table = [[given.get(r, 0) for r in range(len(runs))] for _, given in found.values()]
    return digit_block(runs, need, list(found), table, [case for case, _ in found.values()])
