"""Scores for a climbing attack, from a board that only says "improved"."""

from __future__ import annotations

from holdfast.answers import ComparisonAnswers
from holdfast.attacks.description import Reads
from holdfast.attacks.outer import Outer
from holdfast.labels import Labels
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["ImprovementReader"]


class ImprovementReader(Outer):
    """Play a climbing attack on a board that tells only whether a look is a new best.

    The inner attack is told a made-up score that rises by one with each improvement and stands
    still otherwise, which is all that `HillClimb` and `BlockClimb` listen for.

    Parameters
    ----------
    attack
        The attack to play. It must only ask whether its answers rise.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> from holdfast.attacks import HillClimb
    >>> attack = ImprovementReader(HillClimb(Problem(4, 2, 3), rng=np.random.default_rng(0),
    ...                                      permuted=False))
    >>> for bit in (1.0, 1.0, 0.0):
    ...     query = attack.ask()
    ...     attack.tell(bit)
    >>> attack.predict()
    array([1, 1, 0, 0], dtype=uint8)
    """

    summary = "climbs on news of new bests"
    reads = Reads.NEW_BEST

    def __init__(self, attack: Attack[Labels]) -> None:
        super().__init__(attack)
        self._answers = ComparisonAnswers()
        self._level = 0.0

    def tell(self, answer: Answer) -> None:
        """Take one bit: positive if the last look is the best so far."""
        level = self._level + self._answers.improved(one_number(answer))
        self._inner.tell(level)
        self._level = level
