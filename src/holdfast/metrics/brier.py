"""Brier score: the mean squared distance of probabilities from what came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = ["Brier"]


@dataclass(frozen=True)
class Brier(ProbabilityMetric):
    """The mean over examples of squared errors: of class 1 for two classes, else of all, summed.

    For two classes it lies in [0, 1], for more in [0, 2].

    >>> Brier().score([0, 1], [.5, .5])
    0.25
    """

    name: ClassVar[str] = "brier"
    high: ClassVar[float] = 2.0
    reveals: ClassVar[str] = "with full precision the labels of dozens of examples of one's choice"
    source: ClassVar[str] = "sklearn.metrics.brier_score_loss; Brier 1950"

    def most_offset(self, n_classes: int) -> float:
        """Return the largest sum of offsets that a row has room for."""
        return 1.0 if n_classes == 2 else 4.0 / n_classes

    def graded_row(self, unit: float, n_classes: int) -> NDArray[np.float64]:
        """Return probabilities in an arithmetic sequence."""
        if n_classes == 2:
            low = (1.0 - unit) / 2.0
            return np.array([1.0 - low, low])
        steps = np.arange(n_classes) * (unit / 2.0)
        row: NDArray[np.float64] = 1.0 / n_classes + steps.mean() - steps
        return row

    def pointed_row(self, weight: float, n_classes: int) -> NDArray[np.float64]:
        """Return one larger probability and equal smaller ones."""
        if n_classes == 2:
            return self.graded_row(weight, 2)
        small = (1.0 - weight / 2.0) / n_classes
        row = np.full(n_classes, small)
        row[0] = 1.0 - (n_classes - 1) * small
        return row

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean squared error of the class indicators."""
        if submission.shape[1] == 2:
            return float(np.mean((submission[:, 1] - truth) ** 2))
        own = self.of_truth(truth, submission)
        squares = np.sum(submission**2, axis=1)
        return float(np.mean(squares - 2.0 * own + 1.0))
