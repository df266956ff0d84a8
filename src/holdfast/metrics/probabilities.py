"""Probability forecasts: one number per example and class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import Metric, Submission, real_numbers

__all__ = ["ProbabilityMetric"]

# Rows written with seven digits sum to one within this.
SUM_SLACK = 1e-6


@dataclass(frozen=True)
class ProbabilityMetric(Metric):
    """A metric of probabilities: of class 1 alone if there are two classes, else a row of all.

    A row of more columns than the hidden labels have classes is taken: a board knows its classes,
    a sample of labels need not have all of them.
    """

    takes: ClassVar[Submission] = Submission.PROBABILITIES
    higher_is_better: ClassVar[bool] = False
    exact: ClassVar[bool] = False
    averages_examples: ClassVar[bool] = True

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: integers from 0 on."""
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> NDArray[np.float64]:
        """Return rows of probabilities that sum to 1."""
        array = real_numbers(submission, None)
        if array.ndim == 1 and truth.max() <= 1:
            array = real_numbers(array, (truth.size,))
            self._check_range(array)
            return np.column_stack([1.0 - array, array])
        if array.ndim != 2 or array.shape[0] != truth.size or array.shape[1] <= truth.max():
            raise InvalidQuery(
                f"submission must have {truth.size} rows of at least {int(truth.max()) + 1} "
                f"probabilities, got shape {array.shape}."
            )
        self._check_range(array)
        off = np.abs(array.sum(axis=1) - 1.0) > SUM_SLACK
        if off.any():
            where = int(np.argmax(off))
            raise InvalidQuery(
                f"submission must have rows that sum to 1, got {array[where].sum()} at {where}."
            )
        return array

    def most_offset(self, n_classes: int) -> float:
        """Return how much more one class of a forecast can cost than another, safely."""
        raise NotImplementedError

    def graded_row(self, unit: float, n_classes: int) -> NDArray[np.float64]:
        """Return a forecast under which class c costs c times the unit more than class 0.

        Up to rounding: what it costs exactly, `costs` tells.
        """
        raise NotImplementedError

    def pointed_row(self, weight: float, n_classes: int) -> NDArray[np.float64]:
        """Return a forecast under which all classes but class 0 cost the same, more by a weight."""
        raise NotImplementedError

    def costs(self, row: NDArray[np.float64]) -> list[Fraction]:
        """Return what each class costs under a forecast, exactly as floats compute it."""
        rows = row[None, :]
        return [Fraction(self.value(np.array([label]), rows)) for label in range(row.size)]

    def _check_range(self, array: NDArray[np.float64]) -> None:
        outside = (array < 0.0) | (array > 1.0)
        if outside.any():
            where = np.unravel_index(int(np.argmax(outside)), array.shape)
            raise InvalidQuery(
                f"submission must lie in [0, 1], got {array[where]} at position {int(where[0])}."
            )

    def of_truth(self, truth: Any, submission: Any) -> NDArray[np.float64]:
        """Return the probability that each example's own class was given."""
        found: NDArray[np.float64] = submission[np.arange(truth.size), truth]
        return found
