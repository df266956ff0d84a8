"""Scores for an attack that only compares, from a board that only ranks."""

from __future__ import annotations

from bisect import bisect_left

from holdfast.attacks.description import Reads
from holdfast.attacks.outer import Outer
from holdfast.labels import Labels
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["RankReader"]

# Distance between made-up scores at the ends of the order. A power of two: half of it, again and
# again, stays exact, and fifty halvings are still told apart from rounding.
SPACING = float(2**20)


class RankReader(Outer):
    """Play another attack on a board that tells only the rank among the looks so far.

    From the ranks the order of all looks is known. The inner attack is told made-up scores in
    that order, so one that only compares answers, as `BlockMajority` and the climbing attacks do,
    plays as if it saw the scores.

    Parameters
    ----------
    attack
        The attack to play. It must use the order of its answers and nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> from holdfast.attacks import BlockMajority
    >>> attack = RankReader(BlockMajority(Problem(6, 2, 3), rng=np.random.default_rng(0),
    ...                                   permuted=False))
    >>> for rank in (1, 2, 1):
    ...     query = attack.ask()
    ...     attack.tell(rank)
    >>> attack.predict()
    array([1, 1, 1, 0, 0, 0], dtype=uint8)
    """

    summary = "plays another attack on ranks alone"
    reads = Reads.ORDER

    def __init__(self, attack: Attack[Labels]) -> None:
        super().__init__(attack)
        # Minus the made-up scores, so that the best rank comes first.
        self._order: list[float] = []

    def tell(self, answer: Answer) -> None:
        """Take a rank, 1 for the best, and pass on a score that fits the order."""
        place = min(max(round(one_number(answer)) - 1, 0), len(self._order))
        score = self._score_at(place)
        self._inner.tell(score)
        self._order.insert(bisect_left(self._order, -score), -score)

    def _score_at(self, place: int) -> float:
        if not self._order:
            return 0.0
        if place == 0:
            return -self._order[0] + SPACING
        if place == len(self._order):
            return -self._order[-1] - SPACING
        return -(self._order[place - 1] + self._order[place]) / 2.0
