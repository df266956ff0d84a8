"""Whole solutions: the ids and classes of a test set, and submissions matched with them.

A submission is matched with the whole solution, never with one part of it, and what is wrong with
it is said in terms of what is public: the ids, which participants have to send, the number of
rows, the submission's own values, and the classes if the policy declares them. So a refusal says
the same whatever the hidden labels are, and whichever rows are private.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidQuery
from holdfast.files.label_files import LabelFile
from holdfast.files.spelling import class_numbers
from holdfast.files.tables import Table
from holdfast.guard.parts import Rows
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import Submission
from holdfast.quoting import listed, quoted

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False)
class Solution:
    """The hidden labels of a whole test set.

    Attributes
    ----------
    truth
        Ids, labels and class names of all examples.
    declared
        Whether the class names are public by the policy's word, so that messages may name them.
    """

    truth: LabelFile = field(repr=False)
    declared: bool

    @property
    def n_classes(self) -> int:
        """Number of classes, two at least."""
        return max(self.truth.n_classes, 2)

    def predicted(self, file: LabelFile, *, name: str) -> Labels:
        """Return a submission's labels in the order of the hidden ones, or raise `InvalidQuery`.

        Rows are matched by id where both have ids, and by place otherwise; classes by name.
        """
        order = self._order(file, name)
        labels = file.labels
        if file.class_names != self.truth.class_names:
            labels = self._renumbered(file, name)
        labels = labels.astype(label_dtype(self.n_classes), copy=False)
        return labels if order is None else labels[order]

    def tabled(self, table: Table, takes: Submission, *, name: str) -> NDArray[Any]:
        """Return a submission of numbers, or of several labels, in the order of the hidden ones.

        Columns of probabilities are matched with classes by name where the file names them.
        """
        order = self._order(table, name)
        if takes is Submission.RANKED_LABELS:
            cells: NDArray[Any] = self._class_numbers(table, name)
        else:
            cells = table.cells.astype(np.float64, copy=False)
        if takes is Submission.PROBABILITIES and cells.shape[1] > 1:
            cells = cells[:, self._class_columns(table, name)]
        if takes is Submission.LABEL_SETS and table.columns and self.truth.class_names:
            cells = cells[:, self._class_columns(table, name)]
        one = takes in (Submission.NUMBERS, Submission.SCORES, Submission.PROBABILITIES)
        if one and cells.shape[1] == 1:
            cells = cells[:, 0]
        elif takes in (Submission.NUMBERS, Submission.SCORES):
            raise InvalidQuery(
                f"{name} must have one column of numbers, got {cells.shape[1]}; name the id column "
                "if one of them holds ids."
            )
        return cells if order is None else cells[order]

    def _class_columns(self, table: Table, name: str) -> list[int]:
        """Return which column belongs to each class; as they are where none has a name."""
        if not table.columns:
            return list(range(table.cells.shape[1]))
        numbers = class_numbers(table.columns, self.truth.class_names)
        if sorted(numbers) != list(range(len(self.truth.class_names))):
            known = f" ({listed(self.truth.class_names, quote=False)})" if self.declared else ""
            raise InvalidQuery(
                f"{name} must have one column for each class{known}, named like it, got "
                f"{listed(table.columns)}."
            )
        return [numbers.index(number) for number in range(len(numbers))]

    def _class_numbers(self, table: Table, name: str) -> NDArray[Any]:
        if table.names is None:
            return table.cells
        numbers = np.array(class_numbers(table.names, self.truth.class_names))
        cells: NDArray[Any] = numbers[table.cells]
        if (cells < 0).any():
            row = int(np.argmax((cells < 0).any(axis=1)))
            raise InvalidQuery(f"{name} must hold only known classes, got others in row {row + 1}.")
        return cells

    def _order(self, file: LabelFile | Table, name: str) -> Rows | None:
        """Return which row of the file belongs to each example; None: the rows as they are."""
        n = self.truth.n_examples
        if file.n_examples != n:
            raise InvalidQuery(
                f"{name} must have {n} rows, one per example, got {file.n_examples}."
            )
        if self.truth.ids is None or file.ids is None:
            return None
        places = self.truth.id_index.places_in(file.ids)
        missing = np.flatnonzero(places < 0)
        if missing.size:
            # The first by id: the order of the hidden labels' rows is nobody's business.
            first = np.sort(self.truth.ids[missing])[0]
            raise InvalidQuery(
                f"{name} must have a row for every id, got none for {quoted(str(first))} "
                f"({missing.size} missing)."
            )
        return places

    def _renumbered(self, file: LabelFile, name: str) -> Labels:
        numbers = np.array(class_numbers(file.class_names, self.truth.class_names))
        labels: Labels = numbers[file.labels]
        unknown = np.flatnonzero(labels < 0)
        if unknown.size:
            at = int(unknown[0])
            got = quoted(file.class_names[int(file.labels[at])])
            where = f"row {at + 1}" if file.ids is None else f"id {quoted(str(file.ids[at]))}"
            known = f" ({listed(self.truth.class_names, quote=False)})" if self.declared else ""
            raise InvalidQuery(f"{name} must hold only known classes{known}, got {got} at {where}.")
        return labels
