"""Rounds over positions with few candidates: every step follows from the answers alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, log2
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlog1py, xlogy

from holdfast.attacks.exact.lattice.board import Asking, Board, ask_round
from holdfast.attacks.exact.lattice.coins import (
    Coin,
    new_single,
    open_part,
    open_single,
    signed,
)
from holdfast.attacks.exact.lattice.crowds import Crowds
from holdfast.attacks.exact.lattice.layout import Placed, Round, Shown
from holdfast.attacks.exact.lattice.packing import (
    Harvest,
    Offer,
    Packer,
    Pool,
    harvest,
    nodes_by_size,
    rows_to_finish,
)
from holdfast.attacks.exact.lattice.pairs import FEW, Pairs, leading
from holdfast.attacks.exact.lattice.sizes import (
    expected_looks,
    few_rows,
    looks_for,
    looks_left,
    sizes,
)
from holdfast.attacks.exact.lattice.trust import MANY, Trust

__all__ = ["Positions", "Waiting"]

PRICES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 10.0)
"""Bits that a position costs which shares a coin; the last one rules groups out."""

FEW_PRICES = (0.0, 0.2, 10.0)
"""The same while there are groups to check, of which there are many kinds of coins."""

LEAST = 0.3
"""Rows of a round that is not the last, at least, as a share of what one round would take."""

NEGLIGIBLE = 0.01
"""Share of the bits that a last round may leave, in rounding."""

PAUSE = 20
"""Looks by which a round is taken to be longer, so that rounds are not many and short."""

OPEN_WORTH = 0.1
"""What a bit left in open positions is worth more than one in new ones: they pack better."""

LATER = 0.1
"""What a coin loses when it is used below another: the last place suits all."""


Menu = list[tuple[Offer, Coin | None]]


class Waiting(NamedTuple):
    """A position to be brought in; doubt 1: no label of it is trusted."""

    position: int
    likely: int = 0
    unlikely: int = 0
    doubt: float = 1.0


class Positions:
    """Positions in play.

    `new`: nothing is known. `open`: some labels are known to be wrong, so one of them can be
    shown without a match. `crowds`: of some open positions, how many have their last candidate.
    `pairs`: of a few positions, how many more have their first label than their second. `trust`:
    a model names a label.

    Parameters
    ----------
    board
        What is known.
    certain
        Whether what is found here follows from answers alone, or also from what was presumed.
    """

    def __init__(self, board: Board, *, certain: bool) -> None:
        self._board = board
        self._certain = certain
        self._m = board.n_classes
        self._order: dict[int, list[int]] = {}
        self._wrong: dict[int, int] = {}
        self._new: list[int] = []
        self._open: dict[int, list[int]] = {}
        self._crowds = Crowds(board, self._order, self._wrong)
        self._pairs = Pairs(board, self._order, self._wrong)
        self._trust = Trust(board)
        self._from_model = False
        self.rejected: list[int] = []
        self.left = 0

    # -- what is in play

    def admit_trusted(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels, after a model."""
        self.left += 1
        self._from_model = True
        self._trust.admit(j, likely, unlikely, doubt)
        self._order[j] = self._trust.order(j, list(range(self._m)))

    def admit(self, positions: Iterable[int]) -> None:
        """Bring positions of which nothing is known into play."""
        for j in positions:
            self.left += 1
            if self._m == 2:
                self.admit_open(j, [0, 1], 0, counted=True)
            else:
                self._order[j] = list(range(self._m))
                self._new.append(j)

    def admit_open(self, j: int, candidates: list[int], wrong: int, counted: bool = False) -> None:
        """Bring in a position with candidates and a label known to be wrong (m = 2: label 0)."""
        self.left += 0 if counted else 1
        self._order[j] = candidates
        self._wrong[j] = wrong
        if len(candidates) == 1:
            self._settle(j, candidates[0])
        else:
            self._open.setdefault(len(candidates), []).append(j)
            self._board.guess[j] = candidates[0]

    def unsettled(self) -> list[int]:
        """Return the positions still in play."""
        return sorted(self._order)

    def _stock(self) -> dict[Pool, int]:
        stock: dict[Pool, int] = {("new",): len(self._new)}
        stock.update({("open", c): len(js) for c, js in self._open.items()})
        stock.update(self._crowds.stock())
        stock.update(self._pairs.stock())
        stock.update(self._trust.stock())
        return {pool: count for pool, count in stock.items() if count}

    def _bits(self) -> float:
        m = self._m
        bits = len(self._new) * log2(m) + sum(log2(c) * len(js) for c, js in self._open.items())
        return bits + self._pairs.bits() + self._crowds.bits() + self._trust.bits()

    # -- which coins

    def _offers(self, stock: dict[Pool, int], last_round: bool) -> list[tuple[Offer, Coin | None]]:
        out: list[tuple[Offer, Coin | None]] = []
        m = self._m

        def coin(key: tuple[Any, ...], kind: Coin, pool: Pool, more: float = 0.0) -> None:
            value = kind.bits + more
            offer = Offer(key, kind.radix, kind.need, value - LATER, value, pool)
            out.append((offer, kind))

        for pool in stock:
            if pool[0] == "new":
                widest = m - m % 2
                for h in (widest,) if last_round else range(2, widest + 1, 2):
                    left = (1 - h / m) * log2(max(1, m - h))
                    coin(("new", h), new_single(h, m), pool, more=OPEN_WORTH * left)
                if not last_round:
                    out += [(offer, None) for offer in self._pairs.gather_offers(pool, m)]
            elif pool[0] == "open":
                c = pool[1]
                coin(("open", c), open_single(c), pool)
                if not last_round:
                    for h in range(1, c - 1):
                        coin(("part", c, h), open_part(c, h), pool)
                    out += [(offer, None) for offer in self._crowds.gather_offers(pool)]
                    if c > 2:
                        out += [(offer, None) for offer in self._pairs.gather_offers(pool, c)]
            elif pool[0] == "block":
                out += self._crowds.offers(pool)
            elif pool[0] in ("sum", "tie"):
                out += self._pairs.offers(pool)
        return out + self._trust.offers(stock, last_round)

    def _plan(self, limit: int) -> Round | None:
        """Choose the number of rows, at most `limit`, and place the coins."""
        stock = self._stock()
        bits = self._bits()
        guess = looks_for(bits, self._m)
        menu = self._offers(stock, last_round=True)
        last = [o for o, _ in menu]
        finish = rows = rows_to_finish(last, stock, limit)
        wide = self._offers(stock, last_round=False)
        offers = [o for o, _ in wide]
        # Groups take many positions for their bits: the dearer they are, the larger a round can be.
        prices = FEW_PRICES if self._trust.stock() else PRICES
        if 2 * self._trust.bits() > bits:
            return self._place_all(wide, stock, *self._fullest(offers, stock, finish, guess))
        # A round costs its rows, and what it leaves; the last one, too, may leave something.
        best = rows + self._to_go(bits, last, harvest(last, stock, rows), limit)
        paid = 0.0
        for price in prices:
            for size in sizes(LEAST * guess, min(finish, int(guess) + 2)):
                crop = harvest(offers, stock, size, price)
                cost = size + self._to_go(bits, offers, crop, limit)
                if crop.bits > 0.0 and cost < best:
                    best, menu, rows, paid = cost, wide, size, price
        return self._place_all(menu, stock, rows, paid)

    def _fullest(
        self, offers: list[Offer], stock: dict[Pool, int], finish: int, guess: float
    ) -> tuple[int, float]:
        """Choose the round that yields most bits a look, while there are groups to check.

        What a check finds is still to be asked, so no round is the last, and how long it takes
        depends on how many groups are under way. At first there are none: lower coins would be
        wasted on single positions, and a few rows are enough to begin with.
        """
        if all(pool[0] == "sure" for pool in stock):
            return min(max(2, finish - 1), few_rows(guess)), 0.0
        most, rows, paid = 0.0, finish, 0.0
        for price in FEW_PRICES:
            for size in sizes(8, min(finish, 2 * int(guess) + 2)):
                rate = harvest(offers, stock, size, price).bits / (size + PAUSE)
                if rate > most:
                    most, rows, paid = rate, size, price
        return rows, paid

    def _to_go(self, bits: float, offers: list[Offer], crop: Harvest, limit: int) -> float:
        """Return the looks that a round leaves to be asked, roughly."""
        if self._m > 2:
            left = bits - crop.bits
            return looks_left(left, self._from_model) if left > NEGLIGIBLE * bits else 0.0
        # Two classes: all that a round leaves fits into one more, and coins are few in kind.
        after = {pool: count for pool, count in crop.stock.items() if count}
        for i, count in crop.made.items():
            if offers[i].key[0] == "some" and count > 1:
                g = offers[i].amount
                for w in range(1, g):
                    pool = ("block", g, w)
                    after[pool] = after.get(pool, 0) + round(count * comb(g, w) / 2**g)
        if not after:
            return 0.0
        return rows_to_finish([o for o, _ in self._offers(after, last_round=True)], after, limit)

    def _place_all(
        self, menu: Menu, stock: dict[Pool, int], rows: int, price: float = 0.0
    ) -> Round | None:
        packer = Packer([o for o, _ in menu], stock, rows, price)
        rnd = Round(rows, halved=self._m == 2)
        empty = True
        for size, nodes in nodes_by_size(rows):
            done = 0
            while done < len(nodes):
                times, filling = packer.take(1 << (size - 1), len(nodes) - done)
                if not filling:
                    break
                empty = False
                for node in nodes[done : done + times]:
                    unit = 1
                    for place, i in enumerate(filling, 1):
                        offer, kind = menu[i]
                        rnd.add(node, self._place(offer, kind, unit, place == len(filling)))
                        unit *= offer.radix
                done += times
        return None if empty else rnd

    def _place(self, offer: Offer, kind: Coin | None, unit: int, last: bool) -> Placed:
        key = offer.key
        if key[0] in ("check", "split", "search"):
            return self._trust.place(offer, unit, last)
        if key[0] in ("block", "cut"):
            return self._crowds.place(offer, kind, unit, last)
        if key[0] in ("signed", "lead", "again"):
            return self._pairs.place(offer, kind, unit, last)
        if key[0] in ("new", "open", "part"):
            if offer.pool[0] == "sure":
                j = self._trust.pop(offer.pool)
            else:
                j = (self._new if key[0] == "new" else self._open[key[1]]).pop()
            order = self._order[j]
            self._board.show(j, order[0] if key[0] == "new" else self._wrong[j])
            assert kind is not None
            shown = [
                Shown(r.sign, r.start * unit, r.stop * unit, (j,), (order[r.slot],))
                for r in kind.runs
            ]
            return _placed(kind, shown, last, (key, [j]))
        pool = self._new if offer.pool[0] == "new" else self._open[offer.pool[1]]
        js = [pool.pop() for _ in range(offer.amount)]
        if key[0] == "sum":
            return self._pairs.gather(offer, js, unit)
        whole = Shown(1, 0, unit, js, self._crowds.pose(js))
        return Placed(0, len(js), 0, None, [whole], (key, js))

    # -- what the values tell

    def play(self, spare: int = 0, waiting: Sequence[Waiting] = ()) -> Asking[None]:
        """Ask until all positions are known, or only `spare` looks are left.

        Positions that wait are brought in as far as the looks left will resolve them.
        """
        queue = list(waiting)
        while self.left or queue:
            limit = self._board.looks - spare
            count = self._affordable(limit, queue)
            for item in queue[:count]:
                self._bring_in(item)
            del queue[:count]
            rnd = self._plan(limit) if limit >= 2 else None
            if rnd is None:
                return
            values = yield from ask_round(self._board, rnd)
            for (key, js), value in zip(rnd.tags, values.tolist(), strict=True):
                self._learn(key, js, value)

    def _bring_in(self, item: Waiting) -> None:
        if item.doubt < 1.0:
            self.admit_trusted(item.position, item.likely, item.unlikely, item.doubt)
        else:
            self.admit([item.position])

    def _affordable(self, looks: int, queue: list[Waiting]) -> int:
        """Return how many positions the looks left will resolve along with those in play."""
        if not queue:
            return 0
        m = self._m
        doubts = np.array([item.doubt for item in queue])
        each = -xlogy(doubts, doubts) - xlog1py(1 - doubts, -doubts)
        each = each / np.log(2) + doubts * log2(max(1, m - 2))
        each[doubts >= 1.0] = log2(m)
        total = np.cumsum(each) + self._bits()
        low, high = 0 if self.left else 1, len(queue)
        while low < high:
            middle = (low + high + 1) // 2
            if expected_looks(float(total[middle - 1]), m) <= looks:
                low = middle
            else:
                high = middle - 1
        return low

    def _learn(self, key: tuple[Any, ...], js: list[int], value: int) -> None:
        m = self._m
        if key[0] in ("new", "open", "part"):
            slot = _outcome(_single(key, m), value)[0]
            order = self._order[js[0]]
            if slot >= 0:
                self._settle(js[0], order[slot])
            else:
                self._exclude(js[0], order[: key[-1]])
        elif key[0] in ("check", "split", "search"):
            for j, short in self._trust.learn(key, js, value):
                self._checked(j, short)
        elif key[0] in ("some", "block", "cut"):
            for j, hit in self._crowds.learn(key, js, value):
                self._hit(j, hit)
        elif key[0] == "sum":
            self._summed(js, value, key[2])
        elif key[0] == "again":
            self._summed(js, value, m, ties=key[3])
        elif key[0] == "signed":
            self._signs(js, _outcome(signed(*key[1:]), value))
        else:
            self._led(key, js, value)

    def _settle(self, j: int, label: int) -> None:
        self._board.settle(j, label, self._certain)
        del self._order[j]
        self._wrong.pop(j, None)
        self.left -= 1

    def _checked(self, j: int, short: int) -> None:
        """Take what a check told of a position: its likely label, its unlikely one, neither."""
        order = self._order[j]
        if short == 0:
            self._settle(j, order[0])
        elif short == 2 or self._m == 2:
            self._settle(j, order[-1])
        elif self._m > MANY and len(self._trust.others(j)) > 1:
            self.rejected.append(j)
            del self._order[j]
            self.left -= 1
        else:
            left = self._trust.others(j)
            self._exclude(j, [label for label in order if label not in left])

    def _exclude(self, j: int, labels: list[int]) -> None:
        """Labels found to be wrong."""
        self.admit_open(
            j, [label for label in self._order[j] if label not in labels], labels[0], counted=True
        )

    def _hit(self, j: int, hit: int) -> None:
        if hit:
            self._settle(j, self._order[j][-1])
        else:
            self._exclude(j, self._order[j][-1:])

    def _signs(self, js: list[int], signs: Iterable[int]) -> None:
        for j, sign in zip(js, signs, strict=True):
            if sign:
                self._settle(j, self._order[j][0 if sign > 0 else 1])
            else:
                self._exclude(j, self._order[j][:2])

    def _summed(self, js: list[int], value: int, c: int, ties: int = 0) -> None:
        """Take the sum of positions, first label against second, that were tied before or not."""
        if abs(value) == len(js):
            self._signs(js, [value // len(js)] * len(js))
        elif c <= FEW:
            self._pairs.add_sum(js, value, c)
        elif value:
            # One has the label of that sign. Then neither has the other, and no tied label.
            for j in js:
                a, b, *rest = self._order[j]
                hit, miss = (a, b) if value > 0 else (b, a)
                free = rest[: len(rest) - 2 * ties]
                self._order[j], self._wrong[j] = [*free, hit], miss
            self._crowds.add(js, 1)
        else:
            for j in js:
                a, b, *rest = self._order[j]
                self._order[j] = [*rest, a, b]
                self._board.guess[j] = rest[0]
            self._pairs.add_tie(js, ties + 1)

    def _led(self, key: tuple[Any, ...], js: list[int], value: int) -> None:
        """Take what was asked of the first position of a tie."""
        _, a, _, ties, dummy, h = key
        first, second = js
        order = self._order[first]
        slot = _outcome(leading(a + 2 * ties, h, dummy), value)[0]
        if slot >= 0:
            self._settle(first, order[slot])
            self._exclude(second, self._order[second][-2 * ties :])
        elif h < a:
            self._order[first], self._wrong[first] = order[h:], order[0]
            self._pairs.add_tie(js, ties)
        elif ties > 1:
            for j in js:
                self._exclude(j, self._order[j][: -2 * ties])
        else:
            # One has its first tied label, the other its second.
            for j in js:
                *rest, one, other = self._order[j]
                self._order[j], self._wrong[j] = [other, one], rest[0]
            self._crowds.add(js, 1)


def _placed(kind: Coin, shown: list[Shown], last: bool, tag: Any) -> Placed:
    high = kind.low + kind.radix - 1
    return Placed(kind.low, high, 0 if last else kind.radix, kind.table, shown, tag)


def _single(key: tuple[Any, ...], m: int) -> Coin:
    if key[0] == "new":
        return new_single(key[1], m)
    return open_single(key[1]) if key[0] == "open" else open_part(key[1], key[2])


def _outcome(kind: Coin, value: int) -> tuple[int, ...]:
    outcome = kind.outcomes[value - kind.low]
    assert outcome is not None  # read_nodes refuses impossible values
    return outcome
