"""Labels and submissions that a platform hands over as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.files.csv_header import SPLIT_NAMES
from holdfast.files.further_columns import Table
from holdfast.files.ids import as_ids
from holdfast.files.label_files import LabelFile, label_file_of
from holdfast.guard.guarded import GuardedSolution
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.ledger import Ledger
from holdfast.guard.parts import PRIVATE, rows_of_parts, scored_part
from holdfast.guard.policy import Policy
from holdfast.guard.shown_numbers import ShownNumbers
from holdfast.guard.solution import Solution
from holdfast.metrics import Submission
from holdfast.problem import Problem
from holdfast.quoting import listed, quoted

__all__ = ["GuardedFrame", "stateless_score"]


class GuardedFrame(GuardedSolution[Any]):
    """A guard over a data frame of ids and hidden labels, for submissions of the same form.

    Parameters
    ----------
    solution
        A pandas frame with one row per example of the whole test set. A column named `Usage` or
        `split` says which part a row belongs to.
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
        _refuse_several_numbers(policy)
        truth, self._columns = _truth(solution, policy, id_column, label_column)
        super().__init__(truth, policy, ledger)

    def _file(self, submission: Any, name: str) -> LabelFile:
        return _label_file(submission, *self._columns, name, InvalidQuery)

    def _table(self, submission: Any, name: str) -> Table:
        return _table_of(submission, self._columns[0], name, InvalidQuery)


def stateless_score(solution: Any, submission: Any, id_column: str, policy: Policy) -> float:
    """Return what a rule without memory and noise releases, where no ledger can be kept.

    The rows that a policy's part names are scored; private rows alone are scored exactly: that is
    the final ranking, which nobody looks at while the board runs.

    Raises
    ------
    InvalidInput
        The rule remembers looks or adds noise, which anybody could average away.
    InvalidQuery
        The submission can't be scored.
    """
    rule = policy.mechanism
    if rule.keeps_state or rule.waits or rule.adds_noise:
        raise InvalidInput(
            f"release must be a rule without memory and noise where there is no ledger, such as "
            f"round:2, got {policy.release}; or name a ledger in HOLDFAST_LEDGER."
        )
    _refuse_several_numbers(policy)
    truth, columns = _truth(solution, policy, id_column, None)
    whole = Solution(truth, declared=policy.classes is not None)
    takes = policy.display.taker.takes
    if takes is Submission.LABELS:
        predicted = whole.predicted(
            _label_file(submission, *columns, "submission", InvalidQuery), name="submission"
        )
    else:
        table = _table_of(submission, id_column, "submission", InvalidQuery)
        predicted = whole.tabled(table, takes, name="submission")
    names = [name.lower() for name in truth.split_names]
    part = None
    if names != [PRIVATE]:
        part = scored_part(rows_of_parts(truth), truth.n_examples, policy.part)
    else:
        policy = replace(policy, release="exact")
    examples = HiddenExamples(truth.labels, whole.n_classes, None, part, policy.display)
    query, reason = examples.checked(predicted)
    if query is None:
        raise InvalidQuery(reason)
    sizes = Problem(len(examples.labels), examples.n_classes, policy.looks_per_team)
    answers, _ = ShownNumbers(policy, examples).release(
        examples.labels, None, examples.scored(query), None, sizes, np.random.default_rng(0)
    )
    return answers[-1].values[0]


def _refuse_several_numbers(policy: Policy) -> None:
    """Raise `InvalidInput` for a breakdown or further metrics, which this platform can't show."""
    if policy.breakdown is not None or policy.also:
        raise InvalidInput(
            "breakdown and also must be left out where a platform shows one number, got "
            f"{policy.display}: what is not shown would be charged for."
        )


def _truth(
    solution: Any, policy: Policy, id_column: str, label_column: str | None
) -> tuple[LabelFile, tuple[str, str]]:
    """Return what a solution holds, and its columns of ids and labels."""
    names = [str(name) for name in solution.columns if name not in (id_column, label_column)]
    splits = [name for name in names if name.strip().lower() in SPLIT_NAMES]
    if len(splits) > 1:
        # Which rows are private is nothing to guess.
        raise InvalidInput(
            "solution must have one column that says which part a row belongs to, got "
            f"{listed(splits)}; give the others another name."
        )
    others = [name for name in names if name not in splits]
    if label_column is None and len(others) == 1:
        label_column = others[0]
    if label_column is None:
        raise InvalidInput(
            f"solution must have one column of labels beside {quoted(id_column)}, "
            f"got {listed(others)}."
        )
    columns = (id_column, label_column)
    takes = policy.display.taker.takes
    if takes is Submission.LABEL_SETS:
        raise InvalidInput(f"metric must be of one label or number per row, got {policy.metric}.")
    if takes is Submission.NUMBERS:
        table = _table_of(solution[list(columns)], id_column, "solution", InvalidInput)
        truth = LabelFile(table.numbers("solution")[:, 0], (), table.ids)
    else:
        truth = _label_file(solution, *columns, "solution", InvalidInput, policy.classes)
    if splits:
        texts = np.char.strip(_texts(solution[splits[0]]))
        parts, codes = np.unique(texts, return_inverse=True)
        truth = replace(truth, split=codes, split_names=tuple(parts.tolist()))
    return truth, columns


def _table_of(frame: Any, id_column: str, name: str, error: type[InvalidInput]) -> Table:
    """Return the ids of a frame, and all other columns."""
    _check_column(frame, id_column, name, error)
    columns = [column for column in frame.columns if column != id_column]
    if not columns:
        raise error(f"{name} must have a column of values beside {quoted(id_column)}, got none.")
    for column in columns:
        _check_column(frame, column, name, error)
    ids = as_ids(_distinct_ids(frame, id_column, name, error))
    cells = np.column_stack([_texts(frame[column]) for column in columns])
    return Table(cells, tuple(str(column) for column in columns), ids)


def _check_column(frame: Any, column: Any, name: str, error: type[InvalidInput]) -> None:
    if column not in frame.columns:
        raise error(f"{name} must have the column {quoted(column)}, got {listed(frame.columns)}.")
    if frame[column].ndim != 1:
        raise error(f"{name} must have one column {quoted(column)}, got more.")
    if frame[column].isna().any():
        raise error(f"{name} must have a value in every row of {quoted(column)}, got a blank.")


def _distinct_ids(frame: Any, id_column: str, name: str, error: type[InvalidInput]) -> Any:
    ids = _texts(frame[id_column])
    if np.unique(ids).size != ids.size:
        raise error(f"{name} must have distinct ids in {quoted(id_column)}.")
    return ids


def _label_file(
    frame: Any,
    id_column: str,
    label_column: str,
    name: str,
    error: type[InvalidInput],
    class_names: Sequence[str] | None = None,
) -> LabelFile:
    """Return what a frame holds; without known classes, with those that it has."""
    for column in (id_column, label_column):
        _check_column(frame, column, name, error)
    ids = _distinct_ids(frame, id_column, name, error)
    texts = _texts(frame[label_column])
    try:
        return label_file_of(texts, name=name, ids=ids, class_names=class_names)
    except InvalidInput as problem:
        reason = str(problem)
    raise error(reason)


def _texts(column: Any) -> Any:
    return column.astype(str).to_numpy(dtype=np.str_)
