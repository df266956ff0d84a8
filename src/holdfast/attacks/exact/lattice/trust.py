r"""Positions of which a model already names a label: groups are checked, not asked.

A group shows its most likely labels, and in some rows its least likely ones instead. With
w = 1, 0, -1 for a position that has the first, neither, the second, the sum of w falls short of
the group's size g by the number of positions that do not have their likely label (a position that
has the unlikely one counts twice). A shortfall of 0 proves all g labels at once, whatever the model
is worth; otherwise the shortfall is split until the positions are found. A group with one wrong
label is searched for the position and for the label at once.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, log2, prod
from typing import Any

import numpy as np

from holdfast.attacks.exact.lattice.board import Board
from holdfast.attacks.exact.lattice.coins import Coin, entropy, new_single
from holdfast.attacks.exact.lattice.layout import Placed, Shown
from holdfast.attacks.exact.lattice.packing import Offer, Pool
from holdfast.attacks.exact.lattice.search import Spans, search, spans_for
from holdfast.attacks.exact.lattice.splits import split

__all__ = ["Trust"]

GROUPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Sizes of groups; few, so that there are few kinds of coins."""

MANY = 16
"""Up to so many classes a doubtful position can also be asked by itself."""

DOUBTS = 10
"""Classes of doubt: probability 2^-class of another label than the likely one."""

WORTH = 3.8
"""Positions without their likely label in a group, at most, on average."""

TOO_MANY = 40
"""Shortfall at which a group is dissolved: the model was too sure."""

LATER = 0.1
"""What a split loses when it is used below another coin: few large coins leave less to do."""

AT_ONCE = 0.1
"""What a search gains: it tells a label before its position is found, and saves a round."""

ONE = (2, 4, 16)
"""Parts into which a group that falls short by 1 is split."""

TWO = ((0, 1, 3), (0, 1, 4, 6), (0, 1, 4, 9, 11), (0, 1, 4, 10, 12, 17))
"""Weights of which all sums of two are different: Golomb rulers."""

THREE = ((0, 1, 4),)
"""Weights of which all sums of three are different."""


