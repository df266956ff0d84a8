r"""Digit blocks: positions whose joint value at a node is one digit of the node's sum.

A block's value is an integer in a range of `radix` values, starting at `low`. It must determine
what the block adds to *every* row, because the nodes inside its node see the block too. So every
value names one outcome, and a table gives the coefficient of each of the block's runs: by how much
the positions of the run raise the count of a row in which they show the run's label.

Three forms occur. One position over several labels: label z has its own digit. Several positions,
or parts of a group, with weights: the value is the sum of weight times hits. A search, with several
labels for each of several parts (`error_search`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.rounds.kernels import IMPOSSIBLE

__all__ = [
    "DigitBlock",
    "Run",
    "digit_block",
    "hit_split",
    "narrowed_part",
    "narrowed_single",
    "odd_single",
    "unknown_single",
]


class Run(NamedTuple):
    """Rows of one sign, of ranks `start` .. `stop` - 1 in units, in which a part shows a label."""

    part: int
    """Which part of the block's positions; 0 if there is one position only."""
    slot: int
    """Which label, by its place among the position's candidates; 0 if there is one label only."""
    sign: int
    start: int
    stop: int


class DigitBlock(NamedTuple):
    """One kind of digit block: rows to show labels in, and what each value of the digit tells.

    The table is what makes blocks composable. A node's sum names the block's value, the value names
    a row of the table, and that row says what the block added to every other row of the round; so
    it can be subtracted from all nodes inside, and these be read as if the block were not there. A
    block whose value left open what it added anywhere would spoil them.

    Examples
    --------
    One position with three candidates, a known wrong label as its base. It shows candidate 0 in one
    row of sign -, candidate 2 in one of sign +, candidate 1 nowhere: the digits are -1, 0, 1.

    >>> block = narrowed_single(3)
    >>> [(run.slot, run.sign, run.start, run.stop) for run in block.runs]
    [(0, -1, 0, 1), (2, 1, 0, 1)]
    >>> block.low, block.radix, block.outcomes
    (-1, 3, (0, 1, 2))

    Value -1 says candidate 0: the run of sign - raised the count of its row by 1, the other none.

    >>> block.table.tolist()
    [[1, 0], [0, 0], [0, 1]]
    """

    radix: int
    low: int
    need: int
    """Rows of one sign that it takes, in units."""
    runs: tuple[Run, ...]
    outcomes: tuple[Any, ...]
    """By value - low: what the value tells; None: impossible."""
    table: NDArray[np.int16]
    """By value - low: the coefficient of every run."""


def digit_block(
    runs: Sequence[Run], need: int, values: Sequence[int], table: Any, outcomes: Sequence[Any]
) -> DigitBlock:
    """Tabulate a block from its values, with coefficients of the runs and outcome of each.

    Values need not be consecutive. Those between that no outcome has are marked: a sum that names
    one contradicts what is taken as known, and the fewer of them the less of the radix is wasted.

    Parameters
    ----------
    runs, need
        The rows in which labels are shown, and how many of one sign that takes, in units.
    values
        The digit of each outcome, all different.
    table
        By outcome: how much each run raises the count of its rows.
    outcomes
        What to hand to whoever asked.

    Examples
    --------
    Two hits in three parts of weights 0, 1, 3: six ways, sums 0, 1, 2, 3, 4 and 6. There is no 5.

    >>> hit_split((0, 1, 3), 2, (2, 2, 2)).outcomes
    ((2, 0, 0), (1, 1, 0), (0, 2, 0), (1, 0, 1), (0, 1, 1), None, (0, 0, 2))
    """
    low, radix = min(values), max(values) - min(values) + 1
    full = np.full((radix, len(runs)), IMPOSSIBLE, np.int16)
    full[np.array(values) - low] = table
    told: list[Any] = [None] * radix
    for value, outcome in zip(values, outcomes, strict=True):
        told[value - low] = outcome
    return DigitBlock(radix, low, need, tuple(runs), tuple(told), full)


# -- one position, several labels


def _digit_runs(digits: Sequence[int]) -> tuple[list[Run], int]:
    """Give every digit rows of its own: d of sign + for d > 0, -d of sign - for d < 0."""
    runs, rows = [], {1: 0, -1: 0}
    for slot, digit in enumerate(digits):
        if digit:
            sign = 1 if digit > 0 else -1
            runs.append(Run(0, slot, sign, rows[sign], rows[sign] + abs(digit)))
            rows[sign] += abs(digit)
    return runs, max(1, *rows.values())


