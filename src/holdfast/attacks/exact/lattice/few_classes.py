"""Exact recovery with few classes: rounds of digit blocks, every step implied by the answers.

One round is: bring in as many positions as the looks left will resolve; let every family say what
blocks it can make of the positions it keeps; let the planner choose the round's length and fill its
nodes; ask all rows; hand each block its value, whose tag moves the positions on. There is no other
state than where positions are kept, and every move is forced by a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

import numpy as np
from scipy.special import xlog1py, xlogy

from holdfast.attacks.exact.lattice.families.group_tests import GroupTests
from holdfast.attacks.exact.lattice.families.in_play import InPlay
from holdfast.attacks.exact.lattice.families.label_differences import LabelDifferences
from holdfast.attacks.exact.lattice.families.prior_checks import PriorChecks
from holdfast.attacks.exact.lattice.families.single_positions import SinglePositions
from holdfast.attacks.exact.lattice.knowledge import Asking, LabelKnowledge, ask_round
from holdfast.attacks.exact.lattice.round_length import expected_looks
from holdfast.attacks.exact.lattice.round_planner import RoundPlanner
from holdfast.bounds.bisection import least

__all__ = ["FewClasses", "WaitingPosition"]


class WaitingPosition(NamedTuple):
    """A position to be brought in; doubt 1: no label of it is trusted."""

    position: int
    likely: int = 0
    unlikely: int = 0
    doubt: float = 1.0


class FewClasses:
    """Positions with few candidates, and the families of blocks that resolve them.

    A position comes in *unknown*: single blocks ask for some of its labels, or it is summed with
    others, label against label. Either leaves it *narrowed*: a label is known to be wrong, and as a
    base label that one adds nothing to any count. Narrowed positions are asked one by one or tested
    in groups, until one candidate is left. A position whose label a model names is *trusted* until
    a check of its group falls short and it is found to be the reason; then it is narrowed, too.

    Parameters
    ----------
    knowledge
        What is known.
    certain
        Whether what is found here follows from answers alone, or also from what was presumed.
    """

    def __init__(self, knowledge: LabelKnowledge, *, certain: bool) -> None:
        self._knowledge = knowledge
        self.in_play = InPlay(knowledge, certain=certain)
        self._singles = SinglePositions(self.in_play)
        groups = GroupTests(self.in_play, self._singles)
        differences = LabelDifferences(self.in_play, self._singles, groups)
        self._checks = PriorChecks(self.in_play, self._singles)
        families = (self._singles, groups, differences, self._checks)
        self.planner = RoundPlanner(families, knowledge.n_classes)

    def admit(self, positions: Iterable[int]) -> None:
        """Bring positions of which nothing is known into play."""
        for j in positions:
            self._singles.admit(j)

    def admit_narrowed(self, j: int, candidates: list[int], wrong: int) -> None:
        """Bring in a position with its candidates and a label known to be wrong."""
        self._singles.narrow(j, candidates, wrong)

    def admit_trusted(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels, after a model."""
        self._checks.admit(j, likely, unlikely, doubt)

    def play(self, spare: int = 0, waiting: Sequence[WaitingPosition] = ()) -> Asking[None]:
        """Ask until all positions are known, or only `spare` looks are left.

        Positions that wait are brought in as far as the looks left will resolve them: half a label
        is worth nothing, so with too few looks for all the last positions are never asked. The
        estimate is made anew before each round, from the bits that are really left.

        Parameters
        ----------
        spare
            Looks that are kept for what comes after.
        waiting
            Positions in the order in which they are to be brought in.
        """
        queue = list(waiting)
        while self.in_play.candidates or queue:
            limit = self._knowledge.looks - spare
            count = self._affordable(limit, queue)
            for item in queue[:count]:
                if item.doubt < 1.0:
                    self.admit_trusted(*item)
                else:
                    self.admit([item.position])
            del queue[:count]
            rnd = self.planner.plan(limit) if limit >= 2 else None
            if rnd is None:
                return
            values = yield from ask_round(self._knowledge, rnd)
            for learn, value in zip(rnd.tags, values.tolist(), strict=True):
                learn(value)

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
        A hundred looks will do for 47 of a thousand positions with ten classes: two looks per
        label, where a game of 10,000 positions takes 0.7. With 10,000 looks all are brought in.

        >>> few = FewClasses(LabelKnowledge(np.zeros(1000, np.int64), 10, looks=100), certain=True)
        >>> queue = [WaitingPosition(j) for j in range(1000)]
        >>> few._affordable(100, queue), few._affordable(10_000, queue)
        (47, 1000)
        """
        if not queue:
            return 0
        m = self._knowledge.n_classes
        doubts = np.array([item.doubt for item in queue])
        each = -xlogy(doubts, doubts) - xlog1py(1 - doubts, -doubts)
        each = each / np.log(2) + doubts * log2(max(1, m - 2))
        each[doubts >= 1.0] = log2(m)
        total = np.cumsum(each) + self.planner.bits()
        # One position is brought in however few looks there are, so that something is asked.
        first = 0 if self.in_play.candidates else 1
        return least(
            lambda count: expected_looks(float(total[count]), m) > looks, first - 1, len(queue)
        )
