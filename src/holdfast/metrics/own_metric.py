"""A metric of one's own: any function of the hidden truth and a submission."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import Metric, Submission, real_numbers, submitted_classes
from holdfast.quoting import quoted

__all__ = ["OwnMetric"]

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# What a submission is where it is one entry per example, and no class has to be known.
TAKEN = (Submission.LABELS, Submission.SCORES, Submission.NUMBERS)


@dataclass(frozen=True)
class OwnMetric(Metric):
    """A function called with the hidden truth and a checked submission, both arrays.

    It must return one finite number between `low` and `high`, and must not change its arguments.
    What it returns is released under the guard's rule like any metric. Nothing is known of what
    its values reveal, so no attack reads it, and only what counting released values certifies is.

    Parameters
    ----------
    name
        What ledgers and receipts call it: lower-case letters, digits and underscores. Another
        function needs another name, since looks that were answered are found again by it.
    function
        `function(truth, submission)`.
    low, high
        The range of its values; infinite where there is no limit.
    higher_is_better
        Whether a larger value is a better one.
    takes
        What a submission is: labels, scores or numbers. The truth is numbers where a submission is
        numbers, else labels.

    Examples
    --------
    >>> worst = OwnMetric("worst_error", lambda truth, given: abs(truth - given).max(),
    ...                   low=0.0, high=10.0, higher_is_better=False, takes=Submission.NUMBERS)
    >>> worst.score([1.0, 2.0], [1.5, 4.0])
    2.0
    """

    # Other classes say these of all their instances; here each says it of itself. By keyword, since
    # the base class fixes the order of fields.
    name: str = field()  # type: ignore[misc]
    function: Callable[[Any, Any], Any] = field(repr=False)
    low: float = field(default=0.0, kw_only=True)  # type: ignore[misc]
    high: float = field(default=1.0, kw_only=True)  # type: ignore[misc]
    higher_is_better: bool = field(default=True, kw_only=True)  # type: ignore[misc]
    takes: Submission = field(default=Submission.LABELS, kw_only=True)  # type: ignore[misc]

    exact: ClassVar[bool] = False
    source: ClassVar[str] = "the host's own"
    reveals: ClassVar[str] = "nothing that is known"

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise InvalidInput(
                "name must be a letter and up to 39 more letters, digits or underscores, in lower "
                f"case, got {quoted(self.name)}."
            )
        if not callable(self.function):
            raise InvalidInput(f"function must be callable, got {quoted(self.function)}.")
        if not self.low < self.high:
            raise InvalidInput(f"low must be below high, got {self.low} and {self.high}.")
        if self.takes not in TAKEN:
            known = ", ".join(f"Submission.{each.name}" for each in TAKEN)
            raise InvalidInput(f"takes must be one of {known}, got {quoted(self.takes)}.")

    def truth(self, hidden: object) -> Any:
        """Return the hidden labels or numbers."""
        if self.takes is Submission.NUMBERS:
            found = real_numbers(hidden, None, name="targets", error=InvalidInput)
            if found.ndim != 1:
                raise InvalidInput(f"targets must be one-dimensional, got shape {found.shape}.")
            return found
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return one label or number per example."""
        if self.takes is not Submission.LABELS:
            return real_numbers(submission, (truth.size,))
        most = submitted_classes(submission)
        return as_labels(
            submission, most, name="submission", n_examples=truth.size, error=InvalidQuery
        )

    def value(self, truth: Any, submission: Any) -> float:
        """Return what the function makes of copies, if that is a number in the range."""
        found = self.function(np.array(truth), np.array(submission))
        try:
            array = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(f"{self.name} must return a number, got {quoted(found)}.") from None
        if array.shape != ():
            raise InvalidInput(f"{self.name} must return one number, got shape {array.shape}.")
        value = float(array)
        # Not the value itself: a message may go where the exact value may not.
        if not math.isfinite(value):
            raise InvalidInput(f"{self.name} must return a finite number, got none.")
        if not self.low <= value <= self.high:
            raise InvalidInput(
                f"{self.name} must return a value in [{self.low:g}, {self.high:g}], "
                "got one outside."
            )
        return value

    def __str__(self) -> str:
        return self.name