@cache
def narrowed_single(c: int) -> DigitBlock:
    """One position with c candidates; the base label is known to be wrong. No waste: c values.

    The digits are c integers around 0. A position with label z raises the count by 1 in the rows
    of digit z, whose signed number is the digit, and nowhere else.

    >>> narrowed_single(3).radix, narrowed_single(3).need
    (3, 1)
    """
    digits = [slot - (c - 1) // 2 for slot in range(c)]
    runs, need = _digit_runs(digits)
    table = [[int(run.slot == z) for run in runs] for z in range(c)]
    return digit_block(runs, need, digits, table, range(c))


@cache
def narrowed_part(h: int) -> DigitBlock:
    """One position with more than h candidates: which of h of them it has; outcome -1: none.

    The digits are the h integers around 0 without 0, which means none.

    >>> narrowed_part(2).radix
    3
    """
    digits = [digit for digit in range(-(h // 2), h - h // 2 + 1) if digit]
    runs, need = _digit_runs(digits)
    table = [[int(run.slot == z) for run in runs] for z in range(h)]
    return digit_block(runs, need, [*digits, 0], [*table, [0] * len(runs)], [*range(h), -1])


@cache
def unknown_single(h: int, m: int) -> DigitBlock:
    """One position of which nothing is known: digits +-1 .. +-h/2 for h of the m labels.

    Slot 0 is the base label and fills all rows that no other label takes: a position that has it
    *loses* 1 in the rows of all others. Those digits sum to -h/2, so it counts h/2. Outcome -1:
    none of the h labels, all of which are then known to be wrong.

    Four of ten labels have digits 2, 1, -1, -2. The base label, slot 0, takes no rows; its table
    row is -1 in the runs of labels 1, 2 and 3, which have 1, 1 and 2 rows: -(1 - 1 - 2) = 2.

    >>> unknown_single(8, 10).radix
    9
    >>> four = unknown_single(4, 10)
    >>> dict(zip(range(four.low, four.low + four.radix), four.outcomes))
    {-2: 3, -1: 2, 0: -1, 1: 1, 2: 0}
    >>> four.table[2 - four.low].tolist()
    [-1, -1, -1]
    """
    half = h // 2
    digits = [*range(half, 0, -1), *range(-1, -half - 1, -1)]
    runs, need = _digit_runs([0, *digits[1:]])
    table = [[-1] * len(runs)]
    table += [[int(run.slot == z) for run in runs] for z in range(1, h)]
    if h == m:
        return digit_block(runs, need, digits, table, range(h))
    return digit_block(runs, need, [*digits, 0], [*table, [0] * len(runs)], [*range(h), -1])


@cache
def odd_single(m: int) -> DigitBlock:
    """One position of which nothing is known, any of an even number of labels, without waste.

    The digits are 1, -1, 3, -3, .. m - 1, 1 - m. All blocks of a node being such ones, half of its
    sum and of all their largest digits is a number in base m (`Round.halve`): m values, where
    `unknown_single` has m + 1. In return the rows it takes are m^2 / 4, and not m (m + 2) / 8.

    >>> odd_single(4).radix, odd_single(4).need, unknown_single(4, 4).radix
    (4, 4, 5)
    """
    digits = [*range(m - 1, 0, -2), *range(-1, -m, -2)]
    runs, need = _digit_runs([0, *digits[1:]])
    table = [[-1] * len(runs)]
    table += [[int(run.slot == z) for run in runs] for z in range(1, m)]
    return digit_block(runs, need, [(digit + m - 1) // 2 for digit in digits], table, range(m))


# -- several positions, or parts of a group, with weights


def _weighted(vectors: NDArray[np.int64], weights: Sequence[int]) -> DigitBlock:
    """Let part i show its label in |w_i| rows of the sign of w_i, for these vectors of hits."""
    runs = [Run(i, 0, 1 if w > 0 else -1, 0, abs(w)) for i, w in enumerate(weights) if w]
    values = (vectors @ np.array(weights)).tolist()
    table = vectors[:, [run.part for run in runs]]
    need = max(1, *map(abs, weights))
    return digit_block(runs, need, values, table, list(map(tuple, vectors.tolist())))


@lru_cache(maxsize=4096)
def hit_split(weights: tuple[int, ...], hits: int, most: tuple[int, ...]) -> DigitBlock:
    """Split a group with a known number of hits; an outcome is the hits of every part.

    `weights` must be a B_h set for so many hits, up to a common shift or sign, or have distinct
    sums of h if the parts are single positions; `most` caps the hits of each part.

    >>> hit_split((0, 1), 2, (2, 2)).outcomes
    ((2, 0), (1, 1), (0, 2))
    >>> hit_split((0, 3, 5, 6, 7, 14), 3, (1,) * 6).radix     # 20 choices: nothing is wasted
    20
    """
    parts = len(weights)
    if hits == 1:
        return _weighted(np.eye(parts, dtype=np.int64), weights)

    def shares(part: int, left: int) -> list[list[int]]:
        if part == parts - 1:
            return [[left]] if left <= most[part] else []
        here = range(min(left, most[part]) + 1)
        return [[h, *rest] for h in here for rest in shares(part + 1, left - h)]

    return _weighted(np.array(shares(0, hits), np.int64), weights)
