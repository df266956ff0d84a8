"""`holdfast choose`: name a look for the final result."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    IdColumn,
    LabelColumn,
    LabelsFile,
    LedgerUrl,
    PartName,
    PolicyFile,
    SharedLabels,
    Team,
    open_guard,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json

__all__ = ["choose"]


def choose(
    policy: PolicyFile,
    labels: LabelsFile,
    receipt: Annotated[str, typer.Option(help="The receipt id that holdfast score printed.")],
    team: Team,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    part: PartName = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    as_json: AsJson = False,
) -> None:
    """Name one of a team's scored submissions for the final result; it costs nothing.

    The policy's final_choices says how many a team may name, and holdfast close ranks by the
    best of them. Exit code 2: no look of this team, or it has named as many as it may.

    Examples
    --------
    holdfast choose --policy policy.toml --labels labels.csv --team red --receipt 7-5d0c3ab1
    holdfast choose --policy policy.toml --labels labels.csv --team red --receipt 7-5d0c3ab1 --json
    """
    host = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, part)
    chosen = host.guard.choose_final(receipt, team=team)
    if as_json:
        print_json(
            {
                "team": team,
                "part": chosen.part,
                "released": chosen.shown,
                "receipt_id": chosen.receipt_id,
            }
        )
        return
    told = "-" if chosen.shown is None else chosen.shown
    human().print(f"chosen for the final result: {chosen.receipt_id}, released {told}")
