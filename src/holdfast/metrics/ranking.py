"""Metrics of scores for class 1, of which only the order counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import as_labels
from holdfast.metrics.base import FunctionOf, Metric, Submission, real_numbers

__all__ = ["AveragePrecision", "RankingMetric", "RocAuc", "by_score"]


@dataclass(frozen=True)
class RankingMetric(Metric):
    """A metric of scores for class 1, of which only the order counts."""

    takes: ClassVar[Submission] = Submission.SCORES

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: 0 and 1, both of them."""
        labels = as_labels(hidden, 2, name="labels")
        if labels.min() == labels.max():
            raise InvalidInput(f"labels must have both classes for {self.name}.")
        return labels

    def submitted(self, submission: object, truth: Any) -> NDArray[np.float64]:
        """Return one finite score per example."""
        return real_numbers(submission, (truth.size,))


def by_score(truth: Any, scores: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many examples, and how many of class 1, each distinct score has, ascending.

    >>> by_score(np.array([0, 1, 1]), np.array([.5, .5, .1]))
    (array([1, 2]), array([1, 1]))
    """
    _, place = np.unique(scores, return_inverse=True)
    sizes = np.bincount(place)
    positives = np.bincount(place[truth == 1], minlength=sizes.size)
    return sizes, positives


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
