"""Scores for a climbing attack, from a board that only says "improved"."""

from __future__ import annotations

from typing import ClassVar

from holdfast.answers import ComparisonAnswers
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.protocols import Attack

__all__ = ["ImprovementReader"]


class ImprovementReader:
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
    >>> from holdfast.attacks import HillClimb
    >>> attack = ImprovementReader(HillClimb(Problem(4, 2, 3), rng=np.random.default_rng(0),
    ...                                      permuted=False))
    >>> for bit in (1.0, 1.0, 0.0):
    ...     query = attack.ask()
    ...     attack.tell(bit)
    >>> attack.predict()
    array([1, 1, 0, 0], dtype=uint8)
    """

    # As far as the class can tell: it depends on the attack that is wrapped.
    adaptive: ClassVar[bool] = True

    def __init__(self, attack: Attack[Labels]) -> None:
        self._inner = attack
        self._answers = ComparisonAnswers()
        self._level = 0.0

    @property
    def problem(self) -> Problem:
        """The sizes that the inner attack plays for."""
        return self._inner.problem

    def ask(self) -> Labels | None:
        """Return the inner attack's query."""
        return self._inner.ask()

    def tell(self, answer: float) -> None:
        """Take one bit: positive if the last look is the best so far."""
        level = self._level + self._answers.improved(answer)
        self._inner.tell(level)
        self._level = level

    def predict(self) -> Labels:
        """Return the inner attack's guess."""
        return self._inner.predict()
