"""Requests for audits of any metric: what else a board shows, and of which groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.audit.inputs.group_columns import read_groups
from holdfast.audit.inputs.reading import read_request
from holdfast.audit.inputs.request import Request
from holdfast.errors import InvalidInput, NotSupported
from holdfast.mechanisms import check_metric
from holdfast.metrics import (
    Breakdown,
    Clipped,
    LabelMetric,
    MeanAbsoluteError,
    Metric,
    RocAuc,
    Several,
    Show,
    Submission,
    TopKAccuracy,
)
from holdfast.metrics.display import Display
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem

__all__ = ["TOTAL", "MetricRequest", "display_for", "read_metric_request", "with_groups"]

# The show of one number, as tables call it.
TOTAL = "total only"


@dataclass(frozen=True, eq=False)
class MetricRequest:
    """All that an audit of a metric starts from.

    Parameters
    ----------
    request
        Labels, rule, looks and the rest, as for an audit of accuracies.
    display
        What the board shows: the metric that ranks, of which groups, and metrics beside it.
    groups
        The group of each scored example; None: the board shows no groups.

    Raises
    ------
    NotSupported
        If no attack reads the metric, or the rule does not work on it; the reason says which.
    """

    request: Request
    display: Display
    groups: NDArray[Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.breakdown is None) != (self.groups is None):
            raise InvalidInput("breakdown and groups must be given together.")
        if self.request.predictions or self.request.history is not None:
            what = "predictions" if self.request.predictions else "history"
            raise InvalidInput(f"{what} must be left out: audits of a metric do not use them yet.")
        for metric in self.display.metrics:
            check_covered(metric, self.request.problem)
            check_metric(self.request.rule, metric)
        if self.request.rule.waits:
            raise NotSupported(f"{self.request.rule} holds answers back: no attack is told any.")
        for show in self.shows.values():
            show.truth(self.hidden)

    @property
    def metric(self) -> Metric:
        """What the ranking goes by."""
        return self.display.metric

    @property
    def also(self) -> tuple[Metric, ...]:
        """Metrics that the board shows beside it."""
        return self.display.also

    @property
    def breakdown(self) -> str | None:
        """What the groups are called."""
        return self.display.breakdown

    @property
    def n_groups(self) -> int:
        """How many groups the board shows."""
        return 0 if self.groups is None else int(np.unique(self.groups).size)

    @property
    def board(self) -> str:
        """What the board shows, in words.

        It stands in the first line of everything that an audit prints or writes.
        """
        words = str(self.display)
        return words if self.groups is None else f"{words}, {self.n_groups:,} groups"

    @cached_property
    def hidden(self) -> NDArray[Any]:
        """The hidden truth: labels, or numbers where the metric is about numbers."""
        if self.metric.takes is not Submission.NUMBERS:
            return self.request.labels
        try:
            values = np.array([float(name) for name in self.request.file.class_names])
        except ValueError:
            raise InvalidInput(
                f"labels must be numbers for {self.metric}, got "
                f"{self.request.file.class_names[0]!r}."
            ) from None
        return values[self.request.labels]

    @cached_property
    def shows(self) -> dict[str, Show]:
        """What a look may show, by name: the metric alone, then all that the board adds."""
        found: dict[str, Show] = {TOTAL: self.metric}
        if self.groups is not None:
            found[f"with {self.breakdown} scores"] = Breakdown(self.groups, self.metric, total=True)
        if self.also:
            found[f"with {' and '.join(map(str, self.also))}"] = Several([self.metric, *self.also])
        return found


def check_covered(metric: Metric, problem: Problem) -> None:
    """Raise `NotSupported`, with the reason, unless some attack plays through the metric.

    >>> from holdfast.metrics import AveragePrecision
    >>> check_covered(AveragePrecision(), Problem(100, 2, 5))
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: average_precision is not covered: no attack here reads what its \
values tell.
    """
    m = problem.n_classes
    if isinstance(metric, Clipped):
        metric = metric.inner
    if isinstance(metric, (LabelMetric, ProbabilityMetric, MeanAbsoluteError, *SQUARED)):
        return
    if isinstance(metric, RocAuc):
        if m == 2:
            return
        reason = f"an area under a ROC curve is one of two classes, and these labels have {m}"
    elif isinstance(metric, TopKAccuracy):
        if m % metric.k == 0 and m >= 2 * metric.k:
            return
        reason = f"the attack cuts the classes into blocks of {metric.k}, and there are {m}"
    elif metric.takes is Submission.LABEL_SETS:
        reason = "it scores sets of labels, and a label file has one label per example"
    else:
        reason = "no attack here reads what its values tell"
    raise NotSupported(f"{metric} is not covered: {reason}.")


def read_metric_request(
    labels: Path | None = None,
    *,
    metric: str | None = None,
    breakdown: str | None = None,
    also: Sequence[str] = (),
    **options: Any,
) -> MetricRequest:
    """Read what `holdfast audit --metric` is given; other options are those of `read_request`.

    Parameters
    ----------
    labels
        CSV or NPY file of hidden labels; None: the embedded example.
    metric
        What the ranking goes by, as `metrics.registry.parse_metric` reads it; None: the policy's,
        or accuracy.
    breakdown
        The column of the label file with the group of each example.
    also
        Metrics that the board shows beside it.
    """
    request = read_request(labels, **options)
    display = display_for(request, metric, breakdown, also)
    if labels is None:
        request = replace(request, predictions=())  # the example's own model is not used here
    return with_groups(request, labels, display, id_column=options.get("id_column"))


def display_for(
    request: Request,
    metric: str | None = None,
    breakdown: str | None = None,
    also: Sequence[str] = (),
) -> Display:
    """Return what the board shows: what is said here, else what the policy says."""
    stated = Display() if request.policy is None else request.policy.display
    return Display.of(
        stated.metric if metric is None else metric,
        breakdown or stated.breakdown,
        tuple(also) or stated.also,
    )


def with_groups(
    request: Request, labels: Path | None, display: Display, *, id_column: str | None = None
) -> MetricRequest:
    """Return the request of a metric's audit, with the groups that stand in the label file."""
    groups = None
    if display.breakdown is not None:
        if labels is None:
            raise InvalidInput("breakdown must be left out for the embedded example: no groups.")
        groups = read_groups(labels, display.breakdown, id_column=id_column)[request.parts.where]
    return MetricRequest(request, display, groups)
