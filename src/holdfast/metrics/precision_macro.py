"""Macro precision: the mean over classes of precision."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["PrecisionMacro"]


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
