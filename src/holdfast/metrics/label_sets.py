"""Metrics of label sets: rows of 0 and 1, a column for each label."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.base import FunctionOf, Metric, Submission

__all__ = ["ExactMatch", "HammingLoss", "LabelSetMetric"]


@dataclass(frozen=True)
class LabelSetMetric(Metric):
    """A metric of label sets."""

    takes: ClassVar[Submission] = Submission.LABEL_SETS

    def truth(self, hidden: object) -> NDArray[np.bool_]:
        """Return the hidden sets as truth values."""
        return _as_sets(hidden, "labels", InvalidInput)

    def submitted(self, submission: object, truth: Any) -> NDArray[np.bool_]:
        """Return the submitted sets as truth values."""
        sets = _as_sets(submission, "submission", InvalidQuery)
        if sets.shape != truth.shape:
            raise InvalidQuery(f"submission must have shape {truth.shape}, got {sets.shape}.")
        return sets


def _as_sets(values: object, name: str, error: type[InvalidInput]) -> NDArray[np.bool_]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise error(f"{name} must be rows of equal length.") from None
    if array.ndim != 2 or array.size == 0:
        raise error(f"{name} must be rows of 0 and 1, got shape {array.shape}.")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise error(f"{name} must consist of 0 and 1 alone.")
    return array.astype(np.bool_)


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
