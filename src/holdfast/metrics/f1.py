"""F1 of class 1: the harmonic mean of precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.metrics.base import LabelMetric
from holdfast.metrics.confusion import ClassCounts, quotient

__all__ = ["F1"]


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