class Trust:
    """Groups of trusted positions, and groups that fell short.

    Parameters
    ----------
    board
        What is known.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._m = board.n_classes
        self._sure: dict[int, list[int]] = {}
        self._short: dict[tuple[int, int, int], list[list[int]]] = {}
        self._labels: dict[int, tuple[int, int]] = {}
        self._others: dict[int, list[int]] = {}
        self._seen: dict[int, tuple[int, float]] = {}
        # Groups that fell short are kept by size, shortfall, and class of doubt; those that fell
        # short by 1 by the number of labels that the wrong one can have instead.
        # With two classes a position has one of its two labels: it counts once.
        self._twice = 1 if self._m == 2 else 2

    def admit(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels."""
        self._labels[j] = likely, unlikely
        self._sort_in(j, doubt)
        self._board.guess[j] = likely

    def _sort_in(self, j: int, doubt: float) -> None:
        level = min(DOUBTS, max(0, round(-log2(max(doubt, 1e-9)))))
        self._sure.setdefault(level, []).append(j)
        count, total = self._seen.get(level, (0, 0.0))
        # A model that is sure may be wrong: without doubt nothing would be worth a look.
        self._seen[level] = count + 1, total + max(doubt, 2.0**-DOUBTS)

    def _doubt(self, level: int) -> float:
        """Return the mean doubt of the positions that were sorted into a class."""
        count, total = self._seen[level]
        return total / count

    def stock(self) -> dict[Pool, int]:
        """Return what there is to make coins of."""
        stock: dict[Pool, int] = {("sure", d): len(js) for d, js in self._sure.items()}
        stock.update({("short", *key): len(items) for key, items in self._short.items()})
        return {pool: count for pool, count in stock.items() if count}

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here."""
        rest = log2(self._m - 1)
        bits = 0.0
        for level, js in self._sure.items():
            q = self._doubt(level)
            bits += len(js) * (entropy([q, 1 - q]) + q * rest)
        for (g, d, level), items in self._short.items():
            bits += len(items) * self._open_bits(g, d, level)
        return bits

    # -- coins

    def offers(self, stock: dict[Pool, int], last_round: bool) -> list[tuple[Offer, Coin | None]]:
        """Return the coins that can be made."""
        out: list[tuple[Offer, Coin | None]] = []
        for pool in stock:
            if pool[0] == "sure":
                out += self._group_offers(pool, last_round)
            elif pool[0] == "short":
                out += [(o, None) for o in self._split_offers(pool)]
                out += [(o, None) for o in self._search_offers(pool)]
        return out

    def _group_offers(self, pool: Pool, last_round: bool) -> list[tuple[Offer, Coin | None]]:
        m, q = self._m, self._doubt(pool[1])
        out: list[tuple[Offer, Coin | None]] = []
        if 2 < m <= MANY:
            widest = m - m % 2
            for h in (widest,) if last_round else range(2, widest + 1, 2):
                coin = new_single(h, m)
                odds = [1 - q, *[q / (m - 1)] * (h - 1), q * (m - h) / (m - 1)]
                bits = entropy(odds)
                out.append((Offer(("new", h), coin.radix, coin.need, bits, bits, pool), coin))
        if last_round and out:
            return out
        best = max((g for g in GROUPS if g * q <= WORTH), default=1)
        for g in (1,) if last_round else [g for g in GROUPS if g <= best]:
            bits = entropy([comb(g, d) * q**d * (1 - q) ** (g - d) for d in range(g + 1)])
            radix = self._twice * g + 1 if g <= 2 else 0
            out.append((Offer(("check", g), radix, 1, bits, bits, pool, g), None))
        return out

    def _split_offers(self, pool: Pool) -> list[Offer]:
        _, g, d, _ = pool
        kinds: set[tuple[int, ...]] = {(0, 1)}
        if d == 1:
            kinds = {tuple(range(min(g, parts))) for parts in ONE}
        for hits, known in ((2, TWO), (3, THREE)):
            if d == hits:
                kinds.update(weights for weights in known if len(weights) <= g)
        return [self._split_offer(pool, weights) for weights in sorted(kinds)]

    def _split_offer(self, pool: Pool, weights: tuple[int, ...]) -> Offer:
        _, g, d, level = pool
        sizes = [part.size for part in np.array_split(np.arange(g), len(weights))]
        kind = split(weights, d, self._most(d, sizes), False)
        twice = 0.0 if d == 1 else self._twofold(level)
        ways = [
            prod(_ways(h, size, twice) for h, size in zip(hits, sizes, strict=True))
            for hits in kind.hits
            if hits is not None
        ]
        bits = entropy(ways)
        need = max(abs(w) for w in _centred(weights))
        return Offer(("split", weights), kind.high - kind.low + 1, need, bits - LATER, bits, pool)

    def _search_offers(self, pool: Pool) -> list[Offer]:
        _, g, d, c = pool
        if d != 1 or not 1 < c <= MANY:
            return []
        out = []
        for spans in spans_for(g, c):
            kind = search(spans, c)
            sizes = [part.size for part in np.array_split(np.arange(g), len(spans))]
            bits = entropy([sizes[case.part] * case.chance for case in kind.cases if case])
            below = bits - LATER + AT_ONCE
            out.append(Offer(("search", spans), kind.radix, kind.need, below, bits, pool))
        return out

    def _twofold(self, level: int) -> float:
        """Return the odds of falling short by 2 and 0 against 1 and 1, for two positions."""
        m, q = self._m, self._doubt(level)
        return 0.0 if m == 2 else (1 - q) * (m - 1) / (q * max(1, m - 2) ** 2)

    def _open_bits(self, g: int, d: int, level: int) -> float:
        """Return how many bits are left in a group that fell short: where, and which label."""
        if d == 1:
            return log2(g * level)
        return _left(d, g, self._twofold(level), log2(max(1, self._m - 2)))

    def _most(self, d: int, sizes: list[int]) -> tuple[int, ...]:
        return tuple(min(d, self._twice * size) for size in sizes)

    # -- placing and learning

    def pop(self, pool: Pool) -> int:
        """Take one trusted position out."""
        return self._sure[pool[1]].pop()

    def order(self, j: int, labels: list[int]) -> list[int]:
        """Return labels with the likely one first, the unlikely one last."""
        first, last = self._labels[j]
        return [first, *(x for x in labels if x not in (first, last)), last]

    def place(self, offer: Offer, unit: int, last: bool) -> Placed:
        """Make a coin."""
        if offer.key[0] == "check":
            js = [self.pop(offer.pool) for _ in range(offer.amount)]
            self._show(js)
            g = len(js)
            shown = Shown(1, 0, unit, js, [self._labels[j][1] for j in js])
            radix = 0 if last else offer.radix
            low, high = (0, g) if self._m == 2 else (-g, g)
            return Placed(low, high, radix, None, [shown], (offer.key, (js, offer.pool[1])))
        _, g, d, level = offer.pool
        js = self._short[g, d, level].pop()
        self._show(js)
        if offer.key[0] == "search":
            return self._place_search(js, offer.key[1], level, unit, last)
        weights = _centred(offer.key[1])
        parts = [part.tolist() for part in np.array_split(js, len(weights))]
        sizes = [len(part) for part in parts]
        kind = split(weights, d, self._most(d, sizes), False)
        # Showing the unlikely label changes a part's count by its shortfall minus its size.
        bias = [0 if self._m == 2 else -size for size in sizes]
        shift = sum(w * b for w, b in zip(weights, bias, strict=True))
        runs = [
            Shown(1 if w > 0 else -1, 0, abs(w) * unit, part, [self._labels[j][1] for j in part], b)
            for w, part, b in zip(weights, parts, bias, strict=True)
            if w
        ]
        low, high = kind.low + shift, kind.high + shift
        radix = 0 if last else offer.radix
        return Placed(
            low, high, radix, kind.table, runs, (offer.key, (parts, kind.hits, low, level))
        )

    def _place_search(self, js: list[int], spans: Spans, c: int, unit: int, last: bool) -> Placed:
        """Ask in which part of a group its one wrong label is, and which label it is."""
        kind = search(spans, c)
        parts = [part.tolist() for part in np.array_split(js, len(spans))]
        others = {j: self.others(j) for j in js}
        shown = [
            Shown(
                sign, start * unit, stop * unit, parts[part],
                [others[j][slot] for j in parts[part]], -len(parts[part]),
            )
            for part, slot, sign, start, stop in kind.runs
        ]  # fmt: skip
        shift = -sum(sign * (stop - start) * len(parts[i]) for i, _, sign, start, stop in kind.runs)
        low = kind.low + shift
        high = low + kind.radix - 1
        tag = (("search", spans), (parts, low, c))
        return Placed(low, high, 0 if last else kind.radix, kind.table, shown, tag)

    def others(self, j: int) -> list[int]:
        """Return the labels that a position without its likely label can have."""
        if j not in self._others:
            out = self._labels[j]
            self._others[j] = [x for x in range(self._m) if x not in out]
        return self._others[j]

    def _learn_search(self, key: tuple[Any, ...], what: Any, value: int) -> list[tuple[int, int]]:
        parts, low, c = what
        case = search(key[1], c).cases[value - low]
        assert case is not None  # read_nodes refuses impossible values
        out = [(j, 0) for i, part in enumerate(parts) if i != case.part for j in part]
        for j in parts[case.part]:
            others = self.others(j)
            self._others[j] = [others[slot] for slot in case.slots]
        return out + self._found(parts[case.part], 1, 0)

    def _show(self, js: list[int]) -> None:
        for j in js:
            self._board.show(j, self._labels[j][0])

    def learn(self, key: tuple[Any, ...], what: Any, value: int) -> list[tuple[int, int]]:
        """Take a value; return positions found, with their shortfall 0, 1 or 2."""
        if key[0] == "check":
            js, level = what
            return self._found(js, value + (0 if self._m == 2 else len(js)), level)
        if key[0] == "search":
            return self._learn_search(key, what, value)
        parts, hits, low, level = what
        out: list[tuple[int, int]] = []
        for part, d in zip(parts, hits[value - low], strict=True):
            out += self._found(part, d, level)
        return out

    def _found(self, js: list[int], d: int, level: int) -> list[tuple[int, int]]:
        if d == 0:
            return [(j, 0) for j in js]
        if len(js) == 1:
            return [(js[0], d)]
        if d == self._twice * len(js):
            return [(j, self._twice) for j in js]
        if d == 1:
            # Its doubt no longer matters, and the same number of labels is left for all of it.
            level = max(1, len(self.others(js[0])))
        if d >= TOO_MANY:
            for j in js:
                self._sort_in(j, min(0.5, d / len(js)))
        else:
            self._short.setdefault((len(js), d, level), []).append(js)
        return []


def _centred(weights: tuple[int, ...]) -> tuple[int, ...]:
    middle = (weights[0] + weights[-1]) // 2
    return tuple(w - middle for w in weights)


@lru_cache(maxsize=4096)
def _ways(d: int, g: int, twice: float) -> float:
    """Weigh the ways in which g positions fall short by d, `twice` for each that does by 2."""
    return sum(
        comb(g, pairs) * comb(g - pairs, d - 2 * pairs) * twice**pairs
        for pairs in range(min(g, d // 2) + 1)
        if d - 2 * pairs <= g - pairs
    )


@lru_cache(maxsize=4096)
def _left(d: int, g: int, twice: float, label: float) -> float:
    """Return the entropy of which positions fall short, by 1 or 2, and of the labels of the 1s."""
    pairs = range(min(g, d // 2) + 1)
    ways = [comb(g, t) * comb(g - t, d - 2 * t) if d - 2 * t <= g - t else 0 for t in pairs]
    odds = [w * twice**t for t, w in enumerate(ways)]
    total = sum(odds)
    bits = 0.0
    for t, w in enumerate(ways):
        if odds[t] > 0.0:
            bits += odds[t] / total * (log2(total / odds[t]) + log2(w) + (d - 2 * t) * label)
    return bits
