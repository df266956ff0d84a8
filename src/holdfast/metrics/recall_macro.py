"""Macro recall: the mean over classes of recall."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["RecallMacro"]


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
