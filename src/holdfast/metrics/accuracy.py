"""Accuracy: the share of examples labelled correctly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.base import FunctionOf, LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["Accuracy"]


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
