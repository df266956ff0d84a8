"""Balanced accuracy: the mean recall of the classes that occur."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, mean, quotient

__all__ = ["BalancedAccuracy"]


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
