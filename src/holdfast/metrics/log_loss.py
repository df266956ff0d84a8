"""Logarithmic loss: the mean of minus the logarithm of the true class's probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = ["CLIP", "LogLoss"]

# Probabilities are kept this far from 0 and 1: scikit-learn's, and so most boards'.
CLIP = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LogLoss(ProbabilityMetric):
    """The mean surprise in nats; probabilities are clipped to [CLIP, 1 - CLIP].

    >>> round(LogLoss().score([0, 1], [.5, .25]), 6)
    1.039721
    """

    name: ClassVar[str] = "log_loss"
    high: ClassVar[float] = math.inf
    reveals: ClassVar[str] = "with full precision the labels of dozens of examples of one's choice"
    source: ClassVar[str] = "sklearn.metrics.log_loss"

    def most_offset(self, n_classes: int) -> float:
        """Return the logarithm of the clip, less what keeps a row's rounding from being clipped."""
        return -math.log(CLIP) - math.log(4.0 * n_classes)

    def graded_row(self, unit: float, n_classes: int) -> NDArray[np.float64]:
        """Return probabilities in a geometric sequence."""
        odds = np.exp(-unit * np.arange(n_classes))
        row: NDArray[np.float64] = odds / odds.sum()
        if n_classes == 2:
            row[0] = 1.0 - row[1]  # as it is computed for a submission of class 1 alone
        return row

    def pointed_row(self, weight: float, n_classes: int) -> NDArray[np.float64]:
        """Return one large probability and equal small ones, whose complement is exact."""
        small = 1.0 / (math.exp(weight) + n_classes - 1)
        small = max(1.0, round(small * 2.0**53)) / 2.0**53
        row = np.full(n_classes, small)
        row[0] = 1.0 - (n_classes - 1) * small
        return row

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean loss."""
        own = np.clip(self.of_truth(truth, submission), CLIP, 1.0 - CLIP)
        return float(np.mean(-np.log(own)))
