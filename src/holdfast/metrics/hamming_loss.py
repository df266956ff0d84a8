"""Hamming loss: the share of wrong cells of label sets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from holdfast.metrics.label_sets import LabelSetMetric

__all__ = ["HammingLoss"]


@dataclass(frozen=True)
class HammingLoss(LabelSetMetric):
    """Cells (example, label) on which the sets differ, divided by all.

    >>> HammingLoss().score([[0, 1], [1, 1]], [[0, 1], [0, 1]])
    0.25
    """

    name: ClassVar[str] = "hamming_loss"
    higher_is_better: ClassVar[bool] = False
    averages_examples: ClassVar[bool] = True
    reveals: ClassVar[str] = "the number of matching cells: accuracy of two classes on n x m cells"
    source: ClassVar[str] = "sklearn.metrics.hamming_loss"

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return differing cells over all."""
        return Fraction(int(np.count_nonzero(truth != submission)), truth.size)
