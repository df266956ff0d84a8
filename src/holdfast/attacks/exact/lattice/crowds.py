r"""Crowds: open positions that are asked together whether they have their next candidate.

The last coin of a node has no range to keep, so a crowd of any size can share it: each position
shows its last candidate against a label known to be wrong, and the sum is the number of hits, 2
bits and more where a single position gives 1. What the number leaves open, which ones were hit,
fits the lower places of later rounds without waste: a crowd with one hit is cut into any number of
parts, one with two or three into parts whose weights have different sums of two or three.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import comb, log2, prod
from typing import Any

import numpy as np

from holdfast.attacks.exact.lattice.board import Board
from holdfast.attacks.exact.lattice.coins import Coin, entropy, located
from holdfast.attacks.exact.lattice.layout import Placed, Shown
from holdfast.attacks.exact.lattice.packing import Offer, Pool
from holdfast.attacks.exact.lattice.splits import split

__all__ = ["Crowds"]

LOCATED = 6
"""Positions of which any number of hits is located with one coin."""

SIZES = (2, 3, 4, 6)
"""Sizes of crowds."""

WORTH = 1.6
"""Hits of a crowd, at most, on average."""

LATER = 0.1
"""What a coin loses when it is used below another."""

ONE = (2, 3, 4, 6, 8, 12, 16)
"""Parts into which a crowd with one hit is cut."""

TWO = ((0, 1, 3), (0, 1, 4, 6), (0, 1, 4, 9, 11), (0, 1, 4, 10, 12, 17))
"""Weights of which all sums of two are different: Golomb rulers."""

THREE = ((0, 1, 4),)
"""Weights of which all sums of three are different."""


@lru_cache(maxsize=1024)
def hits_bits(g: int, c: int) -> float:
    """Return the entropy of the number of hits among g positions with c candidates each.

    >>> hits_bits(2, 2)
    1.5
    """
    p = 1 / c
    return entropy([comb(g, w) * p**w * (1 - p) ** (g - w) for w in range(g + 1)])


class Crowds:
    """Crowds of which the number of hits is known.

    Parameters
    ----------
    board
        What is known.
    order
        The candidates of every position; the last one is asked.
    wrong
        A label known to be wrong, for every position.
    """

    def __init__(self, board: Board, order: dict[int, list[int]], wrong: dict[int, int]) -> None:
        self._board = board
        self._order = order
        self._wrong = wrong
        # By number of positions, and of hits.
        self._hit: dict[tuple[int, int], list[list[int]]] = {}

    def add(self, js: list[int], hits: int) -> None:
        """Keep a crowd, of which some but not all positions were hit."""
        self._hit.setdefault((len(js), hits), []).append(js)

    def stock(self) -> dict[Pool, int]:
        """Return what there is to make coins of."""
        return {("block", *key): len(items) for key, items in self._hit.items()}

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here."""
        bits = 0.0
        for (g, w), items in self._hit.items():
            bits += len(items) * log2(comb(g, w))
            bits += sum((g - w) * log2(max(1, len(self._order[js[0]]) - 1)) for js in items)
        return bits

    # -- coins

    def gather_offers(self, pool: Pool) -> Iterator[Offer]:
        """Offer crowds of open positions with c candidates."""
        c = pool[1]
        for g in SIZES:
            # Two classes: what a round leaves must fit into one more, so one coin must resolve it.
            if g <= (LOCATED if self._board.n_classes == 2 else WORTH * c):
                yield Offer(("some", c, g), 0, 1, 0.0, hits_bits(g, c), pool, g)

    def offers(self, pool: Pool) -> Iterator[tuple[Offer, Coin | None]]:
        """Offer what tells which positions of a crowd were hit."""
        _, g, w = pool
        if g <= LOCATED:
            kind = located(g, w)
            yield Offer(pool, kind.radix, kind.need, kind.bits - LATER, kind.bits, pool), kind
        if self._board.n_classes == 2:
            return
        for weights in self._kinds(g, w):
            yield _cut_offer(pool, weights), None

    @staticmethod
    def _kinds(g: int, w: int) -> list[tuple[int, ...]]:
        kinds: set[tuple[int, ...]] = {(0, 1)}
        if w == 1:
            kinds = {tuple(range(min(g, parts))) for parts in ONE}
        for hits, known in ((2, TWO), (3, THREE)):
            if w == hits:
                kinds.update(weights for weights in known if len(weights) <= g)
        return sorted(kinds)

    def place(self, offer: Offer, kind: Coin | None, unit: int, last: bool) -> Placed:
        """Make a coin of the next crowd of its kind."""
        _, g, w = offer.pool
        js = self._hit[g, w].pop()
        labels = self.pose(js)
        if kind is not None:
            shown = [
                Shown(r.sign, 0, r.stop * unit, (js[r.slot],), (labels[r.slot],)) for r in kind.runs
            ]
            high = kind.low + kind.radix - 1
            radix = 0 if last else kind.radix
            return Placed(kind.low, high, radix, kind.table, shown, (offer.key, js))
        weights = _centred(offer.key[1])
        parts = [part.tolist() for part in np.array_split(js, len(weights))]
        coin = split(weights, w, tuple(min(w, len(part)) for part in parts), False)
        shown = [
            Shown(1 if v > 0 else -1, 0, abs(v) * unit, part, [self._order[j][-1] for j in part])
            for v, part in zip(weights, parts, strict=True)
            if v
        ]
        radix = 0 if last else coin.high - coin.low + 1
        tag = (offer.key, (parts, coin.hits, coin.low))
        return Placed(coin.low, coin.high, radix, coin.table, shown, tag)

    def pose(self, js: list[int]) -> list[int]:
        """Let positions show their wrong labels; return their next candidates."""
        for j in js:
            self._board.show(j, self._wrong[j])
        return [self._order[j][-1] for j in js]

    def learn(self, key: tuple[Any, ...], what: Any, value: int) -> list[tuple[int, int]]:
        """Take a value; return positions found, with 1 for a hit."""
        if key[0] == "some":
            return self._found(what, value)
        if key[0] == "block":
            kind = located(key[1], key[2])
            hits = kind.outcomes[value - kind.low]
            assert hits is not None  # read_nodes refuses impossible values
            return list(zip(what, hits, strict=True))
        parts, table, low = what
        return [
            item
            for part, hits in zip(parts, table[value - low], strict=True)
            for item in self._found(part, hits)
        ]

    def _found(self, js: list[int], hits: int) -> list[tuple[int, int]]:
        """Return positions of which all or none were hit; keep the others."""
        if hits in (0, len(js)):
            return [(j, int(hits > 0)) for j in js]
        self.add(js, hits)
        return []


@lru_cache(maxsize=4096)
def _cut_offer(pool: Pool, weights: tuple[int, ...]) -> Offer:
    """Offer to cut a crowd into one part for each weight."""
    _, g, w = pool
    sizes = [part.size for part in np.array_split(np.arange(g), len(weights))]
    kind = split(weights, w, tuple(min(w, size) for size in sizes), False)
    bits = entropy(
        [
            prod(comb(size, h) for h, size in zip(hits, sizes, strict=True))
            for hits in kind.hits
            if hits is not None
        ]
    )
    need = max(abs(v) for v in _centred(weights))
    return Offer(("cut", weights), kind.high - kind.low + 1, need, bits - LATER, bits, pool)


def _centred(weights: tuple[int, ...]) -> tuple[int, ...]:
    middle = (weights[0] + weights[-1]) // 2
    return tuple(w - middle for w in weights)
