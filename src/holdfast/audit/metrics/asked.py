"""Requests for audits of any metric: what else a board shows, and of which groups.

A `MetricRequest` is the `Request` of an audit of accuracies with a `Display` beside it. It checks
itself when it is made: whether an attack reads the metric, whether the rule can release every shown
number, whether an option has a meaning here. Nothing behind it meets a board that can't be audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.registry import check_covered
from holdfast.audit.inputs.group_columns import read_groups
from holdfast.audit.inputs.models import prior_of, stated_accuracy
from holdfast.audit.inputs.reading import read_request
from holdfast.audit.inputs.request import Request
from holdfast.audit.result import TOTAL
from holdfast.audit.scenarios.plays import PlayContext
from holdfast.errors import InvalidInput, NotSupported
from holdfast.files.spelling import steps_per_one
from holdfast.mechanisms import check_metric
from holdfast.metrics import (
    Breakdown,
    Clipped,
    LabelMetric,
    Metric,
    RocAuc,
    Several,
    Show,
    Submission,
)
from holdfast.metrics.display import Display
from holdfast.metrics.in_steps import InSteps
from holdfast.priors import Prior

__all__ = ["MetricRequest", "display_for", "read_metric_request", "with_groups"]


@dataclass(frozen=True, eq=False)
class MetricRequest:
    """All that an audit starts from: a request, and what the board shows.

    Parameters
    ----------
    request
        Labels, rule, looks and the rest.
    display
        What the board shows: the metric that ranks, of which groups, and metrics beside it. By
        default one accuracy.
    groups
        The group of each scored example; None: the board shows no groups.

    Raises
    ------
    NotSupported
        If no attack reads the metric, or the rule does not work on it; the reason says which.
    """

    request: Request
    display: Display = field(default_factory=Display)
    groups: NDArray[Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.display.plain:
            return  # every rule and every option has a meaning for one accuracy
        if (self.breakdown is None) != (self.groups is None):
            raise InvalidInput("breakdown and groups must be given together.")
        self._check_options()
        for metric in self.display.metrics:
            check_covered(metric, self.request.problem)
        for metric in self.display.released:
            check_metric(self.request.rule, metric)
        if self.request.rule.waits:
            raise NotSupported(f"{self.request.rule} holds answers back: no attack is told any.")
        for show in self.shows.values():
            show.truth(self.hidden)

    def _check_options(self) -> None:
        """Refuse what an audit of this metric can't use, with the reason."""
        parts = self.request.parts
        if self.request.history is not None:
            raise InvalidInput(
                f"history must be left out for {self.display}: how far chance moves a score, which "
                "a history is compared with, is known for plain accuracies alone."
            )
        takes_model = isinstance(_inner(self.metric), LabelMetric | RocAuc)
        if self.request.predictions and not takes_model:
            raise InvalidInput(
                f"predictions must be left out for {self.metric}: its attacks read the truth as "
                "digits or blocks, and start from no model's labels."
            )
        if 0.0 < parts.final_share < 1.0 and not self.metric.averages_examples:
            raise InvalidInput(
                f"final must be private or public for {self.metric}, got {parts.final}: it is no "
                "average over examples, so a gain on the public part has no fixed worth in the "
                "whole."
            )

    @property
    def metric(self) -> Metric:
        """What the ranking goes by; of targets with decimals, as `hidden` counts them."""
        return InSteps.of(self.display.metric, self.per_one)

    @property
    def also(self) -> tuple[Metric, ...]:
        """Metrics that the board shows beside it."""
        return tuple(InSteps.of(each, self.per_one) for each in self.display.also)

    @cached_property
    def per_one(self) -> int:
        """How many steps of the finest decimal of the hidden numbers make one: 100 for cents."""
        if self.display.metric.takes is not Submission.NUMBERS:
            return 1
        return steps_per_one(self.request.file.class_names)

    @property
    def breakdown(self) -> str | None:
        """What the groups are called."""
        return self.display.breakdown

    @cached_property
    def beliefs(self) -> Prior | None:
        """What the given models say of each scored example; None: none was given."""
        request = self.request
        return prior_of(request.predictions, request.labels, request.problem.n_classes)

    @cached_property
    def context(self) -> PlayContext:
        """What plays on its accuracies share."""
        request = self.request
        return PlayContext(request.labels, request.baseline, request.seed, self.beliefs)

    @property
    def stated_model(self) -> float | None:
        """What the given models' vote scores as an accuracy, rounded; None: no model was given."""
        request = self.request
        return stated_accuracy(self.beliefs, request, request.baseline.rounding_unit)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """How many examples each class has."""
        m = self.request.problem.n_classes
        return tuple(np.bincount(self.request.labels, minlength=m).tolist())

    @cached_property
    def best_constant_label(self) -> int:
        """The label that scores best if every example gets it, where labels rank; else 0.

        Best is lowest for a loss. It is what a submission calls the examples that nobody has read.
        """
        if self.metric.takes is not Submission.LABELS:
            return 0
        n, m, _ = self.request.problem
        values = [self.metric.score(self.hidden, np.full(n, label)) for label in range(m)]
        return int(np.argmax(values) if self.metric.higher_is_better else np.argmin(values))

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
        if self.groups is None:
            return words
        return f"{words}, {self.n_groups:,} group{'' if self.n_groups == 1 else 's'}"

    @property
    def told_apart_by(self) -> tuple[bytes, ...]:
        """What plays of it are told from those of other boards with the same labels by.

        Kept plays are found by a digest of labels and job, and two boards with the same labels may
        show other metrics or other groups, or divide the looks into other numbers of pasts.
        """
        groups = b"" if self.groups is None else repr(self.groups.tolist()).encode()
        histories = str(self.request.histories).encode()
        shown = self.display.as_text() + (f" in 1/{self.per_one}" if self.per_one > 1 else "")
        return shown.encode(), self.hidden.tobytes(), groups, histories

    @cached_property
    def hidden(self) -> NDArray[Any]:
        """The hidden truth: labels, or numbers where the metric is about numbers.

        A label file has names of classes; where a metric takes numbers, the names are the targets.
        They are counted in steps of their finest decimal, whole numbers.
        """
        if self.display.metric.takes is not Submission.NUMBERS:
            return self.request.labels
        try:
            values = np.array([float(name) for name in self.request.file.class_names])
        except ValueError:
            raise InvalidInput(
                f"labels must be numbers for {self.metric}, got "
                f"{self.request.file.class_names[0]!r}."
            ) from None
        steps: NDArray[np.float64] = np.rint(values * self.per_one)
        return steps[self.request.labels]

    @cached_property
    def shows(self) -> dict[str, Show]:
        """What a look may show, by name: the metric alone, then all that the board adds.

        One thing at a time, each beside the total: groups, other metrics together, and every set of
        numbers of each class. So an audit tells which of them does the damage.
        """
        found: dict[str, Show] = {TOTAL: self.metric}
        if self.groups is not None:
            found[f"with {self.breakdown} scores"] = Breakdown(self.groups, self.metric, total=True)
        if self.also:
            found[f"with {' and '.join(map(str, self.also))}"] = Several([self.metric, *self.also])
        for each in self.display.by_class:
            by_class = each.show(self.request.problem.n_classes)
            found[f"with {each}"] = Several([self.metric, by_class])
        return found


