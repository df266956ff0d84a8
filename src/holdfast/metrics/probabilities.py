"""Metrics of forecasts: a probability per example and class, or a score, whose order counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import FunctionOf, Metric, Submission, real_numbers

__all__ = [
    "CLIP",
    "AveragePrecision",
    "Brier",
    "LogLoss",
    "ProbabilityMetric",
    "RankingMetric",
    "RocAuc",
    "by_score",
]

# Rows written with seven digits sum to one within this.
SUM_SLACK = 1e-6


@dataclass(frozen=True)
class ProbabilityMetric(Metric):
    """A metric of probabilities: of class 1 alone if there are two classes, else a row of all.

    A row of more columns than the hidden labels have classes is taken: a board knows its classes,
    a sample of labels need not have all of them.
    """

    takes: ClassVar[Submission] = Submission.PROBABILITIES
    higher_is_better: ClassVar[bool] = False
    exact: ClassVar[bool] = False
    averages_examples: ClassVar[bool] = True

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: integers from 0 on."""
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> NDArray[np.float64]:
        """Return rows of probabilities that sum to 1."""
        array = real_numbers(submission, None)
        if array.ndim == 1 and truth.max() <= 1:
            array = real_numbers(array, (truth.size,))
            self._check_range(array)
            return np.column_stack([1.0 - array, array])
        if array.ndim != 2 or array.shape[0] != truth.size or array.shape[1] <= truth.max():
            raise InvalidQuery(
                f"submission must have {truth.size} rows of at least {int(truth.max()) + 1} "
                f"probabilities, got shape {array.shape}."
            )
        self._check_range(array)
        off = np.abs(array.sum(axis=1) - 1.0) > SUM_SLACK
        if off.any():
            where = int(np.argmax(off))
            raise InvalidQuery(
                f"submission must have rows that sum to 1, got {array[where].sum()} at {where}."
            )
        return array

    def most_offset(self, n_classes: int) -> float:
        """Return how much more one class of a forecast can cost than another, safely."""
        raise NotImplementedError

    def graded_row(self, unit: float, n_classes: int) -> NDArray[np.float64]:
        """Return a forecast under which class c costs c times the unit more than class 0.

        Up to rounding: what it costs exactly, `costs` tells.
        """
        raise NotImplementedError

    def pointed_row(self, weight: float, n_classes: int) -> NDArray[np.float64]:
        """Return a forecast under which all classes but class 0 cost the same, more by a weight."""
        raise NotImplementedError

    def costs(self, row: NDArray[np.float64]) -> list[Fraction]:
        """Return what each class costs under a forecast, exactly as floats compute it."""
        rows = row[None, :]
        return [Fraction(self.value(np.array([label]), rows)) for label in range(row.size)]

    def _check_range(self, array: NDArray[np.float64]) -> None:
        outside = (array < 0.0) | (array > 1.0)
        if outside.any():
            where = np.unravel_index(int(np.argmax(outside)), array.shape)
            raise InvalidQuery(
                f"submission must lie in [0, 1], got {array[where]} at position {int(where[0])}."
            )

    def of_truth(self, truth: Any, submission: Any) -> NDArray[np.float64]:
        """Return the probability that each example's own class was given."""
        found: NDArray[np.float64] = submission[np.arange(truth.size), truth]
        return found


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
