"""Label sets: rows of 0 and 1, a column for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.base import Metric, Submission

__all__ = ["LabelSetMetric"]


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
