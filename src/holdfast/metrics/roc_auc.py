"""Area under the ROC curve: the chance that a positive outranks a negative."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.base import FunctionOf
from holdfast.metrics.ranking import RankingMetric, by_score

__all__ = ["RocAuc"]


@dataclass(frozen=True)
class RocAuc(RankingMetric):
    """Pairs of a positive and a negative in the right order, ties half, over all pairs.

    >>> RocAuc().score([0, 1, 0, 1], [.1, .4, .4, .8])
    0.875
    """

    name: ClassVar[str] = "roc_auc"
    function_of: ClassVar[FunctionOf] = FunctionOf.RANK_SUM
    reveals: ClassVar[str] = "the rank sum of the positives, where their number is public"
    source: ClassVar[str] = "sklearn.metrics.roc_auc_score; Mann & Whitney 1947"

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return twice the Mann-Whitney statistic over twice the number of pairs."""
        sizes, positives = by_score(truth, submission)
        negatives = sizes - positives
        below = np.cumsum(negatives) - negatives
        # Twice the statistic is below 2 P N <= n^2 / 2: no overflow below 4e9 examples.
        twice = int(np.sum(positives * (2 * below + negatives)))
        total = int(positives.sum()), int(negatives.sum())
        return Fraction(twice, 2 * total[0] * total[1])
