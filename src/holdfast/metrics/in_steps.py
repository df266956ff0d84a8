"""A metric of targets with decimals, computed from whole numbers of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from holdfast.metrics.base import Metric, Submission
from holdfast.metrics.clipped import TRAITS, Clipped
from holdfast.metrics.numbers import NumberMetric

__all__ = ["InSteps"]


@dataclass(frozen=True)
class InSteps(Metric):
    """A metric of numbers whose targets and submissions are counted in steps of 1/`per_one`.

    Its values are those that the metric has of the numbers themselves. Attacks read whole numbers,
    so an audit plays prices with cents as whole numbers of cents, and tells errors in euros.

    >>> from holdfast.metrics import MeanSquaredError
    >>> MeanSquaredError().score([0.25, 1.0], [0.25, 0.75])
    0.03125
    >>> InSteps(MeanSquaredError(), 100).score([25, 100], [25, 75])
    0.03125
    """

    inner: NumberMetric
    per_one: int
    # As in `Clipped`: what other classes say of all their instances, each says of itself.
    low: float = field(init=False, repr=False)  # type: ignore[misc]
    high: float = field(init=False, repr=False)  # type: ignore[misc]
    averages_examples: bool = field(init=False, repr=False)  # type: ignore[misc]
    name: str = field(init=False, repr=False)  # type: ignore[misc]
    takes: Submission = field(init=False, repr=False)  # type: ignore[misc]
    higher_is_better: bool = field(init=False, repr=False)  # type: ignore[misc]
    exact: bool = field(init=False, repr=False)  # type: ignore[misc]
    function_of: Any = field(init=False, repr=False)  # type: ignore[misc]
    reveals: str = field(init=False, repr=False)  # type: ignore[misc]
    source: str = field(init=False, repr=False)  # type: ignore[misc]

    def __post_init__(self) -> None:
        for trait in ("low", "high", "averages_examples", *TRAITS):
            object.__setattr__(self, trait, getattr(self.inner, trait))

    @classmethod
    def of(cls, metric: Metric, per_one: int) -> Metric:
        """Return a metric of numbers, clipped or not, counted in steps; any other as it is."""
        if isinstance(metric, Clipped) and per_one > 1:
            return Clipped(cls.of(metric.inner, per_one), low=metric.low, high=metric.high)
        return cls(metric, per_one) if per_one > 1 and isinstance(metric, NumberMetric) else metric

    @property
    def inside(self) -> Metric:
        """The metric of the numbers themselves."""
        return self.inner

    @property
    def factor(self) -> float:
        """How many times as large a value of the steps themselves is."""
        return float(self.per_one**self.inner.degree)

    @staticmethod
    def undone(metric: Metric) -> tuple[Metric, float]:
        """Return the metric of the steps themselves, and how many times as large its values are."""
        if isinstance(metric, Clipped):
            inner, factor = InSteps.undone(metric.inner)
            return Clipped(inner, low=factor * metric.low, high=factor * metric.high), factor
        return (metric.inner, metric.factor) if isinstance(metric, InSteps) else (metric, 1.0)

    def truth(self, hidden: object) -> Any:
        """Return the hidden targets, in steps."""
        return self.inner.truth(hidden)

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return one number per example, in steps."""
        return self.inner.submitted(submission, truth)

    def value(self, truth: Any, submission: Any) -> float:
        """Return what the metric is of the numbers themselves."""
        return self.inner.value(truth, submission) / self.factor

    def __str__(self) -> str:
        return str(self.inner)
