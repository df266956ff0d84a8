"""Shows: the one or more numbers that a board releases about one submission."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.base import FunctionOf, LabelMetric, Metric, Value
from holdfast.metrics.confusion import confusion_matrix
from holdfast.metrics.labels import Accuracy
from holdfast.metrics.one_submission import read_of, taker_for
from holdfast.problem import check_at_least

__all__ = ["Breakdown", "CellShare", "ConfusionMatrix", "PerClassRecall", "Several", "Show"]


@runtime_checkable
class Show(Protocol):
    """What a look shows. A metric is a show of one number."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each number is called."""
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metric behind each number."""
        ...

    def truth(self, hidden: object) -> Any:
        """Return what is hidden in the form that `values` takes, or raise `InvalidInput`."""
        ...

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return a submission in the form that `values` takes, or raise `InvalidQuery`."""
        ...

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return the numbers, in the order of `names`."""
        ...

    def read_by_each(self, submission: Any) -> tuple[Any, ...]:
        """Return what of a checked submission the metric behind each number takes."""
        ...

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:
        """Return which examples each number is about, in increasing order; None: all."""
        ...

    @property
    def ranking(self) -> int:
        """Which of the numbers ranks submissions: its place among them."""
        ...


class Breakdown:
    """A metric of each group of examples: subjects, languages, slices; then of all, if wanted.

    Parameters
    ----------
    groups
        The group of each example, in the test set's order: anything that can be sorted.
    metric
        What is shown of each; None: accuracy.
    total
        Show the metric of all examples, too, as the last number.
    column
        The name of the column of groups, which then stands before each group's name, and the
        metric's name stands for the total.

    Examples
    --------
    >>> show = Breakdown(["law", "law", "art"])
    >>> truth = show.truth([0, 1, 1])
    >>> dict(zip(show.names, map(float, show.values(truth, show.submitted([0, 0, 1], truth)))))
    {'art': 1.0, 'law': 0.5}
    """

    def __init__(
        self,
        groups: Sequence[Any] | Any,
        metric: Metric | None = None,
        *,
        total: bool = False,
        column: str | None = None,
    ) -> None:
        array = np.asarray(groups)
        if array.ndim != 1 or array.size == 0:
            raise InvalidInput(f"groups must be one per example, got shape {array.shape}.")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidInput("groups must name a group for every example, got a blank.")
        found, codes = np.unique(array, return_inverse=True)
        self.metric = Accuracy() if metric is None else metric
        self.total = bool(total)
        self.groups = [np.flatnonzero(codes == code) for code in range(found.size)]
        before = "" if column is None else f"{column}="
        self._names = tuple(f"{before}{name}" for name in found.tolist())
        self._total_name = "all" if column is None else str(self.metric)

    def __repr__(self) -> str:
        with_total = ", with the total" if self.total else ""
        return f"Breakdown({self.metric} of {len(self.groups)} groups{with_total})"

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in sorted order, and "all" for the total."""
        return (*self._names, self._total_name) if self.total else self._names

    @property
    def ranking(self) -> int:
        """The total, which is the last number; the first group where there is none."""
        return len(self._names) if self.total else 0

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:  # noqa: ARG002 - as there
        """Return each group's examples, and all for the total."""
        return (*self.groups, None) if self.total else tuple(self.groups)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The one metric, for each number."""
        return (self.metric,) * len(self.names)

    def read_by_each(self, submission: Any) -> tuple[Any, ...]:
        """Return the whole submission for each number."""
        return (submission,) * len(self.names)

    def truth(self, hidden: object) -> Any:
        """Return the hidden truth, checked as a whole and group by group."""
        truth = self.metric.truth(hidden)
        n = sum(member.size for member in self.groups)
        if len(truth) != n:
            raise InvalidInput(f"groups must be one per example, got {n} for {len(truth)}.")
        for name, member in zip(self._names, self.groups, strict=True):
            try:
                self.metric.truth(truth[member])
            except InvalidInput as error:
                raise InvalidInput(f"group {name}: {error}") from None
        return truth

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return the submission, checked as a whole."""
        return self.metric.submitted(submission, truth)

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return the metric of each group, and of all examples if wanted."""
        parts = [self.metric.value(truth[here], submission[here]) for here in self.groups]
        return (*parts, self.metric.value(truth, submission)) if self.total else tuple(parts)


class Several:
    """Several shows of one submission, one after the other: the columns of a board.

    The submission is the richest that one of them takes; `one_submission` says what others read
    of it.

    >>> from holdfast.metrics import F1, LogLoss
    >>> show = Several([LogLoss(), F1(), Accuracy()])
    >>> truth = show.truth([0, 1, 1, 0])
    >>> given = show.submitted([0.1, 0.9, 0.4, 0.2], truth)
    >>> [round(float(value), 3) for value in show.values(truth, given)]
    [0.338, 0.667, 0.75]
    """

    def __init__(self, shows: Sequence[Show]) -> None:
        self.shows = tuple(shows)
        if not self.shows:
            raise InvalidInput("metrics must hold at least one metric, got none.")
        self.taker = taker_for(self.metrics)

    def __repr__(self) -> str:
        return f"Several({', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all numbers, show by show."""
        return tuple(name for show in self.shows for name in show.names)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of all numbers, show by show."""
        return tuple(metric for show in self.shows for metric in show.metrics)

    @property
    def ranking(self) -> int:
        """What ranks in the first show."""
        return self.shows[0].ranking

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:
        """Return the examples of all numbers, show by show."""
        return tuple(rows for show in self.shows for rows in show.members(truth))

    def truth(self, hidden: object) -> Any:
        """Return the hidden truth, checked for every show."""
        for show in self.shows[1:]:
            show.truth(hidden)
        return self.shows[0].truth(hidden)

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return the submission, checked as a whole, and what every show reads of it."""
        given = self.taker.submitted(submission, truth)
        for show, read in zip(self.shows, self._read(given), strict=True):
            show.submitted(read, truth)
        return given

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return the values of all numbers, show by show."""
        parts = zip(self.shows, self._read(submission), strict=True)
        return tuple(value for show, read in parts for value in show.values(truth, read))

    def read_by_each(self, submission: Any) -> tuple[Any, ...]:
        """Return what each metric takes of the submission, show by show."""
        parts = zip(self.shows, self._read(submission), strict=True)
        return tuple(each for show, read in parts for each in show.read_by_each(read))

    def _read(self, submission: Any) -> list[Any]:
        """Return what each show reads of the submission; its numbers are of one kind."""
        return [read_of(submission, self.taker, show.metrics[0]) for show in self.shows]


class _PerClass:
    """A show with numbers for each of a fixed number of classes."""

    def __init__(self, n_classes: int, *, column: str | None = None) -> None:
        self.n_classes = check_at_least("n_classes", n_classes, 2)
        self._before = "class " if column is None else f"{column}="

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_classes})"

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Accuracy for each number: it is one, of some examples."""
        return (Accuracy(),) * len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        raise NotImplementedError

    @property
    def ranking(self) -> int:
        """The first class: a matrix ranks nobody."""
        return 0

    def read_by_each(self, submission: Any) -> tuple[Any, ...]:
        """Return the whole submission for each number."""
        return (submission,) * len(self.names)

    def truth(self, hidden: object) -> Any:
        """Return the hidden labels, none beyond the classes."""
        truth = Accuracy().truth(hidden)
        if truth.max() >= self.n_classes:
            raise InvalidInput(f"labels must lie below {self.n_classes}, got {truth.max()}.")
        return truth

    def submitted(self, submission: object, truth: Any) -> Any:
        """Return one label per example, none beyond the classes."""
        given = Accuracy().submitted(submission, truth)
        if given.max() >= self.n_classes:
            raise InvalidQuery(f"submission must lie below {self.n_classes}, got {given.max()}.")
        return given


