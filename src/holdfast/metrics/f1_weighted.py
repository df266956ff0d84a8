"""Weighted F1: the mean over classes of F1, by the classes' sizes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["F1Weighted"]


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
