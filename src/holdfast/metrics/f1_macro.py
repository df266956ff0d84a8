"""Macro F1: the mean over classes of F1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["F1Macro"]


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
