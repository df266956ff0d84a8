r"""Coins: a few positions whose joint value at a node tells something about their labels.

A coin's value is an integer in a known range of `radix` values. It must determine what the coin
contributes to every row, because the nodes inside its node see it too; so every value names one
outcome, and a table gives the coefficient of each of its runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice.rows import IMPOSSIBLE

__all__ = ["Coin", "Run", "entropy", "located", "new_single", "open_part", "open_single", "signed"]


class Run(NamedTuple):
    """Rows of one sign, from rank `start` to `stop` in units, in which a slot is shown.

    The slot is a label of a coin with one position, a member of a coin with several.
    """

    slot: int
    sign: int
    start: int
    stop: int


class Coin(NamedTuple):
    """A kind of coin."""

    radix: int
    low: int
    need: int
    """Rows of one sign that it takes, in units."""
    runs: tuple[Run, ...]
    outcomes: tuple[tuple[int, ...] | None, ...]
    """By value - low: what the slots are; None: impossible."""
    table: NDArray[np.int16]
    bits: float


def entropy(probabilities: Sequence[float]) -> float:
    """Bits of a distribution, which need not be normalised.

    >>> entropy([1, 1, 2])
    1.5
    """
    p = np.array([q for q in probabilities if q > 0.0], dtype=np.float64)
    p /= p.sum()
    return float(-(p * np.log2(p)).sum())


def _coin(
    runs: list[Run],
    need: int,
    cases: Sequence[tuple[int, list[int], tuple[int, ...], float]],
) -> Coin:
    """Tabulate cases of (value, coefficient of each run, outcome, probability)."""
    values = [value for value, *_ in cases]
    low, radix = min(values), max(values) - min(values) + 1
    table = np.full((radix, len(runs)), IMPOSSIBLE, np.int16)
    outcomes: list[tuple[int, ...] | None] = [None] * radix
    for value, row, outcome, _ in cases:
        table[value - low] = row
        outcomes[value - low] = outcome
    bits = entropy([p for *_, p in cases])
    return Coin(radix, low, need, tuple(runs), tuple(outcomes), table, bits)


def _digits(digits: Sequence[int], skip: int) -> tuple[list[Run], int]:
    """Give every digit its own rows: d of sign + or -d of sign -. Slot `skip` needs none."""
    runs, up, down = [], 0, 0
    for slot, digit in enumerate(digits):
        if slot == skip or digit == 0:
            continue
        if digit > 0:
            runs.append(Run(slot, 1, up, up + digit))
            up += digit
        else:
            runs.append(Run(slot, -1, down, down - digit))
            down -= digit
    return runs, max(up, down, 1)


@cache
def open_single(c: int) -> Coin:
    """One position with c candidates; the base label is known to be wrong. No waste: c values.

    >>> open_single(3).radix, open_single(3).need
    (3, 1)
    """
    digits = [slot - (c - 1) // 2 for slot in range(c)]
    runs, need = _digits(digits, -1)
    cases = [(digits[z], [int(r.slot == z) for r in runs], (z,), 1 / c) for z in range(c)]
    return _coin(runs, need, cases)


@cache
def open_part(c: int, h: int) -> Coin:
    """One position with c candidates: is it one of h of them? Outcome -1: none.

    >>> open_part(8, 2).radix
    3
    """
    digits = [digit for digit in range(-(h // 2), h - h // 2 + 1) if digit]
    runs, need = _digits(digits, -1)
    cases = [(digits[z], [int(r.slot == z) for r in runs], (z,), 1 / c) for z in range(h)]
    cases.append((0, [0] * len(runs), (-1,), 1 - h / c))
    return _coin(runs, need, cases)


@cache
def new_single(h: int, m: int) -> Coin:
    """One position of which nothing is known: digits +-1 .. +-h/2 for h of the m labels.

    Slot 0 is the base label and fills all other rows. Outcome -1: none of the h labels, all of
    which are then known to be wrong.

    >>> new_single(8, 10).radix
    9
    """
    half = h // 2
    digits = [*range(half, 0, -1), *range(-1, -half - 1, -1)]
    runs, need = _digits(digits, 0)
    cases = [(digits[0], [-1] * len(runs), (0,), 1 / m)]
    cases += [(digits[z], [int(r.slot == z) for r in runs], (z,), 1 / m) for z in range(1, h)]
    if h < m:
        cases.append((0, [0] * len(runs), (-1,), 1 - h / m))
    return _coin(runs, need, cases)


def _distinct(vectors: NDArray[np.int64], weights: Sequence[int]) -> int:
    """Return the range of the scalar products, 0 if two are equal."""
    p = vectors @ np.array(weights)
    return int(p.max() - p.min()) + 1 if np.unique(p).size == p.size else 0


def _weights(vectors: NDArray[np.int64]) -> tuple[int, ...]:
    """Find weights with distinct scalar products and the smallest range, by search."""
    g = vectors.shape[1]
    best, found = 0, tuple(range(g))
    for top in range(g - 1, 6 * g):
        for middle in combinations(range(1, top), g - 2):
            spread = _distinct(vectors, (0, *middle, top))
            if spread and (not best or spread < best):
                best, found = spread, (0, *middle, top)
        if best and top > found[-1] + 3:
            break
    return found


# The search takes a while for six positions; its results.
SIX = {2: (0, 1, 2, 4, 7, 12), 3: (0, 3, 5, 6, 7, 14), 4: (0, 1, 2, 4, 7, 12)}


def _weighted(cases: list[tuple[tuple[int, ...], float]], weights: Sequence[int]) -> Coin:
    """Position i shows its alternative in |w_i| rows, of the sign of w_i, w centred."""
    middle = (min(weights) + max(weights)) // 2
    w = [x - middle for x in weights]
    runs = [Run(i, 1 if x > 0 else -1, 0, abs(x)) for i, x in enumerate(w) if x]
    rows = [
        (sum(a * b for a, b in zip(v, w, strict=True)), [v[r.slot] for r in runs], v, p)
        for v, p in cases
    ]
    return _coin(runs, max(1, *map(abs, w)), rows)


@cache
def located(g: int, hits: int) -> Coin:
    """Which `hits` of g positions have their alternative; the base labels are known wrong.

    >>> located(6, 3).radix       # 20 choices, 20 values: nothing is wasted
    20
    """
    vectors = [v for v in product((0, 1), repeat=g) if sum(v) == hits]
    if hits in (1, g - 1):
        weights: tuple[int, ...] = tuple(range(g))
    elif g == 6:
        weights = SIX[hits]
    else:
        weights = _weights(np.array(vectors))
    return _weighted([(v, 1.0) for v in vectors], weights)


@cache
def signed(g: int, surplus: int, m: int) -> Coin:
    """Which of g positions have label a (1), b (-1) or neither (0), given #a - #b."""
    chance = {-1: 1 / m, 0: 1 - 2 / m, 1: 1 / m}
    vectors = [v for v in product((-1, 0, 1), repeat=g) if sum(v) == surplus]
    cases = [(v, float(np.prod([chance[e] for e in v]))) for v in vectors]
    weights = (0, 1) if g == 2 else _weights(np.array(vectors))
    return _weighted(cases, weights)
