"""Labels and submissions that a platform hands over as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard.files import in_order_of
from holdfast.guard.guard import Guard, Receipt
from holdfast.guard.ledger import Ledger
from holdfast.guard.policy import Policy
from holdfast.label_files import LabelFile
from holdfast.labels import label_dtype
from holdfast.quoting import listed, quoted

__all__ = ["GuardedFrame"]


class GuardedFrame:
    """A guard over a data frame of ids and hidden labels, for submissions of the same form.

    Parameters
    ----------
    solution
        A pandas frame with one row per example.
    policy, ledger
        As for `Guard`.
    id_column
        The column of ids, in the solution and in submissions.
    label_column
        The column of labels; None: the solution's only other column.
    """

    def __init__(
        self,
        solution: Any,
        policy: Policy,
        ledger: Ledger | str,
        *,
        id_column: str,
        label_column: str | None = None,
    ) -> None:
        others = [str(name) for name in solution.columns if name != id_column]
        if label_column is None and len(others) == 1:
            label_column = others[0]
        if label_column is None:
            raise InvalidInput(
                f"solution must have one column of labels beside {id_column}, got {others}."
            )
        self._columns = (id_column, label_column)
        self._truth = _label_file(solution, *self._columns, None, "solution", InvalidInput)
        self.guard = Guard(
            self._truth.labels, policy, ledger, n_classes=max(self._truth.n_classes, 2)
        )

    def score(self, submission: Any, *, team: str) -> Receipt:
        """Answer one look at a submission frame, or refuse it; see `Guard.score`."""
        names = self._truth.class_names
        try:
            file = _label_file(submission, *self._columns, names, "submission", InvalidQuery)
            prediction = in_order_of(self._truth, file, name="submission")
        except InvalidQuery as error:
            self.guard.charge_failed(str(error), team=team)
            raise
        return self.guard.score(prediction, team=team)


def _label_file(
    frame: Any,
    id_column: str,
    label_column: str,
    class_names: Sequence[str] | None,
    name: str,
    error: type[InvalidInput],
) -> LabelFile:
    for column in (id_column, label_column):
        if column not in frame.columns:
            raise error(
                f"{name} must have the column {quoted(column)}, got {listed(frame.columns)}."
            )
        if frame[column].isna().any():
            raise error(f"{name} must have a value in every row of {quoted(column)}, got a blank.")
    ids = frame[id_column].astype(str).to_numpy(dtype=np.str_)
    if np.unique(ids).size != ids.size:
        raise error(f"{name} must have distinct ids in {quoted(id_column)}.")
    texts = frame[label_column].astype(str).to_numpy(dtype=np.str_)
    found, codes = np.unique(texts, return_inverse=True)
    if class_names is None:
        class_names = sorted(found.tolist(), key=_by_number(found.tolist()))
    number = {text: index for index, text in enumerate(class_names)}
    for text in found.tolist():
        if text not in number:
            raise error(f"{name} must hold only known classes, got {quoted(text)}.")
    renumbered = np.array([number[text] for text in found.tolist()])
    labels = renumbered.astype(label_dtype(max(len(class_names), 2)))[codes]
    return LabelFile(labels, tuple(class_names), ids)


def _by_number(names: Sequence[str]) -> Any:
    return int if all(name.removeprefix("-").isdecimal() for name in names) else str
