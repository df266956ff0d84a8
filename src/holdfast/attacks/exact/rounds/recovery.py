"""Recovery of labels in rounds of blocks: one bag of variables, and every step implied by answers.

One round is: bring in as many positions as the looks left will resolve; say what blocks can be made
of the variables in the bag (`offers`); choose the round's length and fill its nodes (`packing`,
`lengths`); ask all rows; hand each block its value, which puts other variables into the bag or
settles labels. There is no other state than the bag, and every move is forced by a value.

What is true of it, and tested:

- A position is known, or in one variable of the bag, or under way in a block.
- A block's value determines what it adds to every row, up to a constant, and its values differ
  modulo its radix unless it is its node's last. So nodes are read from large to small, each from
  what the answers leave when larger ones are subtracted.
- The options of a group are equally likely given all that was asked, if the labels were.
- Every round asks a block, and each value of a block rules a labelling out: games end.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from math import log2
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlog1py, xlogy

from holdfast.attacks.exact.rounds.blocks import place_apart, place_linear
from holdfast.attacks.exact.rounds.checks import CheckKind, Checks
from holdfast.attacks.exact.rounds.digit_blocks import (
    narrowed_part,
    narrowed_single,
    unknown_single,
)
from holdfast.attacks.exact.rounds.knowledge import Asking, LabelKnowledge, ask_round
from holdfast.attacks.exact.rounds.layout import Contradiction, PlacedBlock, Round
from holdfast.attacks.exact.rounds.lengths import (
    LENGTHS,
    Pace,
    bits_for,
    expected_looks,
    opening,
    tight,
    worth_trying,
)
from holdfast.attacks.exact.rounds.offers import Offer, again_tied, offers
from holdfast.attacks.exact.rounds.packing import Filling, Packing, nodes_by_size
from holdfast.attacks.exact.rounds.placing import place_single
from holdfast.attacks.exact.rounds.variables import (
    OTHER,
    Equal,
    Group,
    Hit,
    Kind,
    Lone,
    Single,
    Tie,
    Variable,
    width,
)
from holdfast.attacks.exact.rounds.weights import options, summand
from holdfast.bounds.bisection import least

__all__ = ["Recovery", "WaitingPosition"]

MOST_DOUBT_OF_TIES = 0.9
"""Probability of tied labels, at most, when positions are tied again and again."""

OVERBOOKED, MANY_LABELS = 1.3, 5
"""From so many classes on, looks, relative to those left, for which positions are taken up if not
all can be: the last round leaves those that turn out to cost most."""

STUCK = 1.3
"""Looks, relative to those expected, from which longer rounds are tried than usual."""

GOES_ON = 1.5
"""Bits that going on is taken to tell, relative to an average game, when a last round is due."""


class WaitingPosition(NamedTuple):
    """A position to be brought in; doubt 1: no label of it is trusted."""

    position: int
    likely: int = 0
    unlikely: int = 0
    doubt: float = 1.0


class Recovery:
    """The variables that are left, by kind, and the rounds that resolve them.

    Parameters
    ----------
    knowledge
        What is known.
    certain
        Whether what is found here follows from answers alone, or also from what was presumed.

    Attributes
    ----------
    bag
        The variables, by kind.

    Examples
    --------
    Eight labels of two classes from seven looks at most:

    >>> hidden = np.array([1, 0, 0, 1, 1, 1, 0, 1])
    >>> known = LabelKnowledge(np.zeros(8, np.int64), 2, looks=100)
    >>> script = Recovery(known, certain=True).play([WaitingPosition(j) for j in range(8)])
    >>> query, looks = next(script), 1
    >>> try:
    ...     while True:
    ...         query, looks = script.send(int((query == hidden).sum())), looks + 1
    ... except StopIteration:
    ...     known.label.tolist(), looks <= 7
    ([1, 0, 0, 1, 1, 1, 0, 1], True)
    """

    def __init__(self, knowledge: LabelKnowledge, *, certain: bool) -> None:
        self.knowledge = knowledge
        self._m = knowledge.n_classes
        self._certain = certain
        self.bag: dict[Kind, list[Any]] = {}
        # The last state of every position that stood for itself: later ones have fewer candidates.
        self._latest: dict[int, Single] = {}
        self._checks = Checks(self, self._m)
        self._shuffle = random.Random(0).shuffle

    # -- positions

    def admit(self, item: WaitingPosition) -> None:
        """Bring a position into play."""
        if item.doubt < 1.0:
            self._checks.admit(*item)
        else:
            wrong = OTHER if self._m == 2 else None
            self.put(Single(item.position, tuple(range(self._m)), wrong=wrong))

    def narrow(self, j: int, candidates: Sequence[int], wrong: int) -> None:
        """Bring in a position with its candidates and a label that is wrong."""
        self.put(Single(j, tuple(candidates), wrong=OTHER if self._m == 2 else wrong))

    def put(self, variable: Single | Group) -> None:
        """Put a variable into the bag; a position with one candidate is settled instead."""
        if isinstance(variable, Single):
            for tie in variable.ties:
                variable = self._untied(variable, tie)
            j = variable.position
            if not variable.likely:
                variable = Single(j, variable.unlikely, (), variable.wrong, ties=variable.ties)
            candidates = variable.candidates
            if not candidates:
                raise Contradiction(0)
            if len(candidates) == 1:
                self.settle(j, candidates[0])
                return
            self._latest[j] = variable
            self.knowledge.guess[j] = candidates[0]
        self.store(variable.kind, variable)

    def store(self, kind: Kind, variable: Any) -> None:
        """Put whatever is of a kind into the bag."""
        self.bag.setdefault(kind, []).append(variable)

    def settle(self, j: int, label: int) -> None:
        """Take a label as known."""
        self.knowledge.settle(j, label, self._certain)

    def _untied(self, single: Single, tie: Tie) -> Single:
        """Return a tied position with what became known of the other one.

        The other one has one of its two labels: then this one has the other of its own. It has
        neither: then this one has neither.
        """
        if not set(tie.mine) & set(single.unlikely):
            return single
        j = single.position
        known = int(self.knowledge.label[tie.other])
        if known in tie.theirs:
            return Single(j, (tie.mine[1 - tie.theirs.index(known)],), (), single.wrong)
        if known < 0 and set(tie.theirs) & set(self._latest[tie.other].candidates):
            return single
        rest = tuple(label for label in single.unlikely if label not in tie.mine)
        doubt = single.doubt / 2.0 if rest else 0.0
        return Single(j, single.likely, rest, tie.mine[0], doubt, single.ties)

    # -- the game

    def play(self, waiting: Sequence[WaitingPosition] = (), spare: int = 0) -> Asking[None]:
        """Ask until all positions are known, or only `spare` looks are left.

        Positions that wait are brought in as far as the looks left will resolve them: half a label
        is worth nothing, so with too few looks for all the last positions are never asked. The
        estimate is made anew before each round, from the bits that are really left.

        Parameters
        ----------
        waiting
            Positions in the order in which they are to be brought in.
        spare
            Looks that are kept for what comes after.
        """
        queue = list(waiting)
        pace, first = opening(len(queue), self._m)
        while True:
            limit = self.knowledge.looks - spare
            if queue:
                count = self._affordable(limit, queue)
                if count < len(queue):
                    pace, first = tight(self._m), []
                for item in queue[:count]:
                    self.admit(item)
                del queue[:count]
            self._refresh()
            if not (self.bag or queue) or limit < 2:
                return
            rows, fillings = self.choose(pace, first.pop(0) if first else 0, limit)
            if not fillings:
                return
            rnd = self._placed(rows, fillings)
            values = yield from ask_round(self.knowledge, rnd)
            for learn, value in zip(rnd.tags, values.tolist(), strict=True):
                learn(value)

    def _refresh(self) -> None:
        """Break ties that other positions have decided, and mix variables of each kind."""
        for tied in [kind for kind in self.bag if isinstance(kind, Lone) and kind.unlikely]:
            for variable in self.bag.pop(tied):
                self.put(variable)
        for kind in [kind for kind, variables in self.bag.items() if not variables]:
            del self.bag[kind]
        for variables in self.bag.values():
            self._shuffle(variables)

    def bits(self) -> float:
        """Return the bits still to be learnt of all variables."""
        return sum(
            self._checks.bits(kind) * len(variables)
            if isinstance(kind, CheckKind)
            else sum(variable.bits for variable in variables)
            for kind, variables in self.bag.items()
        )

    def _affordable(self, looks: int, queue: list[WaitingPosition]) -> int:
        """Return how many positions the looks left will resolve along with those in play.

        A position with doubt q has H(q) bits, and with probability q those of one of m - 2 labels.
        The bits of the first t in the queue, and of what is in play, are turned into looks by
        `expected_looks`; the largest t whose looks are there is found by bisection.

        Parameters
        ----------
        looks
            Those that may be taken.
        queue
            The positions that wait, in order.

        Examples
        --------
        A hundred looks are worth trying for 81 of a thousand positions with ten classes. With
        10,000 looks all are brought in.

        >>> few = Recovery(LabelKnowledge(np.zeros(1000, np.int64), 10, looks=100), certain=True)
        >>> queue = [WaitingPosition(j) for j in range(1000)]
        >>> few._affordable(100, queue), few._affordable(10_000, queue)
        (81, 1000)
        """
        m = self._m
        doubts = np.array([item.doubt for item in queue])
        each = -xlogy(doubts, doubts) - xlog1py(1 - doubts, -doubts)
        each = each / np.log(2) + doubts * log2(max(1, m - 2))
        each[doubts >= 1.0] = log2(m)
        total = np.cumsum(each) + self.bits()
        most = OVERBOOKED * looks if m >= MANY_LABELS else looks
        # One position is brought in however few looks there are, so that something is asked.
        first = 0 if self.bag else 1
        return least(
            lambda count: expected_looks(float(total[count]), m) > most,
            first - 1,
            len(queue),
        )

    # -- a round

    def choose(self, pace: Pace, first: int, limit: int) -> tuple[int, tuple[Filling, ...]]:
        """Choose the length of a round and its fillings: none if nothing fits.

        Parameters
        ----------
        pace
            What later rounds are expected to take.
        first
            The round's length, if it is one of the first ones; 0: the one for which its rows, and
            the looks for what it leaves, are fewest.
        limit
            Looks that may be taken: no round is longer.
        """
        stock = {kind: len(variables) for kind, variables in self.bag.items()}
        bits = self.bits()
        if self._checks.in_use:
            found = self._checks.fastest(stock, bits, limit)
            return found or _cheapest(stock, self._checks.offers(stock), bits, pace, 0, limit)
        if expected_looks(bits, self._m) > limit:
            settling = self._settling(stock, limit)
            if settling:
                return limit, settling
        first = first if first <= limit else 0
        return _remembered(tuple(stock.items()), bits, pace, first, limit)

    def _settling(self, stock: dict[Kind, int], limit: int) -> tuple[Filling, ...]:
        """Return a last round that settles most labels, if going on would not settle more.

        For looks that do not suffice for all in play. Going on would resolve as many positions as
        have bits for these looks, those with the fewest bits first.
        """
        positions = {kind: self._positions(kind) for kind in stock}
        resolved, bits = 0.0, GOES_ON * bits_for(limit, self._m)
        for kind in sorted(stock, key=lambda kind: self._each(kind) / positions[kind]):
            count = min(float(stock[kind]), bits / self._each(kind))
            resolved += count * positions[kind]
            bits -= count * self._each(kind)
        offered = [
            offer._replace(bits=offer.settles * positions[kind])
            for kind in stock
            for offer in offers(kind)
            if offer.settles
        ]
        fillings, settled = Packing(stock, offered).round(limit)
        return fillings if settled >= resolved else ()

    def _each(self, kind: Kind) -> float:
        """Return the bits of a variable of a kind, on average."""
        return float(sum(variable.bits for variable in self.bag[kind])) / len(self.bag[kind])

    def _positions(self, kind: Kind) -> float:
        """Return how many positions a variable of a kind has on average."""
        return sum(map(width, self.bag[kind])) / len(self.bag[kind])

    def _placed(self, rows: int, fillings: Sequence[Filling]) -> Round:
        """Take variables out of the bag and put blocks on nodes.

        A block's unit is the product of the radices below it, so that its value is a digit of the
        node's sum.
        """
        rnd = Round(rows, halved=self._m == 2)
        nodes = dict(nodes_by_size(rows))
        for filling in fillings:
            for _ in range(filling.nodes):
                node, unit = nodes[filling.bits].pop(), 1
                for place, offer in enumerate(filling.blocks, 1):
                    taken = self.bag[offer.kind]
                    variables = [taken.pop() for _ in range(offer.amount)]
                    last = place == len(filling.blocks)
                    rnd.add(node, self._place(offer, variables, unit, last))
                    unit *= offer.radix
        return rnd

    def _place(self, offer: Offer, variables: list[Any], unit: int, last: bool) -> PlacedBlock:
        """Make a block of variables, and say what its value means."""
        if isinstance(offer.kind, CheckKind):
            return self._checks.place(offer, variables, unit, last)
        match offer.name:
            case "pair":
                return self._place_pair(variables[0], variables[1], unit, last)
            case "test":
                hits = [Hit(single, single.likely[-1]) for single in variables]
                behind = log2(len(variables[0].likely) - 1)
                return self._place_sum(hits, 2, behind, unit, last)
            case "sum":
                kind = offer.kind
                values = kind.values if isinstance(kind, Equal) else len(variables[0].likely)
                return self._place_sum(variables, values, 0.0, unit, last)
            case "full" if isinstance(offer.kind, Equal):
                return self._place_sum(variables, offer.kind.values, 0.0, unit, last)
            case "full" if isinstance(variables[0], Group):
                (group,) = variables
                return place_apart(
                    self.knowledge, group, unit, last, lambda o: self._take(group, o)
                )
        return self.ask(variables[0], offer, unit, last)

    def ask(self, single: Single, offer: Offer, unit: int, last: bool) -> PlacedBlock:
        """Ask a position for its first likely labels: all of them, or so many."""
        c = len(single.likely)
        h = c if offer.name == "full" else int(offer.detail)
        if offer.name == "full":
            block = narrowed_single(c)
        elif offer.name == "part":
            block = narrowed_part(h)
        else:
            block = unknown_single(h, h if h == len(single.candidates) else h + 1)

        def learn(value: int) -> None:
            slot = block.outcomes[value - block.low]
            if slot >= 0:
                self.settle(j, single.likely[slot])
                return
            rest = single.likely[h:]
            ruled_out = (1.0 - single.doubt) * h / c
            doubt = single.doubt / (1.0 - ruled_out) if single.unlikely and rest else 0.0
            wrong = single.wrong if single.wrong == OTHER else single.likely[0]
            self.put(Single(j, rest, single.unlikely, wrong, doubt, single.ties))

        j = single.position
        self.knowledge.show(j, single.likely[0] if single.wrong is None else single.wrong)
        return place_single(block, j, single.likely, unit, last, learn)

    def _place_sum(
        self, members: Sequence[Variable], values: int, behind: float, unit: int, last: bool
    ) -> PlacedBlock:
        """Add up the values of some variables; `behind`: bits left of those with value 0."""
        g = len(members)
        low, high = g * summand(values, 0), g
        down = None if values == 2 else 0

        def learn(total: int) -> None:
            every = options(values, g).get(total, [])
            if len(every) == 1:
                for member, value in zip(members, every[0], strict=True):
                    self._take(member, value)
                return
            hidden = behind * (g - total)
            hidden += sum(x.bits - log2(values) for x in members if not isinstance(x, Hit))
            self.put(Group([*members], values, total, hidden))

        shown = [(member, values - 1, down) for member in members]
        return place_linear(self.knowledge, shown, low, high, unit, last, learn)

    def _take(self, variable: Variable, value: int) -> None:
        """Take a value as true."""
        if isinstance(variable, Single):
            self.settle(variable.position, variable.likely[value])
        elif isinstance(variable, Hit):
            if value:
                self.settle(variable.single.position, variable.label)
            else:
                self.put(variable.single.without(variable.label))
        else:
            for member, own in zip(variable.members, variable.options[value], strict=True):
                self._take(member, own)

    def _place_pair(self, x: Single, y: Single, unit: int, last: bool) -> PlacedBlock:
        """Count label a against label b on two positions, the same labels if they share two."""
        shared = [label for label in x.likely if label in y.likely][:2]
        ours = [(x, *(shared if len(shared) == 2 else x.likely[:2]))]
        ours.append((y, *(shared if len(shared) == 2 else y.likely[:2])))

        def learn(total: int) -> None:
            if abs(total) == 2:
                for single, a, b in ours:
                    self.settle(single.position, a if total > 0 else b)
            elif total:
                # One of them has its label of this sign, and none the other one.
                hits = [
                    Hit(single.without(b if total > 0 else a), a if total > 0 else b)
                    for single, a, b in ours
                ]
                behind = sum(hit.bits_behind for hit in hits) / 2.0
                self.put(Group([*hits], 2, 1, behind))
            else:
                self._tie(ours)

        shown = [(v, v.likely.index(a), v.likely.index(b)) for v, a, b in ours]
        return place_linear(self.knowledge, shown, -2, 2, unit, last, learn)

    def _tie(self, ours: list[tuple[Any, ...]]) -> None:
        """Tie two positions that have neither of their labels, or opposite ones."""
        new = []
        for (single, a, b), (other, c, d) in zip(ours, ours[::-1], strict=True):
            doubt = single.doubt + again_tied(len(single.likely), single.doubt)
            rest = tuple(label for label in single.likely if label not in (a, b))
            tie = Tie(other.position, (c, d), (a, b))
            new.append(
                Single(
                    single.position,
                    rest,
                    (*single.unlikely, a, b),
                    single.wrong,
                    min(MOST_DOUBT_OF_TIES, doubt),
                    (*single.ties, tie),
                )
            )
        # Both are to be seen as they are before either is looked at.
        for single in new:
            self._latest[single.position] = single
        for single in new:
            self.put(single)


@lru_cache(maxsize=1024)
def _remembered(
    stock: tuple[tuple[Kind, int], ...], bits: float, pace: Pace, first: int, limit: int
) -> tuple[int, tuple[Filling, ...]]:
    """Choose a round; games of one size begin with the same ones."""
    every = [offer for kind, _ in stock for offer in offers(kind)]
    return _cheapest(dict(stock), every, bits, pace, first, limit)


def _cheapest(
    stock: dict[Kind, int], every: list[Offer], bits: float, pace: Pace, first: int, limit: int
) -> tuple[int, tuple[Filling, ...]]:
    """Choose the round whose rows, and looks for what it leaves, are fewest."""
    packing = Packing(stock, every)
    cost, guess = float("inf"), pace.looks(bits)
    best: tuple[int, tuple[Filling, ...]] = 0, ()
    lengths = [first] if first else worth_trying(bits, pace, limit)
    # What is left may have room in large nodes alone: then longer rounds are tried.
    longer = [] if first else [rows for rows in LENGTHS if lengths[-1] < rows <= limit]
    while lengths:
        rows = lengths.pop(0)
        fillings, told = packing.round(rows, pace.room(guess - rows))
        if fillings:
            # Later rounds don't tell more per look than this one.
            left = bits - told
            total = rows + max(pace.looks(left), left / told * rows)
            if total < cost:
                cost, best = total, (rows, fillings)
        if not lengths and longer and longer[0] < cost and cost > STUCK * guess:
            lengths.append(longer.pop(0))
    return best
