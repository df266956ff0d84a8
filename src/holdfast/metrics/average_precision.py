"""Average precision: precision at each distinct score, weighted by the recall it adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.ranking import RankingMetric, by_score

__all__ = ["AveragePrecision"]


@dataclass(frozen=True)
class AveragePrecision(RankingMetric):
    """The sum over thresholds of precision times the share of positives that it adds.

    A sum of quotients with many denominators: computed in floats, added without loss.

    >>> round(AveragePrecision().score([0, 1, 0, 1], [.1, .4, .35, .8]), 6)
    1.0
    """

    name: ClassVar[str] = "average_precision"
    exact: ClassVar[bool] = False
    reveals: ClassVar[str] = "sums of positives over ranks; two levels: the positives above"
    source: ClassVar[str] = "sklearn.metrics.average_precision_score"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the average precision."""
        sizes, positives = (counts[::-1] for counts in by_score(truth, submission))
        precision = np.cumsum(positives) / np.cumsum(sizes)
        return math.fsum(precision * positives) / int(positives.sum())
