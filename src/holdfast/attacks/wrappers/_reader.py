"""Base of the wrappers that hand an attack other answers than the board's."""

from __future__ import annotations

from holdfast.attacks.description import Described, Needs
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.protocols import Answer, Attack

__all__ = ["Reader"]


class Reader(Described):
    """Play another attack with answers that are read differently; a subclass says how in `tell`."""

    family = "wrappers"
    needs = Needs.ATTACK
    adaptive = True  # as far as the class can tell: it depends on the attack that is wrapped

    def __init__(self, attack: Attack[Labels]) -> None:
        self._inner = attack

    @property
    def problem(self) -> Problem:
        """The sizes that the inner attack plays for."""
        return self._inner.problem

    def ask(self) -> Labels | None:
        """Return the inner attack's query."""
        return self._inner.ask()

    def tell(self, answer: Answer) -> None:
        """Take a released answer and pass on what the inner attack should hear."""
        raise NotImplementedError

    def predict(self) -> Labels:
        """Return the inner attack's guess."""
        return self._inner.predict()
