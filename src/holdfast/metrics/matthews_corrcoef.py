"""Matthews correlation: the correlation of two label vectors as class indicators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from holdfast.metrics.base import FunctionOf, LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["MatthewsCorrcoef"]


@dataclass(frozen=True)
class MatthewsCorrcoef(LabelMetric):
    """Covariance over standard deviations of the class indicators; 0 for a constant one.

    Integers up to the root: the one rounding is that of the last quotient.

    >>> round(MatthewsCorrcoef().score([1, 1, 0, 0], [1, 0, 0, 0]), 6)
    0.57735
    """

    name: ClassVar[str] = "matthews_corrcoef"
    low: ClassVar[float] = -1.0
    exact: ClassVar[bool] = False
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES_AND_SIZES
    reveals: ClassVar[str] = "the number of matches, where the classes' sizes are public"
    source: ClassVar[str] = "sklearn.metrics.matthews_corrcoef; Gorodkin 2004 for several classes"

    def from_counts(self, counts: ClassCounts) -> float:
        """Return the correlation."""
        n = counts.n
        pairs = zip(counts.true, counts.predicted, strict=True)
        above = counts.matches * n - sum(true * predicted for true, predicted in pairs)
        spreads = [n * n - sum(c * c for c in side) for side in (counts.true, counts.predicted)]
        below = spreads[0] * spreads[1]
        return above / math.sqrt(below) if below else 0.0
