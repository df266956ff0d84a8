"""Hidden labels and submissions as files: read once, matched by id, kept private."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.files.label_files import LabelFile, read_labels
from holdfast.files.tables import Source, Table, called, read_groups, read_table
from holdfast.guard.guarded import GuardedSolution, as_policy
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.label_set import Name
from holdfast.guard.parts import ALL, Part, data_sets_of
from holdfast.guard.policy import Policy
from holdfast.ledger.chain import Ledger
from holdfast.ledger.sealing import Fingerprint
from holdfast.metrics import Submission
from holdfast.metrics.display import Display
from holdfast.rules import recorded_look

__all__ = [
    "GuardedFile",
    "SubmissionFiles",
    "check_owner_only",
    "owners_of",
    "read_private_labels",
]

# What a column of targets is called where others stand beside it.
TARGET_COLUMNS = ("label", "target")
# Rows beyond twice the test set's that are still read, so that a message can count them.
SPARE_ROWS = 1000


def read_private_labels(
    source: Source,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    class_names: Sequence[str] | None = None,
    shared: bool = False,
    takes: Submission = Submission.LABELS,
    breakdown: str | None = None,
    name: str | None = None,
) -> LabelFile:
    """Read hidden labels from a file that only its owner can read.

    Parameters
    ----------
    source
        A CSV or NPY file, as for `read_labels`; one that is open is nobody else's to read.
    id_column, label_column
        Which columns of a CSV file to read.
    class_names
        The declared classes, if they are.
    shared
        Accept a file that others can read too, where a platform mounts it so.
    takes
        What a submission is: where it is numbers or label sets, these are hidden.
    breakdown
        The column of groups, if one is wanted.
    name
        What messages call the file.
    """
    if not shared and isinstance(source, str | os.PathLike):
        check_owner_only(source, "labels")
    if takes in (Submission.NUMBERS, Submission.LABEL_SETS):
        file = _hidden_values(source, id_column, label_column, takes, breakdown, name)
    else:
        file = read_labels(
            source,
            id_column=id_column,
            label_column=label_column,
            class_names=class_names,
            name=name,
        )
    if breakdown is None:
        return file
    return replace(file, groups=read_groups(source, breakdown, file.n_examples))


def owners_of(
    source: str | os.PathLike[str],
    ledger: Ledger,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    shared: bool = False,
) -> tuple[Fingerprint, ...]:
    """Return every fingerprint that the labels of a file may have in a ledger.

    What is hidden, classes, numbers or label sets, is what the metrics of the ledger's looks say.
    """
    displays: dict[tuple[Submission, str | None], Display] = {}
    with ledger.storage.reading() as transaction:
        salt = transaction.salt()
        for rule in {entry.rule for entry in transaction.entries(checked=False)}:
            with suppress(InvalidInput):  # edited, or none
                display = recorded_look(str(rule)).display
                displays.setdefault((display.taker.takes, display.breakdown), display)
    found: list[Name] = []
    fault: InvalidInput | None = None
    for display in displays.values() or [Display()]:
        try:
            file = read_private_labels(
                source,
                id_column=id_column,
                label_column=label_column,
                shared=shared,
                takes=display.taker.takes,
                breakdown=display.breakdown,
            )
        except InvalidInput as error:  # of another data set's form
            fault = error
            continue
        n_classes = max(file.n_classes, 2)
        for rows in data_sets_of(file):
            examples = HiddenExamples(
                file.labels, n_classes, file.ids, Part(ALL, rows), display, file.groups
            )
            found += examples.label_set(salt).names
    if fault is not None and not found:
        raise fault
    return tuple(name.owner for name in found)


def check_owner_only(path: str | os.PathLike[str], what: str) -> None:
    """Raise `InvalidInput` if others than its owner can read a file, or nobody can."""
    if os.name != "posix":
        return
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError as error:
        raise InvalidInput(f"{what} {path} must be readable: {error.strerror}.") from None
    if mode & 0o077:
        raise InvalidInput(
            f"{what} {path} must be readable by their owner alone, got mode {mode:04o}; "
            f"run: chmod 600 {path}"
        )


def _hidden_values(
    source: Source,
    id_column: str | None,
    label_column: str | None,
    takes: Submission,
    breakdown: str | None,
    name: str | None,
) -> LabelFile:
    """Return hidden numbers, or label sets with the names of their columns."""
    ignored = () if breakdown is None else (breakdown,)
    one = takes is Submission.NUMBERS
    name = f"labels {called(source)}" if name is None else name
    table = read_table(
        source,
        id_column=id_column,
        value_column=label_column,
        ignored=ignored,
        preferred=TARGET_COLUMNS if one else (),
        name=name,
        single=one,
    )
    if one and table.cells.shape[1] != 1:
        raise InvalidInput(
            f"{name} must have one column of numbers, got {table.cells.shape[1]} columns."
        )
    values = table.cells.astype(np.float64)
    names = () if one else table.columns
    if one:
        values = values[:, 0]
    return LabelFile(values, names, table.ids, table.split, table.split_names)


class SubmissionFiles:
    """The hidden labels of a board and the files that are handed in for them.

    Parameters
    ----------
    labels
        The hidden labels.
    policy
        Whose metrics say what is hidden and what is handed in.
    id_column, label_column
        Which columns of a CSV file to read, in both; None: what the policy says.
    shared
        Accept labels that others than their owner can read, as the policy's `shared_labels` does.
    name
        What messages call the labels.
    """

    def __init__(
        self,
        labels: Source,
        policy: Policy,
        *,
        id_column: str | None = None,
        label_column: str | None = None,
        shared: bool = False,
        name: str | None = None,
    ) -> None:
        policy = policy.agreeing(id_column=id_column, label_column=label_column)
        self._id_column, self._label_column = policy.id_column, policy.label_column
        self._takes = policy.display.taker.takes
        self.truth = read_private_labels(
            labels,
            id_column=policy.id_column,
            label_column=policy.label_column,
            class_names=policy.classes,
            shared=shared or policy.shared_labels,
            takes=self._takes,
            breakdown=policy.breakdown,
            name=name,
        )
        # Somewhat too many rows are counted and told; a flood of them is not even read.
        self._most_rows = 2 * self.truth.n_examples + SPARE_ROWS

    def labels(self, submission: Source, name: str) -> LabelFile:
        """Return a submission of one label per example, or raise `InvalidQuery`."""
        try:
            return read_labels(
                submission,
                id_column=self._id_column,
                label_column=self._label_column,
                class_names=self.truth.class_names,
                others=True,  # what is wrong with ids and rows comes first
                most_rows=self._most_rows,
                name=name,
            )
        except InvalidInput as error:
            reason = str(error)
        raise InvalidQuery(reason)

    def table(self, submission: Source, name: str) -> Table:
        """Return a submission of anything else, or raise `InvalidQuery`."""
        # A single column of numbers may be called anything; of several, that of the labels' name.
        own = self._label_column
        preferred = (*([] if own is None else [own]), *TARGET_COLUMNS)
        try:
            return read_table(
                submission,
                id_column=self._id_column,
                preferred=preferred if self._takes is Submission.NUMBERS else (),
                most_rows=self._most_rows,
                name=name,
                named=self._takes is Submission.RANKED_LABELS,
            )
        except InvalidInput as error:
            reason = str(error)
        raise InvalidQuery(reason)


class GuardedFile(GuardedSolution[Source]):
    r"""A guard over a file of hidden labels, for submissions that are files too.

    Parameters
    ----------
    labels
        The file of hidden labels.
    policy
        A `Policy`, or the path of a policy file.
    ledger
        A `Ledger`, or its path or URL.
    create
        Make a new ledger where the path or URL has none; if False, that is a `LedgerMissing`.
    part
        Which rows looks are scored on: "public", "private" or "all" of the labels' `Usage` or
        `split` column; None: what the policy says.
    id_column, label_column
        Which columns of a CSV file to read, in the labels and in submissions; None: what the
        policy says. Numbers that are submitted in one column may stand under any name.
    shared
        Accept labels that others than their owner can read, as the policy's `shared_labels` does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth, guess = Path(folder, "truth.csv"), Path(folder, "guess.csv")
    ...     _ = truth.write_text("id,label\n1,cat\n2,dog\n"), truth.chmod(0o600)
    ...     _ = guess.write_text("id,label\n2,dog\n1,dog\n")
    ...     host = GuardedFile(truth, Policy("exact"), folder + "/ledger.db", create=True)
    ...     host.score(guess, team="blue").released
    0.5
    """

    def __init__(
        self,
        labels: str | os.PathLike[str],
        policy: Policy | str | os.PathLike[str],
        ledger: Ledger | str | os.PathLike[str],
        *,
        create: bool = False,
        part: str | None = None,
        id_column: str | None = None,
        label_column: str | None = None,
        shared: bool = False,
    ) -> None:
        policy = as_policy(policy)
        if part is not None:
            policy = replace(policy, part=part)
        self._files = SubmissionFiles(
            Path(labels), policy, id_column=id_column, label_column=label_column, shared=shared
        )
        super().__init__(self._files.truth, policy, ledger, create=create)

    def _file(self, submission: Source, name: str) -> LabelFile:
        return self._files.labels(submission, name)

    def _table(self, submission: Source, name: str) -> Table:
        return self._files.table(submission, name)
