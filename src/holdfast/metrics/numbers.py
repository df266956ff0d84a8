"""Real targets: one number per example, hidden and submitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.base import Metric, Submission, real_numbers

__all__ = ["LARGEST", "NumberMetric"]

# Squares of larger numbers may add up to more than a float holds. Who is told so must not learn
# anything about the targets by it, so it is a limit of what may be handed in.
LARGEST = 1e75


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
        _check_sizes(array, "targets", InvalidInput)
        return array

    def submitted(self, submission: object, truth: Any) -> NDArray[np.float64]:
        """Return one number per example."""
        array = real_numbers(submission, (truth.size,))
        _check_sizes(array, "submission", InvalidQuery)
        return array


def _check_sizes(array: NDArray[np.float64], name: str, error: type[InvalidInput]) -> None:
    """Raise `error` if a number is too large for its square to be added up."""
    large = np.abs(array) > LARGEST
    if large.any():
        at = int(np.argmax(large))
        raise error(
            f"{name} must be numbers of at most {LARGEST:g} in size, got {array[at]} at "
            f"position {at}."
        )
