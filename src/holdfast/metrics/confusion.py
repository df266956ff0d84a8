"""Confusion counts of two label vectors, and the averages over classes that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "ClassCounts",
    "class_counts",
    "confusion_matrix",
    "mean",
    "quotient",
    "two_class_counts",
]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """How often each class is meant, predicted, and both: plain integers, without overflow.

    Classes are those that occur, meant or predicted, in ascending order: what scikit-learn averages
    over if it is not told the classes.
    """

    n: int
    classes: tuple[int, ...]
    true: tuple[int, ...]
    predicted: tuple[int, ...]
    both: tuple[int, ...]

    @property
    def matches(self) -> int:
        """Number of examples labelled correctly."""
        return sum(self.both)


def class_counts(truth: Any, submission: Any) -> ClassCounts:
    """Count the classes of the truth, of the submission, and of the matches.

    >>> class_counts(np.array([0, 0, 3]), np.array([0, 1, 3]))
    ClassCounts(n=3, classes=(0, 1, 3), true=(2, 0, 1), predicted=(1, 1, 1), both=(1, 0, 1))
    """
    classes = int(max(truth.max(), submission.max())) + 1
    true = np.bincount(truth, minlength=classes)
    predicted = np.bincount(submission, minlength=classes)
    both = np.bincount(truth[truth == submission], minlength=classes)
    here = np.flatnonzero(true + predicted)
    kept = (tuple(counts[here].tolist()) for counts in (true, predicted, both))
    return ClassCounts(int(truth.size), tuple(here.tolist()), *kept)


def two_class_counts(n: int, positives: int, predicted: int, both: int) -> ClassCounts:
    """Return the counts of two classes: positives, examples predicted positive, and both.

    >>> two_class_counts(10, 3, 4, 2).both
    (5, 2)
    """
    rows = zip(
        (0, 1),
        (n - positives, positives),
        (n - predicted, predicted),
        (n - positives - predicted + both, both),
        strict=True,
    )
    kept = [row for row in rows if row[1] or row[2]]
    return ClassCounts(n, *(tuple(column) for column in zip(*kept, strict=True)))


def confusion_matrix(truth: Any, submission: Any, n_classes: int) -> Any:
    """Return how many examples of class i (row) are given label j (column)."""
    cells = truth.astype(np.int64) * n_classes + submission
    counts = np.bincount(cells, minlength=n_classes * n_classes)
    return counts.reshape(n_classes, n_classes)


def quotient(over: int, under: int) -> Fraction:
    """Return a quotient of counts; 0 where nothing is counted below, as scikit-learn does.

    >>> quotient(1, 2), quotient(0, 0)
    (Fraction(1, 2), Fraction(0, 1))
    """
    return Fraction(over, under) if under else Fraction(0)


def mean(values: Sequence[Fraction], weights: Sequence[int] | None = None) -> Fraction:
    """Return the mean of exact values, weighted by counts if they are given.

    Many different denominators would make the sum's own as long as their product, and adding
    slow: terms are first put together by denominator.
    """
    weights = [1] * len(values) if weights is None else weights
    by_denominator: dict[int, int] = {}
    for value, weight in zip(values, weights, strict=True):
        below = value.denominator
        by_denominator[below] = by_denominator.get(below, 0) + weight * value.numerator
    total = sum((Fraction(over, under) for under, over in by_denominator.items()), Fraction(0))
    return total / sum(weights)
