r"""Choice of the next round: its length, the shadow price of positions, and its blocks.

A round of K rows costs K looks whatever is asked in it, and its K - 1 nodes have fixed capacities.
So a plan is judged by what it costs in all: its own rows, and the looks that what it leaves will
take, estimated from the bits left (`round_length`). Longer rounds have larger nodes, which hold
more digits per look, but what a round leaves open waits for the next one; the last round must
resolve everything it asks.

Filling the nodes is a knapsack (`packing`): each block has a value in bits, needs some of the
node's capacity, and takes positions from the stock. Where positions, not nodes, are what runs out,
a block that takes several of them for few bits is a waste. A shadow price in bits per position
says so; a handful of prices is tried, and for each of them a range of lengths. No choice here can
make a label wrong: it decides how many looks are needed, not what they imply.

Without a model a choice follows from the stock, the looks and the classes alone. Games of one size
all begin with the same stock, and comparing dozens of rounds for it takes longer than playing one:
choices are remembered.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.families import Family
from holdfast.attacks.exact.lattice.families.prior_checks import PriorChecks, Trusted
from holdfast.attacks.exact.lattice.layout import Round
from holdfast.attacks.exact.lattice.offer import Status, Stock
from holdfast.attacks.exact.lattice.packing import (
    Menu,
    Packer,
    RoundYield,
    nodes_by_size,
    round_yield,
    rows_to_finish,
)
from holdfast.attacks.exact.lattice.round_length import (
    first_length,
    lengths,
    looks_left,
    one_round,
)

__all__ = ["RoundPlanner"]


class RoundChoice(NamedTuple):
    """A round to be: whether it is the last, its rows, and the shadow price of its offers.

    Enough to place it: the packer finds the same filling from the same stock again. So a choice can
    be remembered without the dozens of fillings that it was compared with.
    """

    last_round: bool
    rows: int
    price: float


# Choices so far by classes, stock, bits and looks.
REMEMBERED = 1024
_chosen: dict[tuple[int, tuple[tuple[Status, int], ...], float, int], RoundChoice] = {}


def forget() -> None:
    """Forget all choices: after a tuned constant was changed."""
    _chosen.clear()


class RoundPlanner:
    """Plans rounds over the stock of several families.

    Parameters
    ----------
    families
        Single positions, group tests, label differences, prior checks. In this order their offers
        are compared; of equally good ones the first is taken.
    n_classes
        Number of classes.
    """

    def __init__(
        self, families: tuple[Family, Family, Family, PriorChecks], n_classes: int
    ) -> None:
        self._families = families
        self._checks = families[3]
        self._m = n_classes

    def bits(self) -> float:
        """Return the bits still to be learnt of all positions in play.

        They are what the answers have to carry at least, so estimates of looks start from them.
        """
        singles, groups, differences, checks = (family.bits() for family in self._families)
        # Costs of rounds can agree but for the last bit: another order would choose other rounds.
        return singles + differences + groups + checks

    def stock(self) -> dict[Status, int]:
        """Return the items of all families."""
        return {
            status: count
            for family in self._families
            for status, count in family.stock().items()
            if count
        }

    def menu(self, stock: Stock, last_round: bool) -> Menu:
        """Return all that can be made of a stock: every family's offers for every status in it.

        A family may make blocks of positions that another one keeps: single positions with few
        candidates are what group tests and label differences are made of.
        """
        offers = [
            offer
            for status in stock
            for family in self._families
            for offer in family.offers(status, last_round)
        ]
        return Menu(offers, stock)

    def plan(self, limit: int) -> Round | None:
        """Return a round of at most `limit` rows with its blocks placed; None: nothing fits."""
        stock, bits = self.stock(), self.bits()
        if self._checks.in_use:  # how doubtful its labels are matters, too
            return self._place(stock, self._choose(stock, bits, limit))
        key = self._m, tuple(stock.items()), bits, limit
        if key not in _chosen:
            if len(_chosen) >= REMEMBERED:
                forget()
            _chosen[key] = self._choose(stock, bits, limit)
        return self._place(stock, _chosen[key])

    def _choose(self, stock: Stock, bits: float, limit: int) -> RoundChoice:
        """Choose the round for which its rows, and the looks for what it leaves, are fewest.

        One candidate is the last round: the least rows in which everything can be resolved. The
        others are shorter and ask more cheaply. While checks of a prior hold most of the bits no
        round can be the last, and the fastest one is taken.

        Parameters
        ----------
        stock
            The items there are.
        bits
            What is still to be learnt of them.
        limit
            Looks that may be taken: no round is longer.

        Examples
        --------
        Eight positions of two classes could be resolved in one round of seven rows. Three rows that
        count the hits of two groups, and a few more that locate them, are expected to take fewer.

        >>> import numpy as np
        >>> from holdfast.attacks.exact.lattice.few_classes import FewClasses
        >>> from holdfast.attacks.exact.lattice.knowledge import LabelKnowledge
        >>> few = FewClasses(LabelKnowledge(np.zeros(8, np.int64), 2, looks=100), certain=True)
        >>> few.admit(range(8))
        >>> few.planner._choose(few.planner.stock(), few.planner.bits(), limit=100)
        RoundChoice(last_round=False, rows=3, price=0.0)
        """
        guess = one_round(bits, self._m)
        last = self.menu(stock, last_round=True)
        finish = rows_to_finish(last, limit)
        menu = self.menu(stock, last_round=False)
        if 2 * self._checks.bits() > bits:
            return self._fastest(menu, finish, guess)
        # The last round, too, may leave something: it was refused more than `limit` rows.
        cost = finish + self._looks_after(bits, last, round_yield(last, finish), limit)
        best = RoundChoice(True, finish, 0.0)
        # Groups take many positions for their bits: the dearer they are, the larger a round can be.
        checking = any(self._checks.stock().values())
        for price in tuning.SHADOW_PRICES_WITH_PRIOR if checking else tuning.SHADOW_PRICES:
            least = tuning.ROUND_SHARE_AT_LEAST * guess
            for rows in lengths(least, min(finish, int(guess) + 2)):
                found = round_yield(menu, rows, price)
                total = rows + self._looks_after(bits, menu, found, limit)
                if found.bits > 0.0 and total < cost:
                    cost, best = total, RoundChoice(False, rows, price)
        return best

    def _fastest(self, menu: Menu, finish: int, guess: float) -> RoundChoice:
        """Choose the round that yields most bits per look, while there are groups to check.

        What a check finds is still to be asked, so no round is the last, and how long it takes
        depends on how many groups are under way. At first there are none: lower places would be
        wasted on single positions, and a few rows are enough to begin with.
        """
        if all(isinstance(status, Trusted) for status in menu.statuses):
            return RoundChoice(False, min(max(2, finish - 1), first_length(guess)), 0.0)
        most, best = 0.0, RoundChoice(False, finish, 0.0)
        for price in tuning.SHADOW_PRICES_WITH_PRIOR:
            for rows in lengths(8, min(finish, 2 * int(guess) + 2)):
                bits = round_yield(menu, rows, price).bits
                rate = bits / (rows + tuning.ROWS_PER_ROUND_LOST)
                if rate > most:
                    most, best = rate, RoundChoice(False, rows, price)
        return best

    def _looks_after(self, bits: float, menu: Menu, found: RoundYield, limit: int) -> float:
        """Return the looks that a round leaves to be asked, roughly.

        With more than two classes by the bits that are left. With two, the blocks are so few in
        kind that the next round can be planned from the items that this one leaves on average.
        """
        if self._m > 2:
            rest = bits - found.bits
            negligible = rest <= tuning.BITS_NEGLIGIBLE * bits
            return 0.0 if negligible else looks_left(rest, self._checks.in_use)
        # Two classes: all that a round leaves fits into one more, and blocks are few in kind.
        left = zip(menu.statuses, found.left, strict=True)
        after = {status: count for status, count in left if count}
        for offer, count in zip(menu.offers, found.made, strict=True):
            if count > 1:
                for status, each in offer.leaves.items():
                    after[status] = after.get(status, 0) + round(count * each)
        return rows_to_finish(self.menu(after, last_round=True), limit) if after else 0.0

    def _place(self, stock: Stock, choice: RoundChoice) -> Round | None:
        """Take the blocks' positions out of stock and put the blocks on nodes.

        Nodes of one size are filled alike as long as the stock lasts. A block's unit is the product
        of the radices below it, so that its value is a digit of the node's sum.
        """
        menu = self.menu(stock, choice.last_round)
        packer = Packer(menu, choice.rows, choice.price)
        rnd = Round(choice.rows, halved=self._m == 2)
        empty = True
        for size, nodes in nodes_by_size(choice.rows):
            done = 0
            while done < len(nodes):
                times, filling = packer.take(1 << (size - 1), len(nodes) - done)
                if not filling:
                    break
                empty = False
                for node in nodes[done : done + times]:
                    unit = 1
                    for place, i in enumerate(filling, 1):
                        offer = menu.offers[i]
                        rnd.add(node, offer.place(unit, place == len(filling)))
                        unit *= offer.radix
                done += times
        return None if empty else rnd
