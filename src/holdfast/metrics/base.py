"""The base class of metrics: what a submission is, what it scores, and what the score reveals."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.confusion import ClassCounts, class_counts

__all__ = ["FunctionOf", "LabelMetric", "Metric", "Submission", "Value"]

# Exact where the metric is a quotient of integers, a float where it has roots or logarithms.
Value: TypeAlias = Fraction | float


class Submission(Enum):
    """What somebody hands in for a metric."""

    LABELS = "one label per example"
    RANKED_LABELS = "K different labels per example"
    LABEL_SETS = "a set of labels per example, as rows of 0 and 1"
    SCORES = "one real number per example: the higher, the likelier class 1"
    PROBABILITIES = "one probability per example and class"
    NUMBERS = "one real number per example"


class FunctionOf(Enum):
    """What of the hidden truth a metric's value depends on, once a submission is fixed."""

    MATCHES = "the number of hits"
    MATCHES_AND_SIZES = "the number of hits and the sizes of the classes"
    CLASS_HITS = "the number of hits in each class and the sizes of the classes"
    CONFUSIONS = "the number of examples of each class that are given each label"
    RANK_SUM = "the rank sum of the positives and their number"
    ANYTHING = "more than counts"


@dataclass(frozen=True)
class Metric:
    """A function of the hidden truth and one submission. A subclass is a frozen dataclass.

    It implements `truth`, which checks what is hidden; `submitted`, which checks what is handed in;
    and `value`, for what both returned.

    Class attributes
    ----------------
    name
        The metric as scikit-learn's scorers spell it.
    takes
        What a submission is.
    low, high
        The range of its values; infinite where there is no limit.
    higher_is_better
        Whether a larger value is a better one.
    exact
        Whether a value is a quotient of integers, and computed as one.
    averages_examples
        Whether it is the mean of one number per example, as theorems about losses want it.
    counts_hits
        Whether it is the share of examples that are right, so that each is right or wrong.
    function_of
        What of the hidden truth a value depends on, which limits how many values there are.
    may_fail
        Whether it may have no value for a submission that can be scored, or one outside of its
        range, which then tells something, too. Of a class of another package it is, unless that
        says otherwise: a guard clips its values, and certificates count one answer more per look.
    reveals
        Which integer counts a value determines, given what is public, in words.
    source
        Where it is defined.
    """

    name: ClassVar[str] = ""
    takes: ClassVar[Submission]
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    averages_examples: ClassVar[bool] = False
    counts_hits: ClassVar[bool] = False
    function_of: ClassVar[FunctionOf] = FunctionOf.ANYTHING
    may_fail: ClassVar[bool] = False
    reveals: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "may_fail" not in vars(cls) and cls.__module__.partition(".")[0] != "holdfast":
            cls.may_fail = True

    @property
    def bounded(self) -> bool:
        """Whether all its values lie between two finite numbers."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def inside(self) -> Metric:
        """The metric without limits that were put on it: itself."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that a look shows: this one."""
        return (str(self),)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metric behind each number that a look shows: itself."""
        return (self,)

    @property
    def ranking(self) -> int:
        """Which of the numbers that a look shows ranks submissions: the only one."""
        return 0

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:  # noqa: ARG002 - as in shows
        """Return which examples the number is about: all."""
        return (None,)

    def truth(self, hidden: object) -> Any:
        """Return what is hidden in the form that `value` takes, or raise `InvalidInput`."""
        raise NotImplementedError

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return a submission in the form that `value` takes, or raise `InvalidQuery`."""
        raise NotImplementedError

    def value(self, truth: Any, submission: Any) -> Value:
        """Return the value of a checked submission."""
        raise NotImplementedError

    def within(self, value: Value) -> Value:
        """Return a value as it may be told: the nearer end of the range, if it can lie outside."""
        return min(max(value, self.low), self.high) if self.may_fail else value

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return the numbers that a look shows: one."""
        return (self.value(truth, submission),)

    def read_by_each(self, submission: Any) -> tuple[Any, ...]:
        """Return what of a submission each number that a look shows is of: all."""
        return (submission,)

    def score(self, hidden: object, submission: object) -> float:
        """Check and score a submission.

        >>> from holdfast.metrics import F1
        >>> F1().score([0, 1, 1, 0], [0, 1, 0, 1])
        0.5
        """
        truth = self.truth(hidden)
        return float(self.value(truth, self.submitted(submission, truth)))

    def __str__(self) -> str:
        settings = ",".join(str(getattr(self, field.name)) for field in fields(self))
        return f"{self.name}:{settings}" if settings else self.name


@dataclass(frozen=True)
class LabelMetric(Metric):
    """A metric of label vectors; a subclass computes it from counts by class."""

    takes: ClassVar[Submission] = Submission.LABELS
    function_of: ClassVar[FunctionOf] = FunctionOf.CLASS_HITS

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: integers from 0 on."""
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> NDArray[Any]:
        """Return a label for each example: integers from 0 on, of any class."""
        most = submitted_classes(submission)
        return as_labels(
            submission, most, name="submission", n_examples=truth.size, error=InvalidQuery
        )

    def value(self, truth: Any, submission: Any) -> Value:
        """Return the value of a checked submission."""
        return self.from_counts(class_counts(truth, submission))

    def from_counts(self, counts: ClassCounts) -> Value:
        """Return the value from how often each class is meant, predicted, and both."""
        raise NotImplementedError


def submitted_classes(submission: object) -> int:
    """Return how many classes submitted labels speak of, or raise `InvalidQuery`."""
    try:
        return count_classes(submission, name="submission")
    except InvalidInput as error:
        raise InvalidQuery(str(error)) from None


def real_numbers(
    values: object,
    shape: tuple[int, ...] | None,
    *,
    name: str = "submission",
    error: type[InvalidInput] = InvalidQuery,
) -> NDArray[np.float64]:
    """Return finite real numbers of this shape as an array, or raise `error`."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise error(f"{name} must be real numbers.") from None
    array = array.astype(np.float64, copy=False)
    if shape is not None and array.shape != shape:
        raise error(f"{name} must have shape {shape}, got {array.shape}.")
    if array.size == 0:
        raise error(f"{name} must not be empty.")
    broken = ~np.isfinite(array)
    if broken.any():
        where = np.unravel_index(int(np.argmax(broken)), array.shape)
        place = int(where[0]) if array.ndim == 1 else tuple(int(each) for each in where)
        raise error(f"{name} must be finite numbers, got {array[where]} at position {place}.")
    return array
