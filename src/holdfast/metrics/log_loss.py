"""Logarithmic loss: the mean of minus the logarithm of the true class's probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

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

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean loss."""
        own = np.clip(self.of_truth(truth, submission), CLIP, 1.0 - CLIP)
        return float(np.mean(-np.log(own)))
