r"""Packing of digit blocks into the nodes of a round: an unbounded knapsack with mixed radices.

A node of s bits has a *capacity* of 2^(s-1) units, its rows of either sign. A block takes `need` of
them and multiplies the unit by its radix, so that what is left for the blocks above it is the
capacity divided by the radix. Hence the best filling is a recursion over the capacity left, because
floor(floor(C / a) / b) = floor(C / ab); it ends with a last block, whose radix does not matter.

Positions run out before nodes do. `price`, a shadow price, is what every position that shares a
block with others is charged.

An example. A node of four bits has capacity 8. A block of radix 3 leaves floor(8/3) = 2 of it, one
of radix 2 above it leaves 1, and there a last block fits that needs one row per unit: three blocks,
in units 1, 3 and 6. Three of radix 2 and a last one fit as well, in units 1, 2, 4 and 8. Which is
better depends on the bits of each, and on how many positions there are of either kind: the packer
takes the best filling, uses it for as many nodes as the stock allows, and solves the recursion
again when a kind runs out. A greedy choice, not the best possible one; but a round has thousands of
nodes of a dozen sizes, and the best one would have to be found again for each length and price.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.exact._subset_lattice import node_sizes
from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.offer import Offer, Stock

__all__ = ["Menu", "Packer", "RoundYield", "nodes_by_size", "round_yield", "rows_to_finish"]

LEAST_GAIN = 1e-12
"""Blocks are only put below others for a gain above rounding errors."""


class Menu:
    """Offers for the items in stock, as arrays.

    Parameters
    ----------
    offers
        The blocks that can be made.
    stock
        The items there are; all that offers take are among them.
    """

    def __init__(self, offers: Sequence[Offer], stock: Stock) -> None:
        self.offers = offers
        self.statuses = list(stock)
        self.counts = list(stock.values())
        place = {status: i for i, status in enumerate(self.statuses)}
        self.status = [place[o.status] for o in offers]
        self.status_array = np.array(self.status, np.int64)
        self.radix, self.need, self.amount = (
            np.array([getattr(o, name) for o in offers], np.int64)
            for name in ("radix", "need", "amount")
        )
        self.below, self.last = (
            np.array([getattr(o, name) for o in offers], np.float64) for name in ("below", "last")
        )
        self.amounts: list[set[int]] = [set() for _ in self.statuses]
        for i, o in zip(self.status, offers, strict=True):
            self.amounts[i].add(o.amount)
        self._shared = (self.amount > 1) & np.array([o.status.scarce for o in offers], np.bool_)

    def priced(self, price: float) -> NDArray[np.float64]:
        """Return the values as a node's last block, less the price of positions that share it.

        Where positions run out before nodes do, a block that takes six of them for 2.33 bits is a
        waste if each could have told a bit in a place of its own. The price is the
        Lagrange multiplier of the positions' number, in bits per position beyond the first. Which
        price is right depends on the stock; `RoundPlanner` tries a few, and keeps the one with the
        fewest looks in all. A wrong price makes a round longer, never a label wrong.

        Parameters
        ----------
        price
            Bits per position that shares a block; 0: positions abound.

        Examples
        --------
        Eight positions of two classes: alone they tell 1 bit, 2, 3, 4 or 6 together 1.5 to 2.33.

        >>> from holdfast.attacks.exact.lattice.few_classes import FewClasses
        >>> from holdfast.attacks.exact.lattice.knowledge import LabelKnowledge
        >>> few = FewClasses(LabelKnowledge(np.zeros(8, np.int64), 2, looks=100), certain=True)
        >>> few.admit(range(8))
        >>> menu = few.planner.menu(few.planner.stock(), last_round=False)
        >>> [(offer.kind, offer.amount) for offer in menu.offers][:2]
        [('narrowed-single', 1), ('group-test', 2)]
        >>> menu.priced(0.0).round(2).tolist()
        [1.0, 1.5, 1.81, 2.03, 2.33]
        >>> menu.priced(0.5).round(2).tolist()
        [1.0, 1.0, 0.81, 0.53, 0.01]

        Four rows have three nodes. Free of charge six positions share a block, two have one each,
        and none is left for later. At half a bit each, four positions are asked alone, for nearly
        as many bits, and four are left.

        >>> [(round(found.bits, 2), found.left) for found in
        ...  (round_yield(menu, 4), round_yield(menu, 4, price=0.5))]
        [(4.33, [0]), (4.0, [4])]
        """
        charged = np.maximum(tuning.SHARED_BLOCK_AT_LEAST, self.last - price * (self.amount - 1))
        return np.where(self._shared, charged, self.last)


@cache
def _capacities(largest: int) -> NDArray[np.int64]:
    """Return the whole quotients of a power of two, which are all that can be left of it."""
    return np.unique(largest // np.arange(1, largest + 1))


@njit(cache=True)
def _best_first(
    radix: NDArray[np.int64],
    need: NDArray[np.int64],
    below: NDArray[np.float64],
    last: NDArray[np.float64],
    capacities: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the best value of every capacity, its first block (-1: none), and if that is its last.

    value(C) is the largest of `last` of any block that C has the rows for, and of `below` of any
    block with radix r <= C plus value(C // r). `capacities` ascend and contain every whole quotient
    of each of them, so all that is needed is there.

    Parameters
    ----------
    radix, need
        By offer: number of values (0: only as a last block), and rows of one sign, in units.
    below, last
        By offer: its bits below another block, and as a last one.
    capacities
        What can be left of a node, ascending.

    Examples
    --------
    Three offers: radix 3 for 1.5 bits, radix 2 for 1 bit, and a last block for 2. Capacity 8 holds
    three of radix 2 below the last block, 1 + 1 + 1 + 2 = 5 bits: better than 1.5 + 1 + 2.

    >>> whole, real = (lambda *x: np.array(x, np.int64)), (lambda *x: np.array(x, np.float64))
    >>> value, pick, final = _best_first(
    ...     whole(3, 2, 0), whole(1, 1, 1), real(1.5, 1, 0), real(1.6, 1, 2), _capacities(8))
    >>> value[[1, 2, 4, 8]].tolist(), pick[[1, 2, 4, 8]].tolist()
    ([2.0, 3.0, 4.0, 5.0], [2, 1, 1, 1])
    """
    size = capacities[-1] + 1
    value = np.zeros(size)
    pick = np.full(size, -1)
    final = np.ones(size, np.bool_)
    for capacity in capacities:
        for i in range(radix.size):
            if need[i] > capacity:
                continue
            if last[i] > value[capacity]:
                value[capacity], pick[capacity], final[capacity] = last[i], i, True
            if 0 < radix[i] <= capacity:
                both = below[i] + value[capacity // radix[i]]
                if both > value[capacity] + LEAST_GAIN:
                    value[capacity], pick[capacity], final[capacity] = both, i, False
    return value, pick, final


class Packer:
    """Fills the nodes of a round with the blocks on offer, most bits first.

    Nodes of one size are filled alike while the stock lasts. When an offer runs out the recursion
    is solved again without it. The last items of a status, too few for a filling, are used one node
    at a time, with what is left for the blocks above them estimated by the same recursion.

    Parameters
    ----------
    menu
        Offers and stock.
    rows
        Length of the round.
    price
        Shadow price of a position that shares a block.
    """

    def __init__(self, menu: Menu, rows: int, price: float = 0.0) -> None:
        self._menu = menu
        self._last = menu.priced(price) if price else menu.last
        self._last_values = self._last.tolist()
        self.counts = list(menu.counts)
        self._capacities = _capacities(1 << max(0, rows.bit_length() - 1))
        self._refresh()

    def _refresh(self) -> None:
        """Solve the recursion for the offers that can still be made."""
        menu = self._menu
        self._live = np.flatnonzero(np.array(self.counts)[menu.status_array] >= menu.amount)
        self._value, pick, self._final = _best_first(
            menu.radix[self._live],
            menu.need[self._live],
            menu.below[self._live],
            self._last[self._live],
            self._capacities,
        )
        self._pick = np.where(pick >= 0, self._live[pick], -1) if self._live.size else pick

    def _choose(self, capacity: int, counts: Sequence[int]) -> tuple[int, bool]:
        """Return the first block (-1: none) and whether it is the last, with so much in stock.

        For the last items of a status, where the recursion's filling asks for more than there are.
        One step of the same recursion, over offers that can still be made; what follows above is
        valued as if the stock were unlimited.
        """
        value, pick, last = 0.0, -1, True
        menu = self._menu
        for i in self._live.tolist():
            o = menu.offers[i]
            if o.need > capacity or counts[menu.status[i]] < o.amount:
                continue
            if self._last_values[i] > value:
                value, pick, last = self._last_values[i], i, True
            if 0 < o.radix <= capacity:
                both = o.below + float(self._value[capacity // o.radix])
                if both > value + LEAST_GAIN:
                    value, pick, last = both, i, False
        return pick, last

    def _filling(self, capacity: int, counts: list[int] | None) -> list[int]:
        """Return the blocks of a node, lowest unit first; with `counts`, from these items."""
        out: list[int] = []
        menu = self._menu
        while capacity:
            if counts is None:
                pick, last = int(self._pick[capacity]), bool(self._final[capacity])
            else:
                pick, last = self._choose(capacity, counts)
            if pick < 0:
                break
            out.append(pick)
            offer = menu.offers[pick]
            if counts is not None:
                counts[menu.status[pick]] -= offer.amount
            if last:
                break
            capacity //= offer.radix
        return out

    def _use(self, filling: list[int]) -> dict[int, int]:
        use: dict[int, int] = {}
        for i in filling:
            status = self._menu.status[i]
            use[status] = use.get(status, 0) + self._menu.offers[i].amount
        return use

    def take(self, capacity: int, nodes: int) -> tuple[int, list[int]]:
        """Fill up to `nodes` nodes alike; return how many, and their blocks, lowest unit first.

        Without blocks, nothing that is left fits into nodes of this capacity.
        """
        filling = self._filling(capacity, None)
        if not filling:
            return nodes, filling
        use = self._use(filling)
        times = min(nodes, *(self.counts[status] // u for status, u in use.items()))
        if times == 0:
            filling = self._filling(capacity, list(self.counts))
            use, times = self._use(filling), 1
        stale = False
        for status, u in use.items():
            before = self.counts[status]
            self.counts[status] = after = before - times * u
            stale = stale or any(after < amount <= before for amount in self._menu.amounts[status])
        if stale:
            self._refresh()
        return times, filling


def nodes_by_size(rows: int) -> list[tuple[int, list[int]]]:
    """Return the nodes 1 .. rows-1 by number of bits, most bits first.

    >>> nodes_by_size(6)
    [(2, [3, 5]), (1, [1, 2, 4])]
    """
    sizes: dict[int, list[int]] = {}
    for c in range(1, rows):
        sizes.setdefault(c.bit_count(), []).append(c)
    return sorted(sizes.items(), reverse=True)


def _fill(packer: Packer, rows: int) -> Iterator[tuple[int, list[int]]]:
    """Fill a round of that many rows, as far as the stock goes."""
    for size, count in sorted(node_sizes(rows).items(), reverse=True):
        left = count
        while left:
            times, filling = packer.take(1 << (size - 1), left)
            if not filling:
                break
            left -= times
            yield times, filling


class RoundYield(NamedTuple):
    """What a round yields: bits, items left by status of the menu, and blocks by offer.

    Enough to judge a round by, without choosing a single position: rounds of many lengths and
    prices are compared this way before one is placed.
    """

    bits: float
    left: list[int]
    made: list[int]


def round_yield(menu: Menu, rows: int, price: float = 0.0) -> RoundYield:
    """Fill a round of that many rows without placing anything."""
    packer = Packer(menu, rows, price)
    bits, made = 0.0, [0] * len(menu.offers)
    for times, filling in _fill(packer, rows):
        for i in filling:
            bits += times * menu.offers[i].last
            made[i] += times
    return RoundYield(bits, packer.counts, made)


def rows_to_finish(menu: Menu, most: int) -> int:
    """Return the fewest rows, to a percent, into which all items fit; `most` or more: most.

    The offers must include one that takes single items in every status. Doubles the number of rows
    until all fit, then bisects: more rows never hold less.

    Eight positions of two classes fit into seven rows: nodes 3, 5 and 6 have two bits and hold two
    positions each, nodes 1, 2 and 4 one.
    """

    def fits(rows: int) -> bool:
        packer = Packer(menu, rows)
        for _ in _fill(packer, rows):
            pass
        return not any(packer.counts)

    # Not `bounds.bisection`: that searches to the last row, and every trial packs all items. A
    # percent is enough of an estimate.
    low, high = 1, 2
    while not fits(high):
        low, high = high, 2 * high
        if low >= most:
            return most
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return min(high, most)
