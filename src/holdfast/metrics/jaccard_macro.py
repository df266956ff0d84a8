"""Macro Jaccard index: the mean over classes of matches over occurrences."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["JaccardMacro"]


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
