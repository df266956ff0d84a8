"""Undoing a rounding that is finer than the scores themselves."""

from __future__ import annotations

from holdfast.attacks.outer import Outer
from holdfast.labels import Labels
from holdfast.problem import check_at_least
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["GridReader"]


class GridReader(Outer):
    """Play another attack with answers moved to the nearest multiple of 1/size.

    An accuracy on `size` examples is a count divided by `size`. Rounded to a step below
    1/size it can be told which count it was: rounding to d decimals hides nothing while
    size <= 10^d.

    Parameters
    ----------
    attack
        The attack to play.
    size
        How many examples the board scores.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> from holdfast.attacks import Constant
    >>> attack = GridReader(Constant(Problem(10, 2, 3), rng=np.random.default_rng(0)), size=3)
    >>> attack.read(0.67) == 2 / 3
    True
    """

    summary = "plays another attack on rounded scores"

    def __init__(self, attack: Attack[Labels], *, size: int) -> None:
        super().__init__(attack)
        self._size = check_at_least("size", size, 1)

    def read(self, answer: float) -> float:
        """Return the accuracy on `size` examples that is nearest to a rounded answer."""
        return round(answer * self._size) / self._size

    def tell(self, answer: Answer) -> None:
        """Pass on the accuracy that was rounded."""
        self._inner.tell(self.read(one_number(answer)))
