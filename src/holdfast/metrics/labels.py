"""Metrics of one label per example: accuracy, correlations, and quotients of class counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import FunctionOf, LabelMetric, Metric, Submission, submitted_classes
from holdfast.metrics.confusion import ClassCounts, mean, quotient
from holdfast.problem import check_at_least

__all__ = [
    "F1",
    "Accuracy",
    "BalancedAccuracy",
    "CohenKappa",
    "F1Macro",
    "F1Weighted",
    "JaccardMacro",
    "MatthewsCorrcoef",
    "PrecisionMacro",
    "RecallMacro",
    "TopKAccuracy",
]


@dataclass(frozen=True)
class Accuracy(LabelMetric):
    """Matches divided by the number of examples.

    >>> Accuracy().score([0, 1, 1, 2], [0, 1, 0, 0])
    0.5
    """

    name: ClassVar[str] = "accuracy"
    averages_examples: ClassVar[bool] = True
    counts_hits: ClassVar[bool] = True
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES
    reveals: ClassVar[str] = "the number of matches"
    source: ClassVar[str] = "sklearn.metrics.accuracy_score"

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return matches over n."""
        return Fraction(counts.matches, counts.n)

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return matches over n, counted at once."""
        return Fraction(int(np.count_nonzero(truth == submission)), truth.size)


@dataclass(frozen=True)
class BalancedAccuracy(LabelMetric):
    """The mean of the recalls of all classes that the truth has.

    >>> BalancedAccuracy().score([0, 0, 0, 1], [0, 0, 1, 1])
    0.8333333333333334
    """

    name: ClassVar[str] = "balanced_accuracy"
    reveals: ClassVar[str] = (
        "a sum of matches weighted by class; for two classes of public sizes, the matches"
    )
    source: ClassVar[str] = "sklearn.metrics.balanced_accuracy_score"

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the mean recall."""
        recalls = zip(counts.both, counts.true, strict=True)
        return mean([quotient(both, true) for both, true in recalls if true])


@dataclass(frozen=True)
class CohenKappa(LabelMetric):
    """Observed agreement minus the expected one, over the most that could be above it.

    Where truth and submission are the same constant, nothing could be above: the value is 0 (in
    scikit-learn not a number, which no board can rank).

    >>> CohenKappa().score([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """

    name: ClassVar[str] = "cohen_kappa"
    low: ClassVar[float] = -1.0
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES_AND_SIZES
    reveals: ClassVar[str] = "the number of matches, where the classes' sizes are public"
    source: ClassVar[str] = "sklearn.metrics.cohen_kappa_score; Cohen 1960"

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return (matches n - e) / (n^2 - e), e the sum of products of class sizes."""
        n = counts.n
        expected = sum(t * p for t, p in zip(counts.true, counts.predicted, strict=True))
        if expected == n * n:
            return Fraction(0)
        return Fraction(counts.matches * n - expected, n * n - expected)


@dataclass(frozen=True)
class F1(LabelMetric):
    """Twice the true positives over the positives, true and predicted; 0 if there are none.

    >>> F1().score([1, 1, 0, 0], [1, 0, 0, 0])
    0.6666666666666666
    """

    name: ClassVar[str] = "f1"
    reveals: ClassVar[str] = "the number of true positives, where that of positives is public"
    source: ClassVar[str] = "sklearn.metrics.f1_score"

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels, of two classes."""
        labels = super().truth(hidden)
        if labels.max() > 1:
            raise InvalidInput(f"labels must be 0 or 1 for {self.name}, got {labels.max()}.")
        return labels

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return 2 tp / (2 tp + fp + fn)."""
        if 1 not in counts.classes:
            return Fraction(0)
        here = counts.classes.index(1)
        return quotient(2 * counts.both[here], counts.true[here] + counts.predicted[here])


@dataclass(frozen=True)
class F1Macro(LabelMetric):
    """The mean of all classes' F1.

    Classes are those that occur, meant or predicted; a quotient with nothing below counts 0.

    >>> F1Macro().score([0, 0, 1, 2], [0, 1, 1, 2])
    0.7777777777777778
    """

    name: ClassVar[str] = "f1_macro"
    reveals: ClassVar[str] = "a sum of the classes' matches, each over a denominator of its own"
    source: ClassVar[str] = 'sklearn.metrics.f1_score, average="macro"'

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the mean over classes."""
        each = zip(counts.both, counts.true, counts.predicted, strict=True)
        return mean([quotient(2 * both, true + predicted) for both, true, predicted in each])


