"""Metrics of real targets, and of label sets: rows of 0 and 1, a column for each label."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.base import FunctionOf, Metric, Submission, real_numbers

__all__ = [
    "LARGEST",
    "R2",
    "ExactMatch",
    "HammingLoss",
    "LabelSetMetric",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "NumberMetric",
    "RootMeanSquaredError",
]

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
    # Of numbers t times as large the value is t**degree times as large.
    degree: ClassVar[int] = 1

    @abstractmethod
    def value(self, truth: Any, submission: Any) -> float:
        """Return the value."""

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


@dataclass(frozen=True)
class MeanAbsoluteError(NumberMetric):
    """The mean of absolute differences.

    >>> MeanAbsoluteError().score([0, 1, 3], [0, 2, 2])
    0.6666666666666666
    """

    name: ClassVar[str] = "mae"
    averages_examples: ClassVar[bool] = True
    reveals: ClassVar[str] = (
        "sums, with weights of one's choice, over the targets above numbers of one's choice"
    )
    source: ClassVar[str] = "sklearn.metrics.mean_absolute_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.mean(np.abs(truth - submission)))


@dataclass(frozen=True)
class MeanSquaredError(NumberMetric):
    """The mean of squared differences.

    >>> MeanSquaredError().score([0, 1, 3], [0, 2, 2])
    0.6666666666666666
    """

    name: ClassVar[str] = "mse"
    degree: ClassVar[int] = 2
    averages_examples: ClassVar[bool] = True
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.mean_squared_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.mean((truth - submission) ** 2))


# Targets that differ less from their mean, all squares together, leave no room in a float for the
# quotient by them.
LEAST_VARIATION = 1e-100


@dataclass(frozen=True)
class R2(NumberMetric):
    """One minus the sum of squared differences over that from the targets' mean.

    >>> round(R2().score([0, 1, 3], [0, 2, 2]), 6)
    0.571429
    """

    name: ClassVar[str] = "r2"
    degree: ClassVar[int] = 0
    low: ClassVar[float] = float("-inf")
    high: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = True
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.r2_score"

    def truth(self, hidden: object) -> NDArray[np.float64]:
        """Return the hidden targets, which may not all be equal."""
        targets = super().truth(hidden)
        if targets.min() == targets.max():
            raise InvalidInput("targets must not all be equal for r2.")
        if np.sum((targets - targets.mean()) ** 2) < LEAST_VARIATION:
            raise InvalidInput(
                "targets must differ for r2 by more than floats lose: their squared differences "
                f"from the mean must add up to at least {LEAST_VARIATION:g}."
            )
        return targets

    def value(self, truth: Any, submission: Any) -> float:
        """Return the coefficient."""
        left = np.sum((truth - submission) ** 2)
        return float(1.0 - left / np.sum((truth - truth.mean()) ** 2))


@dataclass(frozen=True)
class RootMeanSquaredError(NumberMetric):
    """The root of the mean of squared differences.

    >>> RootMeanSquaredError().score([0, 1, 3], [0, 2, 2])
    0.816496580927726
    """

    name: ClassVar[str] = "rmse"
    reveals: ClassVar[str] = "sums of the targets with weights of one's choice"
    source: ClassVar[str] = "sklearn.metrics.root_mean_squared_error"

    def value(self, truth: Any, submission: Any) -> float:
        """Return the mean."""
        return float(np.sqrt(np.mean((truth - submission) ** 2)))


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
