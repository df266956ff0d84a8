"""Real targets: one number per example, hidden and submitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.metrics.base import Metric, Submission, real_numbers

__all__ = ["NumberMetric"]


@dataclass(frozen=True)
class NumberMetric(Metric):
    """A metric of real targets."""

    takes: ClassVar[Submission] = Submission.NUMBERS
    high: ClassVar[float] = float("inf")
    higher_is_better: ClassVar[bool] = False
    exact: ClassVar[bool] = False

    def truth(self, hidden: object) -> NDArray[np.float64]:
        """Return the hidden targets."""
        array = real_numbers(hidden, None, name="targets", error=InvalidInput)
        if array.ndim != 1:
            raise InvalidInput(f"targets must be one-dimensional, got shape {array.shape}.")
        return array

    def submitted(self, submission: object, truth: Any) -> NDArray[np.float64]:
        """Return one number per example."""
        return real_numbers(submission, (truth.size,))