class PerClassRecall(_PerClass):
    """The recall of each class: one number per class; 0 for a class without examples.

    Parameters
    ----------
    n_classes
        The number of classes.
    column
        What stands before a class in the numbers' names, as in `Breakdown`; None: "class".

    Examples
    --------
    >>> show = PerClassRecall(2)
    >>> truth = show.truth([0, 0, 1])
    >>> [float(value) for value in show.values(truth, show.submitted([0, 1, 1], truth))]
    [0.5, 1.0]
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The classes."""
        return tuple(f"{self._before}{label}" for label in range(self.n_classes))

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:
        """Return each class's examples."""
        return tuple(np.flatnonzero(truth == label) for label in range(self.n_classes))

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return each class's matches over its size."""
        sizes = np.bincount(truth, minlength=self.n_classes)
        both = np.bincount(truth[truth == submission], minlength=self.n_classes)
        pairs = zip(both.tolist(), sizes.tolist(), strict=True)
        return tuple(Fraction(hits, max(size, 1)) for hits, size in pairs)


@dataclass(frozen=True)
class _CellCount(LabelMetric):
    """How many examples of one class are given one label: no accuracy, and without a limit."""

    name: ClassVar[str] = "count"
    high: ClassVar[float] = math.inf
    function_of: ClassVar[FunctionOf] = FunctionOf.ANYTHING
    reveals: ClassVar[str] = "the number itself"


@dataclass(frozen=True)
class CellShare(_CellCount):
    """The share of all examples that are of one class and are given one label."""

    name: ClassVar[str] = "share"
    high: ClassVar[float] = 1.0


class ConfusionMatrix(_PerClass):
    """How many examples of each class are given each label, row by row: m x m counts.

    Parameters
    ----------
    n_classes
        The number of classes.
    column
        As for `PerClassRecall`.
    shares
        Show shares of all examples instead (scikit-learn's `normalize="all"`), which lie between
        two limits, so that rounding, steps and noise mean what they do for an accuracy.

    Examples
    --------
    >>> show = ConfusionMatrix(2)
    >>> truth = show.truth([0, 0, 1])
    >>> [int(value) for value in show.values(truth, show.submitted([0, 1, 1], truth))]
    [1, 1, 0, 1]
    """

    def __init__(self, n_classes: int, *, column: str | None = None, shares: bool = False) -> None:
        super().__init__(n_classes, column=column)
        self.shares = shares

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """A count, or a share, for each cell."""
        return (CellShare() if self.shares else _CellCount(),) * len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The cells: a class, and the label that it was given."""
        classes = range(self.n_classes)
        return tuple(f"{self._before}{true} as {given}" for true in classes for given in classes)

    def members(self, truth: Any) -> tuple[NDArray[np.intp] | None, ...]:
        """Return each row's class, cell by cell."""
        rows = [np.flatnonzero(truth == label) for label in range(self.n_classes)]
        return tuple(rows[label] for label in range(self.n_classes) for _ in rows)

    def values(self, truth: Any, submission: Any) -> tuple[Value, ...]:
        """Return the counts."""
        counts = confusion_matrix(truth, submission, self.n_classes)
        whole = truth.size if self.shares else 1
        return tuple(Fraction(count, whole) for count in counts.ravel().tolist())
