"""Score rankings of two classes: what AUC and average precision are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import as_labels
from holdfast.metrics.base import Metric, Submission, real_numbers

__all__ = ["RankingMetric", "by_score"]


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
