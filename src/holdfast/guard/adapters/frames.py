"""Labels and submissions that a platform hands over as data frames.

A frame is written as the CSV file that it would be, and read like any other: one reader decides
what is wrong with a table, whichever door it comes through.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.files.csv_header import SPLIT_NAMES
from holdfast.files.csv_lines import csv_header
from holdfast.files.forms import frame_as_csv
from holdfast.files.label_files import LabelFile
from holdfast.files.tables import Table
from holdfast.guard.files import SubmissionFiles
from holdfast.guard.guarded import GuardedSolution
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.parts import PRIVATE, rows_of_parts, scored_part
from holdfast.guard.policy import Policy
from holdfast.guard.shown_numbers import ShownNumbers
from holdfast.guard.solution import Solution
from holdfast.ledger.chain import Ledger
from holdfast.metrics import Submission
from holdfast.problem import Problem
from holdfast.quoting import listed, quoted

__all__ = ["GuardedFrame", "stateless_score"]


class GuardedFrame(GuardedSolution[Any]):
    """A guard over a data frame of ids and hidden labels, for submissions of the same form.

    Parameters
    ----------
    solution
        A frame of pandas, or of polars, pyarrow or whatever else narwhals knows, with one row per
        example of the whole test set. A column named `Usage` or `split` says which part a row
        belongs to.
    policy, ledger
        As for `Guard`.
    id_column
        The column of ids, in the solution and in submissions.
    label_column
        The column of labels; None: what the policy says, or the solution's only other column.
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
        self._files = _files(solution, policy, id_column, label_column)
        super().__init__(self._files.truth, policy, ledger)

    def _file(self, submission: Any, name: str) -> LabelFile:
        return self._files.labels(_as_query(submission, name), name)

    def _table(self, submission: Any, name: str) -> Table:
        return self._files.table(_as_query(submission, name), name)


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
    files = _files(solution, policy, id_column, None)
    truth = files.truth
    whole = Solution(truth, declared=policy.classes is not None)
    takes = policy.display.taker.takes
    if takes is Submission.LABELS:
        file = files.labels(_as_query(submission, "submission"), "submission")
        predicted = whole.predicted(file, name="submission")
    else:
        table = files.table(_as_query(submission, "submission"), "submission")
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


def _files(
    solution: Any, policy: Policy, id_column: str, label_column: str | None
) -> SubmissionFiles:
    """Return what a solution holds, and what reads submissions like it."""
    if policy.display.taker.takes is Submission.LABEL_SETS:
        raise InvalidInput(f"metric must be of one label or number per row, got {policy.metric}.")
    name = "solution"
    file = frame_as_csv(solution, name)
    header = csv_header(file, name)
    label_column = label_column or policy.label_column
    if label_column is None:
        taken = (id_column.lower(), *SPLIT_NAMES)
        others = [each for each in header if each.lower() not in taken]
        if len(others) != 1:
            raise InvalidInput(
                f"{name} must have one column of labels beside {quoted(id_column)}, "
                f"got {listed(others)}."
            )
        label_column = others[0]
    return SubmissionFiles(file, policy, id_column=id_column, label_column=label_column, name=name)


def _as_query(frame: Any, name: str) -> BinaryIO:
    """Return a submission as the file that it would be, or raise `InvalidQuery`."""
    try:
        return frame_as_csv(frame, name)
    except InvalidInput as error:
        reason = str(error)
    raise InvalidQuery(reason)
