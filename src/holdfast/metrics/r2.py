"""Coefficient of determination: one minus the squared error over that of the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.metrics.numbers import NumberMetric

__all__ = ["R2"]

# Targets that differ less from their mean, all squares together, leave no room in a float for the
# quotient by them.
LEAST_VARIATION = 1e-100


@dataclass(frozen=True)
class R2(NumberMetric):
    """One minus the sum of squared differences over that from the targets' mean.

    >>> round(R2().score([0, 1, 3], [0, 2, 2]), 6)
    0.571429
    """

    name: ClassVar[str] = "r2"
    low: ClassVar[float] = float("-inf")
    high: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = True
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.r2_score"

    def truth(self, hidden: object) -> NDArray[np.float64]:
        """Return the hidden targets, which may not all be equal."""
        targets = super().truth(hidden)
        if targets.min() == targets.max():
            raise InvalidInput("targets must not all be equal for r2.")
        if np.sum((targets - targets.mean()) ** 2) < LEAST_VARIATION:
            raise InvalidInput(
                "targets must differ for r2 by more than floats lose: their squared differences "
                f"from the mean must add up to at least {LEAST_VARIATION:g}."
            )
        return targets

    def value(self, truth: Any, submission: Any) -> float:
        """Return the coefficient."""
        left = np.sum((truth - submission) ** 2)
        return float(1.0 - left / np.sum((truth - truth.mean()) ** 2))
