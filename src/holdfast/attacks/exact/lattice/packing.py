"""Packing: which coins go to which node of a round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Offer", "Packer", "harvest", "nodes_by_size", "rows_to_finish"]

Pool = tuple[Any, ...]

LITTLE = 0.01
"""Value of a coin whose positions cost more than it yields: still better than an empty node."""


class Offer(NamedTuple):
    """A kind of coin on offer: `amount` items of a pool make one."""

    key: tuple[Any, ...]
    radix: int
    """0: only as a node's last coin."""
    need: int
    below: float
    """Value, in bits, below another coin."""
    last: float
    """Value as a node's last coin, whose range is unlimited."""
    pool: Pool
    amount: int = 1


@njit(cache=True)
def _best_first(
    radix: NDArray[np.int64],
    need: NDArray[np.int64],
    below: NDArray[np.float64],
    last: NDArray[np.float64],
    rooms: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the best value of every room, its first coin (-1: none), and if that is its last.

    `rooms` ascend and contain every whole quotient of each of them.
    """
    size = rooms[-1] + 1
    value = np.zeros(size)
    pick = np.full(size, -1)
    final = np.ones(size, np.bool_)
    for room in rooms:
        for i in range(radix.size):
            if need[i] > room:
                continue
            if last[i] > value[room]:
                value[room], pick[room], final[room] = last[i], i, True
            if 0 < radix[i] <= room:
                both = below[i] + value[room // radix[i]]
                if both > value[room] + 1e-12:
                    value[room], pick[room], final[room] = both, i, False
    return value, pick, final


def _priced(offer: Offer, price: float) -> Offer:
    """Charge for the positions that share a coin; those a model names labels of are plenty."""
    if offer.amount == 1 or offer.pool[0] == "sure":
        return offer
    return offer._replace(last=max(LITTLE, offer.last - price * (offer.amount - 1)))


class Packer:
    """Fills nodes with the coins on offer, most bits first.

    A node of s bits has room for 2^(s-1) units. A coin takes `need` of them and multiplies the
    unit by its radix, so the best filling is a recursion over the room left:
    floor(floor(room / a) / b) = floor(room / ab).

    Positions run out before nodes do: `price` is what every position that shares a coin costs.
    """

    def __init__(
        self, offers: Sequence[Offer], stock: Mapping[Pool, int], rows: int, price: float = 0.0
    ) -> None:
        self.offers = [_priced(o, price) for o in offers] if price else offers
        offers = self.offers
        self.stock = dict(stock)
        # Rooms are powers of two, so what is left of them is a whole quotient of the largest.
        largest = 1 << max(0, rows.bit_length() - 1)
        self._rooms = np.unique(largest // np.arange(1, largest + 1))
        self._amounts: dict[Pool, set[int]] = {}
        for o in offers:
            self._amounts.setdefault(o.pool, set()).add(o.amount)
        place = {pool: i for i, pool in enumerate(self._amounts)}
        self._pool = np.array([place[o.pool] for o in offers], np.int64)
        self._radix, self._need, self._amount = (
            np.array([getattr(o, name) for o in offers], np.int64)
            for name in ("radix", "need", "amount")
        )
        self._below, self._last = (
            np.array([getattr(o, name) for o in offers], np.float64) for name in ("below", "last")
        )
        self._refresh()

    def _refresh(self) -> None:
        """Note which offers can still be made."""
        stock = np.array([self.stock.get(pool, 0) for pool in self._amounts], np.int64)
        self._live = np.flatnonzero(stock[self._pool] >= self._amount)
        self._value, pick, self._final = _best_first(
            self._radix[self._live],
            self._need[self._live],
            self._below[self._live],
            self._last[self._live],
            self._rooms,
        )
        self._pick = np.where(pick >= 0, self._live[pick], -1) if self._live.size else pick

    def _choose(self, room: int, stock: Mapping[Pool, int]) -> tuple[int, bool]:
        """First coin of a room (-1: none) and whether it is its last, with so much in stock."""
        value, pick, last = 0.0, -1, True
        for i in self._live.tolist():
            o = self.offers[i]
            if o.need > room or stock[o.pool] < o.amount:
                continue
            if o.last > value:
                value, pick, last = o.last, i, True
            if 0 < o.radix <= room:
                both = o.below + float(self._value[room // o.radix])
                if both > value + 1e-12:
                    value, pick, last = both, i, False
        return pick, last

    def _filling(self, room: int, stock: dict[Pool, int] | None) -> list[int]:
        out: list[int] = []
        while room:
            if stock is None:
                pick, last = int(self._pick[room]), bool(self._final[room])
            else:
                pick, last = self._choose(room, stock)
            if pick < 0:
                break
            out.append(pick)
            offer = self.offers[pick]
            if stock is not None:
                stock[offer.pool] -= offer.amount
            if last:
                break
            room //= offer.radix
        return out

    def _use(self, filling: list[int]) -> dict[Pool, int]:
        use: dict[Pool, int] = {}
        for i in filling:
            o = self.offers[i]
            use[o.pool] = use.get(o.pool, 0) + o.amount
        return use

    def take(self, room: int, nodes: int) -> tuple[int, list[int]]:
        """Fill up to `nodes` nodes alike; return how many, and their coins, lowest unit first."""
        filling = self._filling(room, None)
        if not filling:
            return nodes, filling
        use = self._use(filling)
        times = min(nodes, *(self.stock[pool] // u for pool, u in use.items()))
        if times == 0:  # the last items of a pool
            filling = self._filling(room, dict(self.stock))
            use, times = self._use(filling), 1
        stale = False
        for pool, u in use.items():
            before = self.stock[pool]
            self.stock[pool] = after = before - times * u
            stale = stale or any(after < amount <= before for amount in self._amounts[pool])
        if stale:
            self._refresh()
        return times, filling


def counts_by_size(rows: int) -> list[tuple[int, int]]:
    """How many of the nodes 1 .. rows-1 have how many bits, most bits first.

    >>> counts_by_size(6)
    [(2, 2), (1, 3)]
    """
    total: dict[int, int] = {}
    ones = 0
    for bit in range(rows.bit_length() - 1, -1, -1):
        if rows >> bit & 1:
            for j in range(bit + 1):
                total[j + ones] = total.get(j + ones, 0) + comb(bit, j)
            ones += 1
    total.pop(0, None)
    return sorted(total.items(), reverse=True)


def nodes_by_size(rows: int) -> list[tuple[int, list[int]]]:
    """Return the nodes 1 .. rows-1 by number of bits, most bits first."""
    sizes: dict[int, list[int]] = {}
    for c in range(1, rows):
        sizes.setdefault(c.bit_count(), []).append(c)
    return sorted(sizes.items(), reverse=True)


def _fill(packer: Packer, rows: int) -> Iterator[tuple[int, list[int]]]:
    """Fill a round of that many rows, as far as the stock goes."""
    for size, count in counts_by_size(rows):
        left = count
        while left:
            times, filling = packer.take(1 << (size - 1), left)
            if not filling:
                break
            left -= times
            yield times, filling


class Harvest(NamedTuple):
    """What a round yields: bits, the stock that is left, and coins by offer."""

    bits: float
    stock: dict[Pool, int]
    made: dict[int, int]


def harvest(
    offers: Sequence[Offer], stock: Mapping[Pool, int], rows: int, price: float = 0.0
) -> Harvest:
    """Fill a round of that many rows without placing anything."""
    packer = Packer(offers, stock, rows, price)
    bits, made = 0.0, dict.fromkeys(range(len(offers)), 0)
    for times, filling in _fill(packer, rows):
        for i in filling:
            bits += times * offers[i].last
            made[i] += times
    return Harvest(bits, packer.stock, made)


def rows_to_finish(offers: Sequence[Offer], stock: Mapping[Pool, int], most: int) -> int:
    """Smallest number of rows, to half a percent, into which all items fit; `most` or more: most.

    The offers must include one that takes single items of every pool.
    """

    def fits(rows: int) -> bool:
        packer = Packer(offers, stock, rows)
        for _ in _fill(packer, rows):
            pass
        return not any(packer.stock.values())

    low, high = 1, 2
    while not fits(high):
        low, high = high, 2 * high
        if low >= most:
            return most
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return min(high, most)