def _inner(metric: Metric) -> Metric:
    return metric.inner if isinstance(metric, Clipped) else metric


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
    request = read_request(labels, metric=metric, **options)
    display = display_for(request, metric, breakdown, also)
    if labels is None and not options.get("predictions"):
        request = replace(request, predictions=())  # the example's own model is not used here
    columns = {name: options.get(name) for name in ("id_column", "label_column")}
    return with_groups(request, labels, display, **columns)


def display_for(
    request: Request,
    metric: str | None = None,
    breakdown: str | None = None,
    also: Sequence[str] = (),
) -> Display:
    """Return what the board shows: what is said here, else what the policy says.

    Each of the three by itself: `--metric f1` on a policy with a breakdown audits F1 of its groups.
    """
    stated = Display() if request.policy is None else request.policy.display
    return Display.of(
        stated.metric if metric is None else metric,
        breakdown or stated.breakdown,
        tuple(also) or (*stated.also, *stated.by_class),
    )


def with_groups(
    request: Request,
    labels: Path | None,
    display: Display,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
) -> MetricRequest:
    """Return the request of a metric's audit, with the groups that stand in the label file."""
    groups = None
    if display.breakdown is not None:
        if labels is None:
            raise InvalidInput("breakdown must be left out for the embedded example: no groups.")
        groups = read_groups(
            labels,
            display.breakdown,
            request.file.n_examples,
            id_column=id_column,
            label_column=label_column,
        )[request.parts.where]
    return MetricRequest(request, display, groups)
