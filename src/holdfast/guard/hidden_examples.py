"""The hidden labels that looks are scored on, and predictions about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard.ids import order_by_id
from holdfast.guard.parts import Part
from holdfast.labels import MOST_CLASSES, Labels, as_labels, count_classes
from holdfast.problem import check_at_least
from holdfast.quoting import quoted

__all__ = ["HiddenExamples"]


class HiddenExamples:
    """All examples of a test set: labels of the scored ones, the order and number of the rest.

    Parameters
    ----------
    labels
        The labels of all examples; copied.
    n_classes
        Number of classes; None: the largest label plus one.
    ids
        One distinct id per example; None: examples are known by their order.
    part
        The examples that are scored; None: all.
    """

    def __init__(
        self, labels: object, n_classes: int | None, ids: object | None, part: Part | None
    ) -> None:
        self.n_classes = count_classes(labels) if n_classes is None else _checked_classes(n_classes)
        whole = as_labels(labels, self.n_classes)
        self.n_predicted = whole.size
        self._rows = None if part is None or part.rows.size == whole.size else part.rows
        self.labels: Labels = whole.copy() if self._rows is None else whole[self._rows]
        self.labels.setflags(write=False)
        self.ids = ids
        self._order: NDArray[np.intp] | None = None
        if ids is not None:
            _, order = order_by_id(ids, whole.size)
            if self._rows is not None:
                self._order, self.ids = order, np.asarray(ids)[self._rows]

    def checked(self, prediction: object) -> tuple[Labels | None, str]:
        """Return a prediction that can be scored, or why it can't be.

        Not raised, so that a refusal for another reason does not carry this one along.
        """
        try:
            query = as_labels(
                prediction,
                self.n_classes,
                name="prediction",
                n_examples=self.n_predicted,
                error=InvalidQuery,
            )
        except InvalidQuery as error:
            return None, str(error)
        return query, ""

    def scored(self, prediction: Labels) -> Labels:
        """Return the part of a prediction, or of an array about all examples, that is scored."""
        return prediction if self._rows is None else prediction[self._rows]

    def named(self, prediction: Labels, scored: Labels) -> Labels:
        """Return what tells a prediction from any other, in an order that is always the same.

        `scored` is its scored part, in the ledger's order.
        """
        if self._rows is None:
            return scored
        return prediction if self._order is None else prediction[self._order]

    def as_given(self, named: Labels) -> Labels:
        """Return a named prediction in the order in which the examples were given."""
        if self._order is None:
            return named
        given = np.empty_like(named)
        given[self._order] = named
        return given


def _checked_classes(n_classes: int) -> int:
    if check_at_least("n_classes", n_classes, 2) > MOST_CLASSES:
        raise InvalidInput(f"n_classes must be at most {MOST_CLASSES:,}, got {quoted(n_classes)}.")
    return int(n_classes)
