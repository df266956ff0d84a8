"""Submissions as labels in one order and numbering, whatever form they have.

Rows are matched by id and classes by name, as the guard does it. A submission that says more than
one label per example is judged by the labels that can be read off it:

- probabilities: the likeliest class; K labels: the first one;
- sets of labels: each label of each example, as a row of 0 and 1;
- scores and numbers: whether they are above the submission's own median.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile, label_file_of, read_labels
from holdfast.files.spelling import class_numbers, is_integer
from holdfast.files.tables import Table, read_table
from holdfast.guard.solution import Solution
from holdfast.labels import Labels
from holdfast.metrics import Accuracy, Metric, Submission
from holdfast.metrics.one_submission import read_of
from holdfast.quoting import listed

__all__ = ["SubmissionReader", "as_judged"]

# Labels that are kept once they are read, in bytes; beyond, files are read again.
KEPT_BYTES = 256 << 20


def as_judged(submission: NDArray[Any], metric: Metric) -> Labels:
    """Return the labels by which a checked submission of a metric is judged.

    >>> from holdfast.metrics import LogLoss, RocAuc
    >>> as_judged(np.array([[0.2, 0.8], [0.9, 0.1]]), LogLoss()).tolist()
    [1, 0]
    >>> as_judged(np.array([0.1, 0.7, 0.2]), RocAuc()).tolist()
    [0, 1, 0]
    """
    takes = metric.takes
    if takes is Submission.LABEL_SETS:
        return (np.asarray(submission).reshape(-1) > 0).astype(np.uint8)
    if takes in (Submission.SCORES, Submission.NUMBERS):
        above: Labels = np.greater(submission, np.median(submission)).astype(np.uint8)
        return above
    if takes is Submission.PROBABILITIES and np.ndim(submission) == 1:
        return (np.asarray(submission) > 0.5).astype(np.uint8)
    if takes is Submission.LABELS:
        return np.asarray(submission)
    labels: Labels = read_of(submission, metric, Accuracy())
    return labels


class SubmissionReader:
    """Files of one board's submissions; the first one says which ids there are.

    Parameters
    ----------
    metric
        The board's metric, which says what a submission is.
    id_column, label_column
        Which columns of a CSV file to read, as for `read_labels`.
    """

    def __init__(
        self,
        metric: Metric | None = None,
        *,
        id_column: str | None = None,
        label_column: str | None = None,
    ) -> None:
        self._metric = Accuracy() if metric is None else metric
        self._id_column, self._label_column = id_column, label_column
        self._solution: Solution | None = None
        self._kept: dict[Path, Labels] = {}
        self._room = KEPT_BYTES

    @property
    def has_rows(self) -> bool:
        """Whether a file was read that says which ids there are."""
        return self._solution is not None

    def labels(self, path: Path) -> Labels:
        """Return a file's labels in the order of the first file's rows, or raise `InvalidInput`."""
        if path in self._kept:
            return self._kept[path]
        name, takes = str(path), self._metric.takes
        if takes in (Submission.LABELS, Submission.RANKED_LABELS):
            labels = self._matched(self._label_file(path), name)
        else:
            table = read_table(path, id_column=self._id_column, value_column=self._label_column)
            labels = as_judged(self._tabled(table, name), self._metric)
        labels = np.ascontiguousarray(labels)
        if labels.nbytes <= self._room:
            self._room -= labels.nbytes
            self._kept[path] = labels
        return labels

    def _label_file(self, path: Path) -> LabelFile:
        if self._metric.takes is Submission.LABELS:
            return read_labels(path, id_column=self._id_column, label_column=self._label_column)
        table = read_table(path, id_column=self._id_column, named=True)
        ids = None if table.ids is None else table.ids.astype(np.str_)
        return label_file_of(table.texts(0), name=str(path), ids=ids)

    def _matched(self, file: LabelFile, name: str) -> Labels:
        """Return labels by the numbers of classes here; a class that is new gets the next."""
        if self._solution is None:
            self._solution = Solution(file, declared=False)
        known = self._solution.truth.class_names
        if file.class_names != known:
            numbers = class_numbers(file.class_names, known)
            new = [each for each, at in zip(file.class_names, numbers, strict=True) if at < 0]
            if len(new) == len(file.class_names) and _of_numbers(new) != _of_numbers(known):
                raise InvalidInput(
                    f"{name} must hold classes as the other files do "
                    f"({listed(known, quote=False)}), got {listed(new, quote=False)}."
                )
            if new:
                truth = replace(self._solution.truth, class_names=(*known, *new))
                self._solution = Solution(truth, declared=False)
        return self._solution.predicted(file, name=name)

    def _tabled(self, table: Table, name: str) -> NDArray[Any]:
        if self._solution is None:
            nothing = np.zeros(table.n_examples, dtype=np.uint8)
            truth = LabelFile(nothing, table.columns, table.ids)
            self._solution = Solution(truth, declared=False)
        return self._solution.tabled(table, self._metric.takes, name=name)


def _of_numbers(names: Sequence[str]) -> bool:
    return all(map(is_integer, names))
