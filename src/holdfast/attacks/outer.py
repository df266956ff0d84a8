"""Base of the attacks that play another one: what they change on the way, and nothing else."""

from __future__ import annotations

from typing import Any

from holdfast.attacks.description import Described, Needs
from holdfast.problem import Problem
from holdfast.protocols import Answer, Attack
from holdfast.setting import Setting

__all__ = ["Outer"]


class Outer(Described):
    """Play another attack; a subclass says in `send` or `tell` what differs.

    Parameters
    ----------
    attack
        The attack to play.
    """

    family = "wrappers"
    needs = Needs.ATTACK
    adaptive = True  # as far as the class can tell: it depends on the attack that is wrapped

    @classmethod
    def obstacle(cls, setting: Setting) -> str:  # noqa: ARG003
        """Return why no plan has a figure for it."""
        return "wraps another attack, and gains what that gains"

    def __init__(self, attack: Attack[Any]) -> None:
        self._inner = attack
        self.adaptive = getattr(attack, "adaptive", True)

    @property
    def problem(self) -> Problem:
        """The sizes that the inner attack plays for."""
        return self._inner.problem

    @property
    def answered(self) -> int:
        """How many queries were answered so far."""
        inner: Any = self._inner
        answered: int = inner.answered
        return answered

    def send(self, query: Any) -> Any:
        """Return what the board sees for a query or a prediction of the inner attack."""
        return query

    def ask(self) -> Any:
        """Return the inner attack's query as it is sent; None: it has none left."""
        query = self._inner.ask()
        return None if query is None else self.send(query)

    def tell(self, answer: Answer) -> None:
        """Pass a released answer on."""
        self._inner.tell(answer)

    def predict(self) -> Any:
        """Return the inner attack's guess as it is sent."""
        return self.send(self._inner.predict())
