"""Options and messages that the guarding commands share."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.guard import GuardedFile

__all__ = [
    "DEFAULT_LEDGER",
    "IdColumn",
    "LabelColumn",
    "LabelsFile",
    "LedgerUrl",
    "PartName",
    "PolicyFile",
    "SharedLabels",
    "Team",
    "moment",
    "open_guard",
]

DEFAULT_LEDGER = "holdfast-ledger.db"

PolicyFile = Annotated[Path, typer.Option(help="The policy file; see holdfast policy init.")]
LabelsFile = Annotated[
    Path, typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone.")
]
LedgerUrl = Annotated[
    str,
    typer.Option(
        envvar="HOLDFAST_LEDGER", help="The ledger: a path, sqlite:///path or postgresql://..."
    ),
]
Team = Annotated[str, typer.Option(help="Whose look it is.")]
IdColumn = Annotated[str | None, typer.Option(help="The CSV files' column of ids.")]
LabelColumn = Annotated[str | None, typer.Option(help="The CSV files' column of labels.")]
SharedLabels = Annotated[
    bool, typer.Option("--shared-labels", help="Accept labels that others can read, too.")
]
PartName = Annotated[
    str | None,
    typer.Option(
        help="Rows to score: public, private or all of the labels' Usage or split column. "
        "Default: what the policy says, public where there is a public part.",
        metavar="PART",
    ),
]


def open_guard(
    policy: Path,
    labels: Path,
    ledger: str,
    id_column: str | None,
    label_column: str | None,
    shared: bool,
    part: str | None = None,
) -> GuardedFile:
    """Return the guard that a command's options describe."""
    from holdfast.guard import GuardedFile

    return GuardedFile(
        labels,
        policy,
        ledger,
        part=part,
        id_column=id_column,
        label_column=label_column,
        shared=shared,
    )


def moment(at: datetime | None) -> str | None:
    """Return a moment as text in UTC, to the second; None stays None."""
    return None if at is None else at.isoformat(timespec="seconds")
