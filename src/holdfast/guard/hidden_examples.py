"""The hidden truth that looks are scored on, and predictions about it."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard.ids import order_by_id
from holdfast.guard.label_set import LabelSet, Order, Within
from holdfast.guard.parts import Part
from holdfast.labels import MOST_CLASSES, Labels, as_labels, count_classes, label_dtype
from holdfast.metrics import Show, Submission
from holdfast.metrics.display import Display
from holdfast.metrics.one_submission import read_of
from holdfast.problem import check_at_least
from holdfast.quoting import quoted

__all__ = ["HiddenExamples", "as_given"]


class HiddenExamples:
    """All examples of a test set: truth of the scored ones, ids and number of the rest.

    Parameters
    ----------
    labels
        The labels of all examples, or the numbers or label sets that the metric wants; copied.
    n_classes
        Number of classes; None: the largest label plus one.
    ids
        One distinct id per example; None: examples are known by their order.
    part
        The examples that are scored; None: all.
    display
        What a look shows.
    groups
        The group of each example, for a breakdown.
    tasks
        The range of an outcome, where examples are tasks; see `LabelSet`.
    """

    def __init__(
        self,
        labels: object,
        n_classes: int | None,
        ids: object | None,
        part: Part | None,
        display: Display | None = None,
        groups: object | None = None,
        *,
        tasks: tuple[float, float] | None = None,
    ) -> None:
        self.display = Display() if display is None else display
        self._taker = self.display.taker
        self._stand_in: NDArray[Any] | None = None
        whole: NDArray[Any]
        if self._taker.takes in (Submission.NUMBERS, Submission.LABEL_SETS):
            whole = self._taker.truth(labels)
            self.n_classes = 2  # nothing has classes here, and a problem has two at least
        else:
            self.n_classes = (
                count_classes(labels) if n_classes is None else _checked_classes(n_classes)
            )
            whole = as_labels(labels, self.n_classes)
        if self._taker.takes is not Submission.LABELS:
            # What predictions are checked against tells the sizes, which are public, and no label.
            self._stand_in = np.zeros_like(whole)
            if whole.dtype.kind == "u":
                self._stand_in[-1] = self.n_classes - 1
        self.n_predicted = len(whole)
        self._rows = None if part is None or part.rows.size == len(whole) else part.rows
        self.groups = self._checked_groups(groups)
        self.labels: Labels = whole.copy() if self._rows is None else whole[self._rows]
        self.labels.setflags(write=False)
        self._ids, self._tasks = ids, tasks
        self._keeps = part is not None and part.keeps
        if ids is not None:
            order_by_id(ids, len(whole))  # what can't be ids is refused before there is a ledger

    def showing(self, display: Display) -> HiddenExamples:
        """Return the same examples for a display without groups that takes other submissions."""
        other = copy(self)
        other.display, other._taker, other.groups = display, display.taker, None
        other._stand_in = np.zeros(self.n_predicted, self.labels.dtype)
        return other

    def label_set(self, salt: bytes) -> LabelSet:
        """Return the scored labels with the names that they have under a ledger's salt."""
        if self._rows is None:
            return LabelSet(self.labels, self.n_classes, self._ids, salt, tasks=self._tasks)
        ids = None if self._ids is None else np.asarray(self._ids)[self._rows]
        within = Within(self.n_predicted, self._ids, self._rows, self._keeps)
        return LabelSet(self.labels, self.n_classes, ids, salt, within)

    def checked(self, prediction: object) -> tuple[Labels | None, str]:
        """Return a prediction that can be scored, or why it can't be.

        Not raised, so that a refusal for another reason does not carry this one along.
        """
        try:
            if self._stand_in is None:
                query = as_labels(
                    prediction,
                    self.n_classes,
                    name="prediction",
                    n_examples=self.n_predicted,
                    error=InvalidQuery,
                )
            else:
                query = self._checked_scores(prediction, self._stand_in)
        except InvalidQuery as error:
            return None, str(error)
        return query, ""

    def _checked_scores(self, prediction: object, stand_in: NDArray[Any]) -> NDArray[Any]:
        """Return what the metrics take, or raise `InvalidQuery`."""
        try:
            query: NDArray[Any] = self._taker.submitted(prediction, stand_in)
            if query.dtype.kind == "f":
                query = query + 0.0  # -0.0 is the same prediction as 0.0
        except InvalidInput as error:
            raise InvalidQuery(str(error)) from None
        if self._taker.takes is Submission.PROBABILITIES and query.shape[1] != self.n_classes:
            raise InvalidQuery(
                f"submission must have a probability for each of {self.n_classes} classes, got "
                f"{query.shape[1]}."
            )
        if self._taker.takes is Submission.RANKED_LABELS:
            if query.max() >= self.n_classes:
                raise InvalidQuery(
                    f"submission must lie in 0 .. {self.n_classes - 1}, got {query.max()}."
                )
            query = query.astype(label_dtype(self.n_classes), copy=False)
        return query

    def ranked_by(self, prediction: object) -> NDArray[Any]:
        """Return what the metric that ranks reads of a prediction that can be scored."""
        query = np.asarray(prediction)
        if self._stand_in is not None:
            query = self._checked_scores(prediction, self._stand_in)
        read: NDArray[Any] = read_of(query, self._taker, self.display.metric)
        return read

    @property
    def kept_as(self) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """What a kept prediction's bytes are read as: a dtype and a shape."""
        n, m = self.n_predicted, self.n_classes
        match self._taker.takes:
            case Submission.LABELS:
                return label_dtype(m), (n,)
            case Submission.PROBABILITIES:
                return np.dtype(np.float64), (n, m)
            case Submission.RANKED_LABELS:
                return label_dtype(m), (n, -1)
            case Submission.LABEL_SETS:
                return np.dtype(np.bool_), (n, -1)
            case _:
                return np.dtype(np.float64), (n,)

    def show(self, order: NDArray[Any] | None, rows: NDArray[Any] | None = None) -> Show:
        """Return what computes the numbers of scored examples in an order, or of other rows."""
        groups, m = self.groups, self.n_classes
        if groups is None:
            return self.display.show(n_classes=m)
        wanted = self._rows if rows is None else rows
        here = groups if wanted is None else groups[wanted]
        return self.display.show(here if order is None else here[order], n_classes=m)

    def _checked_groups(self, groups: object | None) -> NDArray[Any] | None:
        if self.display.breakdown is None:
            return None
        if groups is None:
            raise InvalidInput(
                f"groups must name the group of each example, the column "
                f"{self.display.breakdown}, got none."
            )
        array = np.array(groups)
        if array.shape != (self.n_predicted,):
            raise InvalidInput(
                f"groups must be one per example, got shape {array.shape} for {self.n_predicted}."
            )
        return array

    def scored(self, prediction: Labels) -> Labels:
        """Return the part of a prediction, or of an array about all examples, that is scored."""
        return prediction if self._rows is None else prediction[self._rows]

    def named(self, prediction: Labels, scored: Labels, whole: Order) -> Labels:
        """Return what tells a prediction from any other, in the data set's canonical order.

        `scored` is its scored part in that order, and `whole` the order of the whole test set.
        """
        if self._rows is None:
            return scored
        return prediction if whole is None else prediction[whole]


def as_given(named: Labels, whole: Order) -> Labels:
    """Return a prediction in the canonical order in that in which the examples were given.

    >>> as_given(np.array([7, 8, 9]), np.array([2, 0, 1])).tolist()
    [8, 9, 7]
    """
    if whole is None:
        return named
    given = np.empty_like(named)
    given[whole] = named
    return given


def _checked_classes(n_classes: int) -> int:
    if check_at_least("n_classes", n_classes, 2) > MOST_CLASSES:
        raise InvalidInput(f"n_classes must be at most {MOST_CLASSES:,}, got {quoted(n_classes)}.")
    return int(n_classes)
