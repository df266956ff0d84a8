"""Attacks behind another final submission: their queries and answers are passed on as they are."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["PassedOn", "Playing"]


class Playing(Protocol):
    """An attack as far as it asks and is told."""

    @property
    def problem(self) -> Problem:
        """The sizes that it plays for."""

    def ask(self) -> Any:
        """Return the next query."""

    def tell(self, answer: Answer) -> None:
        """Take its answer."""


Inner = TypeVar("Inner", bound=Playing)


class PassedOn(Generic[Inner]):
    """Plays an attack as it is; a subclass makes the final submission.

    Parameters
    ----------
    inner
        The attack.

    Attributes
    ----------
    proves_labels, tells_class_sizes
        As in `ThroughMetric`, of the final submission: no, unless a subclass says otherwise.
    """

    proves_labels: bool = False
    tells_class_sizes: ClassVar[bool] = False

    def __init__(self, inner: Inner) -> None:
        self._inner = inner

    @property
    def problem(self) -> Problem:
        """The sizes that it plays for."""
        return self._inner.problem

    def ask(self) -> Any:
        """Return the attack's next query."""
        return self._inner.ask()

    def tell(self, answer: Answer) -> None:
        """Hand the answer on."""
        self._inner.tell(answer)
