"""Exact match: the share of examples whose whole label set is right."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.base import FunctionOf
from holdfast.metrics.label_sets import LabelSetMetric

__all__ = ["ExactMatch"]


@dataclass(frozen=True)
class ExactMatch(LabelSetMetric):
    """Examples on which the sets are equal, divided by all: subset accuracy.

    >>> ExactMatch().score([[0, 1], [1, 1]], [[0, 1], [0, 1]])
    0.5
    """

    name: ClassVar[str] = "exact_match"
    averages_examples: ClassVar[bool] = True
    counts_hits: ClassVar[bool] = True
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES
    reveals: ClassVar[str] = "the number of matches: accuracy with a class for each set"
    source: ClassVar[str] = "sklearn.metrics.accuracy_score of label indicators"

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return equal rows over all."""
        return Fraction(int(np.count_nonzero((truth == submission).all(axis=1))), truth.shape[0])
