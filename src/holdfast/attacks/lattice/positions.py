"""Rounds over positions with few candidates: every step follows from the answers alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, log2
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlog1py, xlogy

from holdfast.attacks.lattice.board import Asking, Board, ask_round
from holdfast.attacks.lattice.coins import (
    Coin,
    entropy,
    located,
    new_single,
    open_part,
    open_single,
    signed,
)
from holdfast.attacks.lattice.layout import Placed, Round, Shown
from holdfast.attacks.lattice.packing import (
    Harvest,
    Offer,
    Packer,
    Pool,
    harvest,
    nodes_by_size,
    rows_to_finish,
)
from holdfast.attacks.lattice.trust import MANY, Trust

__all__ = ["Positions", "Waiting", "expected_looks", "looks_for"]

# Looks for b bits, roughly: K rows yield K (log2(K)/2 + OVERHEAD) bits. Used to compare sizes of
# the next round, where an error matters little.
OVERHEAD, FEW_CLASSES = 0.0, -0.2

# Below this, a signed pair that shows no surplus is resolved at once; above, it is most likely
# that neither has one of the two labels, and both go on as if new with those two labels last.
RESOLVE_PAIRS = 4


FIRST_ROUND, FIRST_ROWS = 0.055, 16
"""Rows of a first round in which groups are only checked: a share of all looks, and a few."""

PAUSE = 20
"""Looks by which a round is taken to be longer, so that rounds are not many and short."""

OPEN_WORTH = 0.1
"""What a bit left in open positions is worth more than one in new ones: they pack better."""

LATER = 0.1
"""What a coin loses when it is used below another: the last place suits all."""


Menu = list[tuple[Offer, Coin | None]]


def _pair_left(m: int) -> float:
    if m <= RESOLVE_PAIRS:
        return 0.0
    return 4 / m * (1 - 2 / m) * (1 + log2(m - 2))


def looks_for(bits: float, m: int) -> float:
    """Return the looks that so many bits take, roughly.

    >>> round(looks_for(10000.0, 10))
    1844
    """
    overhead = FEW_CLASSES if m <= RESOLVE_PAIRS else OVERHEAD
    k = 2.0
    for _ in range(40):
        k = bits / max(0.8, 0.5 * log2(max(k, 2.0)) + overhead)
    return k


# Looks taken, relative to `looks_for`, by number of classes; measured.
SLOWDOWN = {2: 1.06, 3: 1.02, 4: 1.1, 5: 1.22, 7: 1.27, 10: 1.34, 13: 1.43, 16: 1.55}


def expected_looks(bits: float, m: int) -> float:
    """Return the looks that so many bits take with m classes, on average."""
    classes = sorted(SLOWDOWN)
    slowdown = float(np.interp(m, classes, [SLOWDOWN[c] for c in classes]))
    return slowdown * looks_for(bits, m) + (3.0 * m if m > 3 else 2.0)


def _hits_bits(g: int, p: float) -> float:
    return entropy([comb(g, w) * p**w * (1 - p) ** (g - w) for w in range(g + 1)])


def _pair_bits(m: int) -> float:
    one = [1 / m, 1 - 2 / m, 1 / m]
    return entropy(list(np.convolve(one, one)))


class Waiting(NamedTuple):
    """A position to be brought in; doubt 1: no label of it is trusted."""

    position: int
    likely: int = 0
    unlikely: int = 0
    doubt: float = 1.0


class Positions:
    """Positions in play, in four states.

    `new`: nothing is known. `open`: some labels are known to be wrong, so one of them can be
    shown without a match. `blocks`: of some open positions, how many have their last candidate.
    `pairs`: of two new positions, the surplus of the first label over the second.

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
        self._late: list[int] = []
        self._paired: dict[int, int] = {}
        self._open: dict[int, list[int]] = {}
        self._blocks: dict[tuple[int, int], list[list[int]]] = {}
        self._pairs: dict[int, list[list[int]]] = {}
        self._trust = Trust(board)
        self.rejected: list[int] = []
        self.left = 0

    # -- what is in play

    def admit_trusted(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels, after a model."""
        self.left += 1
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
        stock: dict[Pool, int] = {("new",): len(self._new), ("late",): len(self._late)}
        stock.update({("open", c): len(js) for c, js in self._open.items()})
        stock.update({("block", *key): len(items) for key, items in self._blocks.items()})
        stock.update({("pair", s): len(items) for s, items in self._pairs.items()})
        stock.update(self._trust.stock())
        return {pool: count for pool, count in stock.items() if count}

    def _bits(self) -> float:
        m = self._m
        bits = (len(self._new) + len(self._late)) * log2(m) + sum(
            log2(c) * len(js) for c, js in self._open.items()
        )
        for (g, w), items in self._blocks.items():
            bits += len(items) * log2(comb(g, w))
            bits += sum((g - w) * log2(max(1, len(self._order[js[0]]) - 1)) for js in items)
        for s, items in self._pairs.items():
            bits += len(items) * (signed(2, s, m).bits + log2(max(1, m - 2)))
        return bits + self._trust.bits()

    # -- which coins

    def _offers(self, stock: dict[Pool, int], last_round: bool) -> list[tuple[Offer, Coin | None]]:
        out: list[tuple[Offer, Coin | None]] = []
        m = self._m

        def coin(key: tuple[Any, ...], kind: Coin, pool: Pool, more: float = 0.0) -> None:
            value = kind.bits + more
            offer = Offer(key, kind.radix, kind.need, value - LATER, value, pool)
            out.append((offer, kind))

        for pool in stock:
            if pool[0] in ("new", "late"):
                widest = m - m % 2
                for h in (widest,) if last_round else range(2, widest + 1, 2):
                    left = (1 - h / m) * log2(max(1, m - h))
                    coin(("new", h), new_single(h, m), pool, more=OPEN_WORTH * left)
                if not last_round and pool[0] == "new":
                    value = _pair_bits(m) + OPEN_WORTH * _pair_left(m)
                    out.append((Offer(("two",), 0, 1, 0.0, value, pool, 2), None))
            elif pool[0] == "open":
                c = pool[1]
                coin(("open", c), open_single(c), pool)
                if not last_round:
                    for h in range(1, c - 1):
                        coin(("part", c, h), open_part(c, h), pool)
                    g = 3 if c == 2 else 2
                    bits = _hits_bits(g, 1 / c)
                    out.append((Offer(("some", c, g), 0, 1, 0.0, bits, pool, g), None))
            elif pool[0] == "block":
                coin(pool, located(pool[1], pool[2]), pool)
            elif pool[0] == "pair":
                coin(pool, signed(2, pool[1], m), pool)
        return out + self._trust.offers(stock, last_round)

    def _plan(self, limit: int) -> Round | None:
        """Choose the number of rows, at most `limit`, and place the coins."""
        stock = self._stock()
        menu = self._offers(stock, last_round=True)
        rows = rows_to_finish([o for o, _ in menu], stock, limit)
        bits = self._bits()
        guess = looks_for(bits, self._m)
        wide = self._offers(stock, last_round=False)
        # Groups take many positions for their bits: without them a round can be larger.
        narrow = [(o, kind) for o, kind in wide if o.amount == 1]
        if self._trust.stock():
            return self._place_all(*self._fullest((wide, narrow), stock, rows, guess, menu))
        # The last round costs its rows; any other, its rows and what it leaves.
        best: float = rows
        finish = rows
        for choice in (wide, narrow):
            offers = [o for o, _ in choice]
            for size in _sizes(0.5 * guess, min(finish, int(guess) + 2)):
                crop = harvest(offers, stock, size)
                cost = size + self._to_go(bits, offers, crop, limit)
                if crop.bits > 0.0 and cost < best:
                    best, menu, rows = cost, choice, size
        return self._place_all(menu, stock, rows)

    def _fullest(
        self, choices: Sequence[Menu], stock: dict[Pool, int], finish: int, guess: float, menu: Menu
    ) -> tuple[Menu, dict[Pool, int], int]:
        """Choose the round that yields most bits a look, while there are groups to check.

        What a check finds is still to be asked, so no round is the last, and how long it takes
        depends on how many groups are under way. At first there are none: lower coins would be
        wasted on single positions, and a few rows are enough to begin with.
        """
        most = 0.0
        if all(pool[0] == "sure" for pool in stock):
            first = max(FIRST_ROWS, int(FIRST_ROUND * guess))
            sizes = [min(max(2, finish - 1), first)]
        else:
            sizes = _sizes(8, min(finish, 2 * int(guess) + 2))
        rows = finish
        for choice in choices:
            offers = [o for o, _ in choice]
            for size in sizes:
                rate = harvest(offers, stock, size).bits / (size + PAUSE)
                if rate > most:
                    most, menu, rows = rate, choice, size
        return menu, stock, rows

    def _to_go(self, bits: float, offers: list[Offer], crop: Harvest, limit: int) -> float:
        """Return the looks that a round leaves to be asked, roughly."""
        if self._m > 2:
            return looks_for(bits - crop.bits, self._m)
        # Two classes: all that a round leaves fits into one more, and coins are few in kind.
        after = {pool: count for pool, count in crop.stock.items() if count}
        for i, count in crop.made.items():
            if offers[i].key[0] == "some" and count > 1:
                g = offers[i].amount
                for w in range(1, g):
                    pool = ("block", g, w)
                    after[pool] = after.get(pool, 0) + round(count * comb(g, w) / 2**g)
        last = [o for o, _ in self._offers(after, last_round=True)]
        return rows_to_finish(last, after, limit)

    def _place_all(self, menu: Menu, stock: dict[Pool, int], rows: int) -> Round | None:
        packer = Packer([o for o, _ in menu], stock, rows)
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
        if key[0] in ("new", "open", "part"):
            if offer.pool[0] == "sure":
                j = self._trust.pop(offer.pool)
            else:
                new = self._late if offer.pool[0] == "late" else self._new
                j = (new if key[0] == "new" else self._open[key[1]]).pop()
            order = self._order[j]
            self._board.show(j, order[0] if key[0] == "new" else self._wrong[j])
            assert kind is not None
            shown = [
                Shown(r.sign, r.start * unit, r.stop * unit, (j,), (order[r.slot],))
                for r in kind.runs
            ]
            return _placed(kind, shown, last, (key, [j]))
        if key[0] in ("some", "two"):
            pool = self._open[key[1]] if key[0] == "some" else self._new
            js = [pool.pop() for _ in range(offer.amount)]
            alternatives = self._pose(js, signed=key[0] == "two")
            low = 0 if key[0] == "some" else -2
            whole = Shown(1, 0, unit, js, alternatives)
            return Placed(low, len(js), 0, None, [whole], (key, js))
        items = self._blocks[key[1:]] if key[0] == "block" else self._pairs[key[1]]
        js = items.pop()
        alternatives = self._pose(js, signed=key[0] == "pair")
        assert kind is not None
        shown = [
            Shown(r.sign, 0, r.stop * unit, (js[r.slot],), (alternatives[r.slot],))
            for r in kind.runs
        ]
        return _placed(kind, shown, last, (key, js))

    def _pose(self, js: list[int], signed: bool) -> list[int]:
        """Let positions show their base labels; return the alternatives."""
        for j in js:
            self._board.show(j, self._order[j][1] if signed else self._wrong[j])
        return [self._order[j][0 if signed else -1] for j in js]

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
        elif key[0] == "some":
            if 0 < value < len(js):
                self._blocks.setdefault((len(js), value), []).append(js)
            else:
                self._hits(js, [value // len(js)] * len(js))
        elif key[0] == "block":
            self._hits(js, _outcome(located(key[1], key[2]), value))
        elif key[0] == "two":
            self._surplus(js, value)
        else:
            self._signs(js, _outcome(signed(2, key[1], m), value))

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

    def _hits(self, js: list[int], hits: Iterable[int]) -> None:
        for j, hit in zip(js, hits, strict=True):
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

    def _surplus(self, js: list[int], value: int) -> None:
        """Two new positions, first label against second: what their surplus tells."""
        if abs(value) == 2:
            self._signs(js, [value // 2] * 2)
        elif value and self._m > RESOLVE_PAIRS:
            # One has the label of that sign; then neither has the other.
            for j in js:
                a, b, *rest = self._order[j]
                hit, miss = (a, b) if value > 0 else (b, a)
                self._order[j], self._wrong[j] = [*rest, hit], miss
            self._blocks.setdefault((2, 1), []).append(js)
        elif self._m > RESOLVE_PAIRS:
            for j in js:
                a, b, *rest = self._order[j]
                self._order[j] = [*rest, a, b]
                self._board.guess[j] = rest[0]
                # Two that cancel each other would do so forever.
                self._paired[j] = self._paired.get(j, 0) + 1
                (self._new if self._paired[j] < self._m // 2 else self._late).append(j)
        else:
            self._pairs.setdefault(value, []).append(js)


def _sizes(least: float, finish: int) -> list[int]:
    """Sizes worth trying for a round that is not the last: powers of two, and between them."""
    powers = [2**r for r in range(1, finish.bit_length())]
    sizes = {power * quarter // 4 for power in powers for quarter in (4, 5, 6, 7)}
    return sorted(size for size in sizes if least <= size < finish)


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
