"""Brier score: the mean squared distance of probabilities from what came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

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

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean squared error of the class indicators."""
        if submission.shape[1] == 2:
            return float(np.mean((submission[:, 1] - truth) ** 2))
        own = self.of_truth(truth, submission)
        squares = np.sum(submission**2, axis=1)
        return float(np.mean(squares - 2.0 * own + 1.0))
