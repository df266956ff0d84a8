"""Displays: which metric a board shows, of which groups, and which further numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.metrics.base import Metric, Submission
from holdfast.metrics.by_class import BY_CLASS, ByClass
from holdfast.metrics.labels import Accuracy
from holdfast.metrics.one_submission import taker_for
from holdfast.metrics.registry import parse_metric
from holdfast.metrics.shows import Breakdown, Several, Show
from holdfast.quoting import quoted

__all__ = ["Display", "check_column"]

LONGEST_COLUMN = 200


@dataclass(frozen=True)
class Display:
    """A policy's choice of what a look shows: it knows columns by name and no example.

    With a breakdown the metric is shown of each group and of all examples. `show` turns it into
    what computes the numbers, when the groups of the examples are known.

    Parameters
    ----------
    metric
        What ranks: of all examples.
    breakdown
        The label file's column of groups; None: no breakdown.
    also
        Further metrics, of all examples.
    by_class
        Numbers of each class: recalls, a confusion matrix. `of` finds them by name among the
        further metrics.

    Examples
    --------
    >>> display = Display.of("f1_macro", breakdown="subject", also=["accuracy"])
    >>> str(display), display.plain
    ('f1_macro by subject, also accuracy', False)
    >>> display.show(["law", "art", "law"]).names
    ('subject=art', 'subject=law', 'f1_macro', 'accuracy')
    """

    metric: Metric = field(default_factory=Accuracy)
    breakdown: str | None = None
    also: tuple[Metric, ...] = ()
    by_class: tuple[ByClass, ...] = ()

    def __post_init__(self) -> None:
        if self.breakdown is not None:
            check_column(self.breakdown)
        names = [str(each) for each in (*self.metrics, *self.by_class)]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InvalidInput(f"also must name other metrics than metric, got {twice[0]} twice.")
        one = self.taker  # one submission must do for all of them
        if self.by_class and one.takes in (Submission.NUMBERS, Submission.LABEL_SETS):
            raise InvalidInput(
                f"{self.by_class[0]} must stand beside a metric of labels, got {self.metric}, "
                f"which takes {one.takes.value}."
            )

    @classmethod
    def of(
        cls,
        metric: str | Metric = "accuracy",
        breakdown: str | None = None,
        also: Sequence[str | Metric | ByClass] = (),
    ) -> Display:
        """Return the display that texts describe, or raise `InvalidInput`.

        >>> Display.of("f1_macro", also=["accuracy", "recall_per_class"]).show(n_classes=2).names
        ('f1_macro', 'accuracy', 'recall_per_class=0', 'recall_per_class=1')
        """
        parts = [BY_CLASS.get(each, each) if isinstance(each, str) else each for each in also]
        return cls(
            _as_metric(metric),
            breakdown,
            tuple(_as_metric(each) for each in parts if not isinstance(each, ByClass)),
            tuple(each for each in parts if isinstance(each, ByClass)),
        )

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metric that ranks, and the further ones."""
        return (self.metric, *self.also)

    @property
    def beside(self) -> tuple[str, ...]:
        """What a policy lists as further metrics, by name."""
        return tuple(map(str, (*self.also, *self.by_class)))

    @property
    def released(self) -> tuple[Metric, ...]:
        """The metrics of all kinds of numbers: each must be one that the rule works on."""
        return (*self.metrics, *(each.metric for each in self.by_class))

    @property
    def taker(self) -> Metric:
        """The metric whose submission a look takes: it says what all of the metrics take."""
        found = taker_for(self.metrics)
        alone = found.takes in (Submission.NUMBERS, Submission.LABEL_SETS)
        return found if alone or not self.by_class else taker_for((*self.metrics, Accuracy()))

    @property
    def plain(self) -> bool:
        """Whether it is one accuracy of all examples, and nothing more."""
        alone = self.breakdown is None and not self.also and not self.by_class
        return alone and isinstance(self.metric, Accuracy)

    @property
    def shows_several(self) -> bool:
        """Whether a look shows more than one number."""
        return self.breakdown is not None or bool(self.beside)

    def check_classes(self, n_classes: int) -> None:
        """Raise if a metric is of fewer classes, whichever of them the hidden labels have.

        >>> Display.of("f1").check_classes(3)
        Traceback (most recent call last):
            ...
        holdfast.errors.InvalidInput: metric must be one of 3 classes, got f1.
        """
        for metric in self.metrics:
            if n_classes and metric.takes not in (Submission.NUMBERS, Submission.LABEL_SETS):
                try:
                    metric.truth(np.arange(n_classes))
                except InvalidInput:
                    told = f"metric must be one of {n_classes} classes, got {metric}."
                    raise InvalidInput(told) from None

    def show(
        self, groups: Sequence[Any] | Any | None = None, *, n_classes: int | None = None
    ) -> Show:
        """Return what computes the numbers.

        `groups` names the group of each example, for a breakdown; numbers of each class need the
        number of classes.
        """
        first: Show = self.metric
        if self.breakdown is not None:
            if groups is None:
                raise InvalidInput(
                    f"a breakdown needs the group of each example: its column {self.breakdown}."
                )
            first = Breakdown(groups, self.metric, total=True, column=self.breakdown)
        if self.by_class and n_classes is None:
            raise InvalidInput(f"{self.by_class[0]} needs the number of classes.")
        classes = [each.show(n_classes or 0) for each in self.by_class]
        return Several([first, *self.also, *classes]) if self.beside else first

    def __str__(self) -> str:
        by = "" if self.breakdown is None else f" by {self.breakdown}"
        also = f", also {', '.join(self.beside)}" if self.beside else ""
        return f"{self.metric}{by}{also}"

    def as_text(self) -> str:
        """Return a text that `from_text` reads; empty for one accuracy.

        >>> Display.from_text(Display.of("f1", breakdown="a, b").as_text()).breakdown
        'a, b'
        """
        if self.plain:
            return ""
        told: dict[str, Any] = {"metric": str(self.metric)}
        if self.breakdown is not None:
            told["breakdown"] = self.breakdown
        if self.beside:
            told["also"] = list(self.beside)
        return json.dumps(told)

    @classmethod
    def from_text(cls, text: str) -> Display:
        """Return the display of a text that `as_text` wrote."""
        if not text:
            return cls()
        try:
            return cls.of(**json.loads(text))
        except (TypeError, ValueError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(f"a display must be a JSON object, got {quoted(text)}.") from None


def check_column(name: object) -> str:
    """Return the name of a column of groups, or raise `InvalidInput`."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_COLUMN:
        raise InvalidInput(
            f"breakdown must be the name of a column, at most {LONGEST_COLUMN} characters, got "
            f"{quoted(name)}."
        )
    return name


def _as_metric(metric: str | Metric) -> Metric:
    return metric if isinstance(metric, Metric) else parse_metric(metric)
