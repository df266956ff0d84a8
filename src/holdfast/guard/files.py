"""Hidden labels and submissions as files: read once, matched by id, kept private."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard.guard import Guard, Receipt
from holdfast.guard.ledger import Ledger
from holdfast.guard.policy import Policy
from holdfast.label_files import LabelFile, read_labels
from holdfast.labels import Labels
from holdfast.quoting import quoted

__all__ = ["GuardedFile", "in_order_of", "read_private_labels", "read_submission"]


def read_private_labels(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    shared: bool = False,
) -> LabelFile:
    """Read hidden labels from a file that only its owner can read.

    Parameters
    ----------
    path
        A CSV or NPY file, as for `read_labels`.
    id_column, label_column
        Which columns of a CSV file to read.
    shared
        Accept a file that others can read too, where a platform mounts it so.
    """
    if not shared and os.name == "posix":
        try:
            mode = stat.S_IMODE(os.stat(path).st_mode)
        except OSError as error:
            raise InvalidInput(f"labels {path} must be readable: {error.strerror}.") from None
        if mode & 0o077:
            raise InvalidInput(
                f"labels {path} must be readable by their owner alone, got mode {mode:04o}; "
                f"run: chmod 600 {path}"
            )
    return read_labels(path, id_column=id_column, label_column=label_column)


def read_submission(
    path: str | os.PathLike[str],
    truth: LabelFile,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
) -> Labels:
    """Read a submission in the order of the hidden labels, matched by id where both have ids.

    Raises
    ------
    InvalidQuery
        It can't be scored; the message names the file, the rule and the value.
    """
    try:
        file = read_labels(
            path, id_column=id_column, label_column=label_column, class_names=truth.class_names
        )
    except InvalidInput as error:
        raise InvalidQuery(str(error)) from None
    return in_order_of(truth, file, name=str(path))


def in_order_of(truth: LabelFile, file: LabelFile, *, name: str) -> Labels:
    """Return a submission's labels in the order of the hidden ones, matched by id if both have."""
    if file.n_examples != truth.n_examples:
        raise InvalidQuery(
            f"{name} must have {truth.n_examples} rows, one per example, got {file.n_examples}."
        )
    if truth.ids is None or file.ids is None:
        return file.labels
    mine, theirs = truth.ids, file.ids
    if mine.dtype.kind != theirs.dtype.kind:
        mine, theirs = mine.astype(np.str_), theirs.astype(np.str_)
    order = np.argsort(theirs, kind="stable")
    places = np.searchsorted(theirs, mine, sorter=order).clip(max=theirs.size - 1)
    found = order[places]
    missing = np.flatnonzero(theirs[found] != mine)
    if missing.size:
        raise InvalidQuery(
            f"{name} must have a row for every id, got none for {quoted(str(mine[missing[0]]))}"
            f" ({missing.size} missing)."
        )
    ordered: Labels = file.labels[found]
    return ordered


class GuardedFile:
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
    id_column, label_column
        Which columns of a CSV file to read, in the labels and in submissions.
    shared
        Accept labels that others than their owner can read.

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
        id_column: str | None = None,
        label_column: str | None = None,
        shared: bool = False,
    ) -> None:
        self._columns = {"id_column": id_column, "label_column": label_column}
        self._truth = read_private_labels(Path(labels), shared=shared, **self._columns)
        n_classes = max(self._truth.n_classes, 2)
        self.guard = Guard(self._truth.labels, policy, ledger, create=create, n_classes=n_classes)

    def read(self, submission: str | os.PathLike[str]) -> Labels:
        """Return a submission's labels in the order of the hidden ones."""
        return read_submission(submission, self._truth, **self._columns)

    def score(self, submission: str | os.PathLike[str], *, team: str) -> Receipt:
        """Answer one look at a submission file, or refuse it; see `Guard.score`."""
        try:
            prediction = self.read(submission)
        except InvalidQuery as error:
            self.guard.charge_failed(str(error), team=team)
            raise
        return self.guard.score(prediction, team=team)
