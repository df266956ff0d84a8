r"""Label against label: two positions, or a few, that share a node's last coin.

Each shows its first candidate in some rows and its second in the others, so that it counts 1, -1
or 0; nothing need be known of it. A sum of 1 says that one of two positions has its first label,
and that neither has its second. A sum of 0 is a *tie*: neither has one of its two labels, or one
has its first and the other its second. As soon as one position of a tie is found to have a third
label, the other has neither of its two: a label known to be wrong comes for nothing. A tie can be
asked again with other labels, as a last coin; all labels tied are put at the end of the lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import log2, prod

import numpy as np

from holdfast.attacks.exact.lattice.board import Board
from holdfast.attacks.exact.lattice.coins import Coin, entropy, new_single, open_part, signed
from holdfast.attacks.exact.lattice.layout import Placed, Shown
from holdfast.attacks.exact.lattice.packing import Offer, Pool

__all__ = ["FEW", "Pairs", "leading"]

FEW = 4
"""Candidates up to which a sum is resolved with one coin: labels are about as likely as none."""

SUMS = {3: (2, 3, 4)}
"""How many positions with so many candidates are summed; else 2. Three labels waste nothing."""

LATER = 0.1
"""What a coin loses when it is used below another."""

LEAD = 0.2
"""What a coin gains that breaks a tie for good: two positions wait for it."""

AGAIN = -0.1
"""What a coin gains that ties two positions once more, and lets both wait."""


@cache
def sum_odds(g: int, c: int) -> tuple[float, ...]:
    """Return the probabilities of the sums -g .. g of g positions with c candidates each.

    >>> [round(9 * p) for p in sum_odds(2, 3)]
    [1, 2, 3, 2, 1]
    """
    out = np.ones(1)
    for _ in range(g):
        out = np.convolve(out, [1 / c, 1 - 2 / c, 1 / c])
    return tuple(out.tolist())


@cache
def again_odds(a: int, b: int, ties: int) -> tuple[int, ...]:
    """Weigh the sums -2 .. 2 of two tied positions with a and b free candidates.

    >>> sum(again_odds(8, 8, 1)) == 8 * 8 + 2
    True
    """
    one = (a - 2) + (b - 2)
    return (1, one, (a - 2) * (b - 2) + 2 + 2 * ties, one, 1)


@cache
def _neither(g: int, surplus: int, c: int) -> float:
    """Return how many of g positions with that sum have neither label, on average."""
    weights = {
        v: prod(1.0 if e else c - 2.0 for e in v)
        for v in product((-1, 0, 1), repeat=g)
        if sum(v) == surplus
    }
    return sum(w * v.count(0) for v, w in weights.items()) / sum(weights.values())


def leading(c: int, h: int, dummy: bool) -> Coin:
    """Return the coin that asks for h of the c candidates of a tie's first position."""
    return open_part(c, h) if dummy else new_single(h, c)


class Pairs:
    """Sums that are known, of a few positions each.

    Parameters
    ----------
    board
        What is known.
    order
        The candidates of every position.
    wrong
        A label known to be wrong, for the positions that have one.
    """

    def __init__(self, board: Board, order: dict[int, list[int]], wrong: dict[int, int]) -> None:
        self._board = board
        self._order = order
        self._wrong = wrong
        # Sums by number of positions, sum, candidates. Ties by free candidates of the first and
        # the second position, number of ties, and whether the first has a label known to be wrong.
        self._sums: dict[tuple[int, int, int], list[list[int]]] = {}
        self._ties: dict[tuple[int, int, int, bool], list[list[int]]] = {}

    def stock(self) -> dict[Pool, int]:
        """Return what there is to make coins of."""
        stock: dict[Pool, int] = {("sum", *key): len(items) for key, items in self._sums.items()}
        stock.update({("tie", *key): len(items) for key, items in self._ties.items()})
        return stock

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here."""
        bits = 0.0
        for (g, s, c), items in self._sums.items():
            left = _neither(g, s, c) * log2(max(1, c - 2))
            bits += len(items) * (signed(g, s, c).bits + left)
        for (a, b, ties, _), items in self._ties.items():
            bits += len(items) * log2(a * b + 2 * ties)
        return bits

    # -- coins

    def gather_offers(self, pool: Pool, c: int) -> Iterator[Offer]:
        """Offer sums of new positions, or of open ones, with c candidates."""
        for g in SUMS.get(c, (2,)):
            yield Offer(("sum", g, c), 0, 1, 0.0, entropy(sum_odds(g, c)), pool, g)

    def offers(self, pool: Pool) -> Iterator[tuple[Offer, Coin | None]]:
        """Offer what resolves a sum, or breaks a tie."""
        if pool[0] == "sum":
            kind = signed(*pool[1:])
            key = ("signed", *pool[1:])
            yield Offer(key, kind.radix, kind.need, kind.bits - LATER, kind.bits, pool), kind
            return
        a, b, ties, dummy = pool[1:]
        for h in range(1, a + 1) if dummy else range(2, a + 1, 2):
            kind = leading(a + 2 * ties, h, dummy)
            bits = entropy([b] * h + [(a - h) * b + 2 * ties])
            below = bits + (LEAD if h >= a - 1 else -LATER)
            yield Offer(("lead", *pool[1:], h), kind.radix, kind.need, below, bits, pool), kind
        if min(a, b) > FEW:
            bits = entropy(again_odds(a, b, ties)) + AGAIN
            yield Offer(("again", *pool[1:]), 0, 1, 0.0, bits, pool), None

    def gather(self, offer: Offer, js: list[int], unit: int) -> Placed:
        """Place the sum of some positions."""
        g = len(js)
        return Placed(-g, g, 0, None, [Shown(1, 0, unit, js, self._pose(js))], (offer.key, js))

    def place(self, offer: Offer, kind: Coin | None, unit: int, last: bool) -> Placed:
        """Make a coin of the next sum of its kind."""
        if offer.key[0] == "again":
            return self.gather(offer, self._ties[offer.pool[1:]].pop(), unit)
        assert kind is not None
        if offer.key[0] == "signed":
            js = self._sums[offer.pool[1:]].pop()
            labels = self._pose(js)
            shown = [
                Shown(r.sign, 0, r.stop * unit, (js[r.slot],), (labels[r.slot],)) for r in kind.runs
            ]
        else:
            js = self._ties[offer.pool[1:]].pop()
            first, order = js[0], self._order[js[0]]
            self._board.show(first, self._wrong[first] if offer.pool[-1] else order[0])
            shown = [
                Shown(r.sign, r.start * unit, r.stop * unit, (first,), (order[r.slot],))
                for r in kind.runs
            ]
        high = kind.low + kind.radix - 1
        return Placed(kind.low, high, 0 if last else kind.radix, kind.table, shown, (offer.key, js))

    def _pose(self, js: list[int]) -> list[int]:
        """Let positions show their second labels; return the first."""
        for j in js:
            self._board.show(j, self._order[j][1])
        return [self._order[j][0] for j in js]

    # -- what the values tell

    def add_sum(self, js: list[int], value: int, c: int) -> None:
        """Keep a sum that one coin will resolve."""
        self._sums.setdefault((len(js), value, c), []).append(js)

    def add_tie(self, js: list[int], ties: int) -> None:
        """Keep two positions that are tied so often, the labels in question last."""
        # The one that is asked first should be the one with a wrong label and fewer candidates.
        js = sorted(js, key=lambda j: (j not in self._wrong, len(self._order[j])))
        a, b = (len(self._order[j]) - 2 * ties for j in js)
        self._ties.setdefault((a, b, ties, js[0] in self._wrong), []).append(js)
