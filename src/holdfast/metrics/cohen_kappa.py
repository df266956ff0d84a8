"""Cohen's kappa: agreement above what the class sizes alone would give."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from holdfast.metrics.base import FunctionOf, LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["CohenKappa"]


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
