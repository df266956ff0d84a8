"""Mean absolute error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.numbers import NumberMetric

__all__ = ["MeanAbsoluteError"]


@dataclass(frozen=True)
class MeanAbsoluteError(NumberMetric):
    """The mean of absolute differences.

    >>> MeanAbsoluteError().score([0, 1, 3], [0, 2, 2])
    0.6666666666666666
    """

    name: ClassVar[str] = "mae"
    averages_examples: ClassVar[bool] = True
    reveals: ClassVar[str] = (
        "sums, with weights of one's choice, over the targets above numbers of one's choice"
    )
    source: ClassVar[str] = "sklearn.metrics.mean_absolute_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.mean(np.abs(truth - submission)))
