"""Options and messages that the guarding commands share."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.errors import InvalidInput
from holdfast.files.text_files import open_regular_file

if TYPE_CHECKING:
    from holdfast.guard import GuardedFile, OutcomeGuard

__all__ = [
    "DEFAULT_LEDGER",
    "OUTCOMES",
    "Between",
    "IdColumn",
    "LabelColumn",
    "LabelsFile",
    "LabelsIfAny",
    "LedgerUrl",
    "MeanOfRuns",
    "MissingFails",
    "OneOutcome",
    "PartName",
    "PolicyFile",
    "SecretFile",
    "SharedLabels",
    "TasksFile",
    "Team",
    "moment",
    "of_tasks",
    "open_guard",
    "open_outcomes",
]

DEFAULT_LEDGER = "holdfast-ledger.db"

PolicyFile = Annotated[Path, typer.Option(help="The policy file; see holdfast policy init.")]
HIDDEN = typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone.")
LabelsFile = Annotated[Path, HIDDEN]
LabelsIfAny = Annotated[Path | None, HIDDEN]
LedgerUrl = Annotated[
    str,
    typer.Option(
        envvar="HOLDFAST_LEDGER", help="The ledger: a path, sqlite:///path or postgresql://..."
    ),
]
Team = Annotated[str, typer.Option(help="Whose look it is.")]
# The policy says these; as options they work for one version more (`cli/deprecated.py`).
IdColumn = Annotated[str | None, typer.Option(hidden=True)]
LabelColumn = Annotated[str | None, typer.Option(hidden=True)]
SharedLabels = Annotated[bool, typer.Option("--shared-labels", hidden=True)]
PartName = Annotated[str | None, typer.Option(hidden=True)]

OUTCOMES = "Outcomes of tasks"
TasksFile = Annotated[
    Path | None,
    typer.Option(
        help="Instead of labels, the ids of all tasks: one a line, or a file of outcomes.",
        rich_help_panel=OUTCOMES,
    ),
]
SecretFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the owner's secret, 16 bytes at least, readable by you alone.",
        rich_help_panel=OUTCOMES,
    ),
]
MissingFails = Annotated[
    bool,
    typer.Option(
        "--missing-fails",
        help="Count a task without an outcome as failed; otherwise it is refused.",
        rich_help_panel=OUTCOMES,
    ),
]
Between = Annotated[
    str | None,
    typer.Option(metavar="LOW:HIGH", help="Range of graded outcomes.", rich_help_panel=OUTCOMES),
]
OneOutcome = Annotated[
    str | None,
    typer.Option(
        help="Which score of the file: a scorer, a metric, a key of rows.",
        rich_help_panel=OUTCOMES,
    ),
]
MeanOfRuns = Annotated[
    bool,
    typer.Option(
        "--mean", help="Take the mean of several runs of a task.", rich_help_panel=OUTCOMES
    ),
]


def of_tasks(
    labels: tuple[Path | None, ...], tasks: tuple[Path | None, ...], names: tuple[str, str]
) -> bool:
    """Return whether tasks are given, and not labels; each with all that goes with it."""
    if None not in labels and not any(tasks):
        return False
    if None not in tasks and not any(labels):
        return True
    raise InvalidInput(f"either {names[0]}, or {names[1]} must be given.")


def open_outcomes(
    policy: Path,
    tasks: Path | None,
    secret: Path | None,
    ledger: str,
    missing_fails: bool,
    between: str | None,
) -> OutcomeGuard:
    """Return the guard over tasks that a command's options describe."""
    from holdfast.files.outcomes import read_tasks
    from holdfast.guard import OutcomeGuard
    from holdfast.guard.outcomes import parse_range, read_secret

    assert tasks is not None
    assert secret is not None
    return OutcomeGuard(
        read_tasks(tasks),
        policy,
        ledger,
        secret=read_secret(secret),
        missing="fail" if missing_fails else "refuse",
        between=None if between is None else parse_range(between),
    )


def open_guard(
    policy: Path,
    labels: Path | None,
    ledger: str,
    id_column: str | None,
    label_column: str | None,
    shared: bool,
    part: str | None = None,
    *,
    closes: bool = False,
) -> GuardedFile:
    """Return the guard that a command's options describe; one that closes, on the public part."""
    assert labels is not None
    # What guards takes a second to load, and needs both.
    open_regular_file(policy, name=f"policy {policy}").close()
    open_regular_file(labels).close()
    from holdfast.guard import GuardedFile, Policy
    from holdfast.guard.parts import PUBLIC

    return GuardedFile(
        labels,
        Policy.read(policy).agreeing(part=part),
        ledger,
        part=PUBLIC if closes else None,
        id_column=id_column,
        label_column=label_column,
        shared=shared,
    )


def moment(at: datetime | None) -> str | None:
    """Return a moment as text in UTC, to the second; None stays None."""
    return None if at is None else at.isoformat(timespec="seconds")
