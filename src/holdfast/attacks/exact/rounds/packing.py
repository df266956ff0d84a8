r"""Packing of a round: a linear programme over the fillings of nodes, with a knapsack for pricing.

A node of s bits has a *capacity* of C = 2^(s-1) rows of either sign. A block takes `need` of them
in units, and multiplies the unit by its radix: floor(C / radix) is left for the blocks above it,
because floor(floor(C / a) / b) = floor(C / ab). With prices y of variables by kind, the filling
that is worth most is

    best(C) = max over offers with need <= C of  bits - amount y + best(floor(C / radix)),

an unbounded knapsack, solved for all node sizes at once.

The programme: x_p nodes are filled like p, at most as many as there are nodes of p's size, and no
kind is used more often than there are variables of it. Most bits are wanted. It is solved by the
simplex method, from the empty round on: the column that enters is the filling that the knapsack
finds at the prices of the basis. With prices y >= 0, sum y_k stock_k + sum nodes_s best(2^(s-1)) is
an upper bound of the bits, so one knows when to stop. Whole nodes are taken from the solution;
those that rounding leaves are filled one after the other, large ones first, with what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.exact.rounds.offers import Offer
from holdfast.attacks.exact.rounds.variables import Kind
from holdfast.attacks.exact.subset_lattice import node_sizes

__all__ = ["Filling", "Packing", "nodes_by_size"]

LEAST_GAIN = 1e-9
"""Bits above rounding errors."""

NEAR_ENOUGH = 1.002
"""The upper bound, relative to the bits found, at which a solution is good enough."""

MOST_PIVOTS = 600
"""Steps of the simplex method, at most: every basis is a round, only not the best one."""

PIVOT_AT_LEAST = 1e-7
"""What a variable must lose, per node that enters, to count as limiting it."""

LATER_NEED_COST = 0.1
"""Bits that a group costs for each doubling of the rows it needs: later nodes have little room."""

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


class Filling(NamedTuple):
    """Blocks of a node of so many bits, lowest unit first, and how many nodes are filled so."""

    bits: int
    blocks: tuple[Offer, ...]
    nodes: int


@cache
def _capacities(largest: int) -> Ints:
    """Return the whole quotients of a power of two, which are all that can be left of it."""
    return np.unique(largest // np.arange(1, largest + 1))


@njit(cache=True)
def _knapsack(radix: Ints, need: Ints, value: Reals, capacities: Ints) -> tuple[Reals, Ints]:
    """Return the best value of every capacity, and its lowest block (-1: none).

    Radix 0: a last block. `capacities` ascend and contain every whole quotient of each of them.
    """
    size = capacities[-1] + 1
    best = np.zeros(size)
    first = np.full(size, -1)
    for capacity in capacities:
        for i in range(radix.size):
            if need[i] > capacity:
                continue
            worth = value[i]
            if worth <= LEAST_GAIN:
                continue
            if 0 < radix[i] <= capacity:
                worth += best[capacity // radix[i]]
            if worth > best[capacity] + LEAST_GAIN:
                best[capacity], first[capacity] = worth, i
    return best, first


@njit(cache=True)
def _solve(
    kind: Ints,
    amount: Ints,
    radix: Ints,
    need: Ints,
    bits: Reals,
    capacities: Ints,
    stock: Reals,
    sizes: Ints,
    nodes: Reals,
) -> tuple[Reals, Ints, Reals]:
    """Solve the programme; return the nodes of each filling, the fillings, and the kinds' prices.

    Parameters
    ----------
    kind, amount, radix, need, bits
        By offer.
    capacities
        What can be left of a node.
    stock
        By kind: how many variables there are.
    sizes, nodes
        Bits of nodes, and how many have so many.
    """
    n_kinds, n_rows = stock.size, stock.size + nodes.size
    inverse = np.eye(n_rows)
    limit = np.concatenate((stock, nodes))
    share, gain = limit.copy(), np.zeros(n_rows)
    # By row of the basis: size of its filling's nodes (0: it is a slack), and its offers.
    fillings = np.full((n_rows, sizes[-1] + 2), -1)
    fillings[:, 0] = 0
    filling = np.zeros(fillings.shape[1], np.int64)
    prices = np.zeros(n_rows)
    for _ in range(MOST_PIVOTS):
        prices = gain @ inverse
        column, worth = np.zeros(n_rows), 0.0
        filling[:] = -1
        filling[0] = 0
        slack = np.argmin(prices)
        if prices[slack] < -LEAST_GAIN:
            column[slack] = 1.0
        else:
            value = bits - amount * prices[kind]
            best, first = _knapsack(radix, need, value, capacities)
            bound, most, enters = 0.0, 0.0, -1
            for k in range(n_kinds):
                bound += prices[k] * stock[k]
            for s in range(sizes.size):
                worth_of_node = best[1 << (sizes[s] - 1)]
                bound += nodes[s] * worth_of_node
                more = nodes[s] * (worth_of_node - prices[n_kinds + s])
                if more > most:
                    most, enters = more, s
            if enters < 0 or bound <= NEAR_ENOUGH * (gain @ share) + LEAST_GAIN:
                break
            capacity, length = 1 << (sizes[enters] - 1), 0
            filling[0] = sizes[enters]
            while capacity > 0 and first[capacity] >= 0:
                i = first[capacity]
                length += 1
                filling[length] = i
                column[kind[i]] += amount[i]
                worth += bits[i]
                capacity = capacity // radix[i] if radix[i] > 0 else 0
            column[n_kinds + enters] = 1.0
        step = inverse @ column
        leaves, least = -1, np.inf
        for row in range(n_rows):
            if step[row] > PIVOT_AT_LEAST and share[row] / step[row] < least:
                leaves, least = row, share[row] / step[row]
        if leaves < 0:
            break
        inverse[leaves] /= step[leaves]
        for row in range(n_rows):
            if row != leaves:
                inverse[row] -= step[row] * inverse[leaves]
        share -= step * least
        share[leaves] = least
        gain[leaves] = worth
        fillings[leaves] = filling
    return share, fillings, np.maximum(prices[:n_kinds], 0.0)


class Packing:
    """What a stock of variables can be packed to, for rounds of any length.

    Parameters
    ----------
    stock
        How many variables there are of each kind.
    offers
        The blocks that can be made of them.

    Examples
    --------
    Three nodes, of 1, 1 and 2 bits, and four variables of two values: the large node holds two,
    the others one each. With eight variables sums of two to four tell more.

    >>> from holdfast.attacks.exact.rounds.offers import offers
    >>> from holdfast.attacks.exact.rounds.variables import Equal
    >>> [round(Packing({Equal(2): n}, offers(Equal(2))).round(4)[1], 2) for n in (4, 8)]
    [4.0, 5.81]
    """

    def __init__(self, stock: Mapping[Kind, int], offers: Sequence[Offer]) -> None:
        kinds = list(stock)
        at = {kind: i for i, kind in enumerate(kinds)}
        self._stock = np.array([stock[kind] for kind in kinds], np.int64)
        self._offers = offers
        self._kind, self._amount, self._radix, self._need = (
            np.array(each, np.int64).reshape(-1)
            for each in (
                [at[o.kind] for o in offers],
                [o.amount for o in offers],
                [o.radix for o in offers],
                [o.need for o in offers],
            )
        )
        self._bits = np.array([o.bits for o in offers], np.float64)
        self._later_need = np.array([o.later_need for o in offers], np.float64)

    def round(
        self, rows: int, later_need: float = float("inf")
    ) -> tuple[tuple[Filling, ...], float]:
        """Fill a round of so many rows; return its fillings and their bits.

        Offers are left out whose groups need more rows of a later round's nodes than `later_need`.
        """
        nodes = node_sizes(rows)
        worth = self._bits - LATER_NEED_COST * np.log2(np.maximum(1.0, self._later_need))
        worth[self._later_need > later_need] = 0.0
        sizes = sorted(nodes)
        share, found, prices = _solve(
            self._kind,
            self._amount,
            self._radix,
            self._need,
            worth,
            _capacities(1 << (sizes[-1] - 1)),
            self._stock.astype(np.float64),
            np.array(sizes, np.int64),
            np.array([nodes[s] for s in sizes], np.float64),
        )
        left, bits = self._stock.copy(), 0.0
        out = []

        def use(s: int, blocks: list[int], times: int) -> None:
            nonlocal left, bits
            nodes[s] -= times
            left = left - times * self._uses(blocks)
            bits += times * float(self._bits[blocks].sum())
            out.append(Filling(s, tuple(self._offers[i] for i in blocks), times))

        for x, (s, *blocks) in zip(share.tolist(), found.tolist(), strict=True):
            if s and x + LEAST_GAIN >= 1.0:
                use(s, [i for i in blocks if i >= 0], int(x + LEAST_GAIN))
        for s in reversed(sizes):
            while nodes[s]:
                chosen = self._fitting(s, left, prices, worth)
                if not chosen:
                    break
                uses = self._uses(chosen)
                use(s, chosen, min(nodes[s], int((left[uses > 0] // uses[uses > 0]).min())))
        return tuple(out), bits

    def _uses(self, blocks: list[int]) -> Ints:
        uses = np.zeros_like(self._stock)
        np.add.at(uses, self._kind[blocks], self._amount[blocks])
        return uses

    def _fitting(self, bits: int, left: Ints, prices: Reals, worth: Reals) -> list[int]:
        """Return a filling for one node of which there is enough left; [] if there is none.

        An offer whose kind runs short is left out until the filling fits. At these prices nothing
        may be worth a node; then what is left is taken for nothing.
        """
        capacities = _capacities(1 << (bits - 1))
        for price in (prices, np.zeros_like(prices)):
            value = worth - self._amount * price[self._kind]
            value[left[self._kind] < self._amount] = 0.0
            while True:
                _, first = _knapsack(self._radix, self._need, value, capacities)
                blocks, capacity = [], 1 << (bits - 1)
                while capacity and first[capacity] >= 0:
                    blocks.append(int(first[capacity]))
                    radix = int(self._radix[blocks[-1]])
                    capacity = capacity // radix if radix else 0
                if not blocks:
                    break
                short = self._uses(blocks) > left
                if not short.any():
                    return blocks
                culprits = [i for i in blocks if short[self._kind[i]]]
                value[max(culprits, key=lambda i: int(self._amount[i]))] = 0.0
        return []


def nodes_by_size(rows: int) -> list[tuple[int, list[int]]]:
    """Return the nodes 1 .. rows-1 by number of bits, most bits first.

    >>> nodes_by_size(6)
    [(2, [3, 5]), (1, [1, 2, 4])]
    """
    sizes: dict[int, list[int]] = {}
    for c in range(1, rows):
        sizes.setdefault(c.bit_count(), []).append(c)
    return sorted(sizes.items(), reverse=True)
