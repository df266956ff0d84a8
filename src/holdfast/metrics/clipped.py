"""A metric clipped to a stated range, so that rules for bounded values can release it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.metrics.base import FunctionOf, Metric, Submission, Value

__all__ = ["Clipped"]

TRAITS = ("name", "takes", "higher_is_better", "exact", "function_of", "may_fail", "reveals",
          "source")  # fmt: skip


@dataclass(frozen=True)
class Clipped(Metric):
    """A metric whose values beyond a limit are told as that limit. Text form: `log_loss[0,10]`.

    The value of the whole submission is clipped, not each example's part of it.

    >>> from holdfast.metrics import MeanSquaredError
    >>> clipped = Clipped(MeanSquaredError(), low=0.0, high=100.0)
    >>> str(clipped), clipped.score([0.0, 1.0], [50.0, 1.0])
    ('mse[0,100]', 100.0)
    """

    inner: Metric
    # As in `OwnMetric`: what other classes say of all their instances, each says of itself.
    low: float = field(kw_only=True)  # type: ignore[misc]
    high: float = field(kw_only=True)  # type: ignore[misc]
    name: str = field(init=False, repr=False)  # type: ignore[misc]
    takes: Submission = field(init=False, repr=False)  # type: ignore[misc]
    higher_is_better: bool = field(init=False, repr=False)  # type: ignore[misc]
    exact: bool = field(init=False, repr=False)  # type: ignore[misc]
    function_of: FunctionOf = field(init=False, repr=False)  # type: ignore[misc]
    may_fail: bool = field(init=False, repr=False)  # type: ignore[misc]
    reveals: str = field(init=False, repr=False)  # type: ignore[misc]
    source: str = field(init=False, repr=False)  # type: ignore[misc]

    def __post_init__(self) -> None:
        if isinstance(self.inner, Clipped):
            raise InvalidInput(f"metric must not be clipped twice, got {self.inner}.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidInput(
                f"a clip range must be two finite numbers, the lower first, got "
                f"{self.low} and {self.high}."
            )
        if not (self.inner.low <= self.low and self.high <= self.inner.high):
            raise InvalidInput(
                f"a clip range must lie within the metric's [{self.inner.low:g}, "
                f"{self.inner.high:g}], got [{self.low:g}, {self.high:g}]."
            )
        for trait in TRAITS:
            object.__setattr__(self, trait, getattr(self.inner, trait))

    @property
    def inside(self) -> Metric:
        """The metric whose values are told as far as the limits."""
        return self.inner.inside

    def truth(self, hidden: object) -> Any:
        """Return what is hidden, as the metric wants it."""
        return self.inner.truth(hidden)

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return a submission, as the metric wants it."""
        return self.inner.submitted(submission, truth)

    def value(self, truth: Any, submission: Any) -> Value:
        """Return the nearest value in the range."""
        found = self.inner.value(truth, submission)
        if found < self.low:
            return Fraction(self.low)
        return Fraction(self.high) if found > self.high else found

    def __str__(self) -> str:
        return f"{self.inner}[{self.low!r},{self.high!r}]".replace(".0,", ",").replace(".0]", "]")
