"""Root mean squared error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.numbers import NumberMetric

__all__ = ["RootMeanSquaredError"]


@dataclass(frozen=True)
class RootMeanSquaredError(NumberMetric):
    """The root of the mean of squared differences.

    >>> RootMeanSquaredError().score([0, 1, 3], [0, 2, 2])
    0.816496580927726
    """

    name: ClassVar[str] = "rmse"
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.root_mean_squared_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.sqrt(np.mean((truth - submission) ** 2)))
