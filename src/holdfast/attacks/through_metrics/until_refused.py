"""Attacks that may have to stop: what they have learned till then is submitted.

Whether a value will tell the counts is proved look by look, so an attack may find out late that it
can't go on. A refusal of the first look is a refusal; later on the looks were not in vain.
"""

from __future__ import annotations

from typing import Any, Protocol

from holdfast.attacks.through_metrics.passed_on import PassedOn, Playing
from holdfast.errors import NotSupported
from holdfast.labels import Labels

__all__ = ["UntilRefused"]


class Counting(Playing, Protocol):
    """An attack that tells how many answers it has had."""

    @property
    def answered(self) -> int:
        """How many looks were answered."""

    def predict(self) -> Labels:
        """Return the final submission."""


class UntilRefused(PassedOn[Counting]):
    """Plays an attack to its end, or to where it says that it can't go on.

    Parameters
    ----------
    inner
        The attack. What it refuses before its first answer is refused.
    """

    def __init__(self, inner: Counting) -> None:
        super().__init__(inner)
        self._stopped = False

    def ask(self) -> Any:
        """Return the attack's next query; None when it has none, or can't go on."""
        if self._stopped:
            return None
        try:
            return self._inner.ask()
        except NotSupported:
            if not self._inner.answered:
                raise
            self._stopped = True
            return None

    def predict(self) -> Labels:
        """Return the attack's submission."""
        return self._inner.predict()