@dataclass(frozen=True)
class F1Weighted(LabelMetric):
    """The mean of all classes' F1, weighted by how many examples each class has.

    >>> F1Weighted().score([0, 0, 1, 2], [0, 1, 1, 2])
    0.75
    """

    name: ClassVar[str] = "f1_weighted"
    reveals: ClassVar[str] = "a sum of the classes' matches, each over a denominator of its own"
    source: ClassVar[str] = 'sklearn.metrics.f1_score, average="weighted"'

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the weighted mean over classes."""
        each = zip(counts.both, counts.true, counts.predicted, strict=True)
        return mean(
            [quotient(2 * both, true + predicted) for both, true, predicted in each], counts.true
        )


@dataclass(frozen=True)
class JaccardMacro(LabelMetric):
    """The mean of all classes' Jaccard index: matches over meant or predicted.

    Classes are those that occur, meant or predicted; a quotient with nothing below counts 0.

    >>> JaccardMacro().score([0, 0, 1, 2], [0, 1, 1, 2])
    0.6666666666666666
    """

    name: ClassVar[str] = "jaccard_macro"
    reveals: ClassVar[str] = "a sum of the classes' matches, each over a denominator of its own"
    source: ClassVar[str] = 'sklearn.metrics.jaccard_score, average="macro"'

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the mean over classes."""
        each = zip(counts.both, counts.true, counts.predicted, strict=True)
        return mean([quotient(both, true + predicted - both) for both, true, predicted in each])


@dataclass(frozen=True)
class MatthewsCorrcoef(LabelMetric):
    """Covariance over standard deviations of the class indicators; 0 for a constant one.

    Integers up to the root: the one rounding is that of the last quotient.

    >>> round(MatthewsCorrcoef().score([1, 1, 0, 0], [1, 0, 0, 0]), 6)
    0.57735
    """

    name: ClassVar[str] = "matthews_corrcoef"
    low: ClassVar[float] = -1.0
    exact: ClassVar[bool] = False
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES_AND_SIZES
    reveals: ClassVar[str] = "the number of matches, where the classes' sizes are public"
    source: ClassVar[str] = "sklearn.metrics.matthews_corrcoef; Gorodkin 2004 for several classes"

    def from_counts(self, counts: ClassCounts) -> float:
        """Return the correlation."""
        n = counts.n
        pairs = zip(counts.true, counts.predicted, strict=True)
        above = counts.matches * n - sum(true * predicted for true, predicted in pairs)
        spreads = [n * n - sum(c * c for c in side) for side in (counts.true, counts.predicted)]
        below = spreads[0] * spreads[1]
        return above / math.sqrt(below) if below else 0.0


@dataclass(frozen=True)
class PrecisionMacro(LabelMetric):
    """The mean of all classes' precision: matches over predictions.

    Classes are those that occur, meant or predicted; a quotient with nothing below counts 0.

    >>> PrecisionMacro().score([0, 0, 1, 2], [0, 1, 1, 2])
    0.8333333333333334
    """

    name: ClassVar[str] = "precision_macro"
    reveals: ClassVar[str] = "a sum of the classes' matches, each over a denominator of its own"
    source: ClassVar[str] = 'sklearn.metrics.precision_score, average="macro"'

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the mean over classes."""
        each = zip(counts.both, counts.true, counts.predicted, strict=True)
        return mean([quotient(both, predicted) for both, _, predicted in each])


@dataclass(frozen=True)
class RecallMacro(LabelMetric):
    """The mean of all classes' recall: matches over examples.

    Classes are those that occur, meant or predicted; a quotient with nothing below counts 0.

    >>> RecallMacro().score([0, 0, 1, 2], [0, 1, 1, 2])
    0.8333333333333334
    """

    name: ClassVar[str] = "recall_macro"
    reveals: ClassVar[str] = "a sum of the classes' matches, each over a denominator of its own"
    source: ClassVar[str] = 'sklearn.metrics.recall_score, average="macro"'

    def from_counts(self, counts: ClassCounts) -> Fraction:
        """Return the mean over classes."""
        each = zip(counts.both, counts.true, counts.predicted, strict=True)
        return mean([quotient(both, true) for both, true, _ in each])


@dataclass(frozen=True)
class TopKAccuracy(Metric):
    """Examples whose label is one of the K that are named for it, divided by all.

    A submission names K different labels per example, without an order: what scikit-learn takes
    from the K highest scores. Text form: `top_k_accuracy:5`.

    >>> TopKAccuracy(2).score([0, 1, 2], [[0, 1], [0, 2], [2, 1]])
    0.6666666666666666
    """

    k: int

    name: ClassVar[str] = "top_k_accuracy"
    takes: ClassVar[Submission] = Submission.RANKED_LABELS
    averages_examples: ClassVar[bool] = True
    counts_hits: ClassVar[bool] = True
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES
    reveals: ClassVar[str] = "the number of examples whose label is among the K named ones"
    source: ClassVar[str] = "sklearn.metrics.top_k_accuracy_score"

    def __post_init__(self) -> None:
        check_at_least("k", self.k, 1)

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: integers from 0 on."""
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> NDArray[Any]:
        """Return a row of K different labels for each example."""
        rows = np.asarray(submission)
        if rows.shape != (truth.size, self.k):
            raise InvalidQuery(
                f"submission must have {truth.size} rows of {self.k} labels, got {rows.shape}."
            )
        flat = rows.ravel()
        rows = as_labels(
            flat, submitted_classes(flat), name="submission", error=InvalidQuery
        ).reshape(rows.shape)
        ordered = np.sort(rows, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if twice.any():
            where = int(np.argmax(twice))
            raise InvalidQuery(
                f"submission must name different labels, got {rows[where]} at {where}."
            )
        return rows

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return hits over n."""
        return Fraction(int(np.count_nonzero(submission == truth[:, None])), truth.size)
