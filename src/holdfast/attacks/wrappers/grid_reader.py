"""Undoing a rounding that is finer than the scores themselves."""

from __future__ import annotations

from typing import ClassVar

from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack

__all__ = ["GridReader"]


class GridReader:
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
    >>> from holdfast.attacks import Constant
    >>> attack = GridReader(Constant(Problem(10, 2, 3), rng=np.random.default_rng(0)), size=3)
    >>> attack.read(0.67) == 2 / 3
    True
    """

    # As far as the class can tell: it depends on the attack that is wrapped.
    adaptive: ClassVar[bool] = True

    def __init__(self, attack: Attack[Labels], *, size: int) -> None:
        self._inner = attack
        self._size = check_at_least("size", size, 1)

    @property
    def problem(self) -> Problem:
        """The sizes that the inner attack plays for."""
        return self._inner.problem

    def read(self, answer: float) -> float:
        """Return the accuracy on `size` examples that is nearest to a rounded answer."""
        return round(answer * self._size) / self._size

    def ask(self) -> Labels | None:
        """Return the inner attack's query."""
        return self._inner.ask()

    def tell(self, answer: float) -> None:
        """Pass on the accuracy that was rounded."""
        self._inner.tell(self.read(answer))

    def predict(self) -> Labels:
        """Return the inner attack's guess."""
        return self._inner.predict()
