"""Final submissions of attacks that prove part of the truth: the best constant for the rest.

Such an attack submits the middle of all possibilities where it knows nothing. Whoever knows the
class shares, or the mean of the targets, submits these there: with one positive in fifty an even
forecast costs eight times as much, and all that was read would not show in the score.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.passed_on import PassedOn, Playing

__all__ = ["ConstantElsewhere"]


class Proving(Playing, Protocol):
    """An attack that tells which examples it has proved."""

    def predict(self) -> Any:
        """Return the final submission."""

    def certain(self) -> NDArray[np.bool_]:
        """Tell which examples are proved."""


class ConstantElsewhere(PassedOn[Proving]):
    """Plays an attack, and submits the constant wherever it has proved nothing.

    Parameters
    ----------
    inner
        The attack.
    constant
        What is submitted for an example that is not proved: a number, or a row.
    """

    proves_labels = True

    def __init__(self, inner: Proving, constant: float | NDArray[np.float64]) -> None:
        super().__init__(inner)
        self._constant = constant

    def certain(self) -> NDArray[np.bool_]:
        """Tell which examples are proved."""
        return self._inner.certain()

    def predict(self) -> NDArray[np.float64]:
        """Return the attack's submission, with the constant where nothing is known."""
        rows = np.array(self._inner.predict(), dtype=np.float64)
        rows[~self._inner.certain()] = self._constant
        return rows
