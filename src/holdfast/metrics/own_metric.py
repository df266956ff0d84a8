"""A metric of one's own: any function of the hidden truth and a submission."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery, ReleaseFailed
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import Metric, Submission, real_numbers, submitted_classes
from holdfast.quoting import quoted

__all__ = ["OwnMetric", "mean_outcome"]

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# What a submission is where it is one entry per example, and no class has to be known.
TAKEN = (Submission.LABELS, Submission.SCORES, Submission.NUMBERS)


@dataclass(frozen=True)
class OwnMetric(Metric):
    """A function called with the hidden truth and a checked submission, both arrays.

    It should return one number between `low` and `high`: one beyond them is taken for the nearer of
    the two. Where it raises, or returns anything else, it has no value: a guard answers that, at
    the price of a look, and certificates count it as one value more. What it returns is released
    under the guard's rule like any metric. Nothing is known of what its values reveal, so no attack
    reads it, and only what counting released values certifies is.

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
    may_fail: ClassVar[bool] = True
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
        """Return what the function makes of copies, or the nearer limit of the range.

        Raises
        ------
        ReleaseFailed
            The function raised, or did not return one number.
        """
        try:
            found = np.asarray(self.function(np.array(truth), np.array(submission)), np.float64)
            value = float(np.clip(found, self.low, self.high)) if found.shape == () else math.nan
        except KeyboardInterrupt:
            raise
        # Whatever ends the function: which way it took may depend on the labels.
        except BaseException as error:
            raise ReleaseFailed(self._no_value) from error
        if not math.isfinite(value):
            raise ReleaseFailed(self._no_value)
        return value

    @property
    def _no_value(self) -> str:
        return f"{self.name} must return one finite number for this submission, and does not."

    def __str__(self) -> str:
        return self.name


def mean_outcome(low: float, high: float) -> OwnMetric:
    """Return the metric of outcomes graded between two numbers: their mean.

    >>> mean_outcome(0.0, 10.0).score([0.0, 0.0], [3.0, 4.0])
    3.5
    """
    return OwnMetric("mean_outcome", _mean, low=low, high=high, takes=Submission.NUMBERS)


def _mean(_: Any, outcomes: Any) -> float:
    # The exact sum, rounded once: the order of the tasks makes no difference.
    return math.fsum(outcomes.tolist()) / len(outcomes)
