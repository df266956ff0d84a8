"""Mean squared error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.numbers import NumberMetric

__all__ = ["MeanSquaredError"]


@dataclass(frozen=True)
class MeanSquaredError(NumberMetric):
    """The mean of squared differences.

    >>> MeanSquaredError().score([0, 1, 3], [0, 2, 2])
    0.6666666666666666
    """

    name: ClassVar[str] = "mse"
    averages_examples: ClassVar[bool] = True
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.mean_squared_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.mean((truth - submission) ** 2))
