"""`holdfast close`: the final ranking on the private part, once."""

from __future__ import annotations

import csv
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    IdColumn,
    LabelColumn,
    LabelsFile,
    LedgerUrl,
    PolicyFile,
    SharedLabels,
    open_guard,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.cli.plain import percent
from holdfast.errors import InvalidInput
from holdfast.quoting import safe_cell

if TYPE_CHECKING:
    from holdfast.guard import Finals

__all__ = ["close"]

RANKING_COLUMNS = ("rank", "team", "score", "released", "receipt_id", "chosen")


def close(
    policy: PolicyFile,
    labels: LabelsFile,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    table: Annotated[
        Path | None, typer.Option("--csv", help="Write the ranking to a CSV file, too.")
    ] = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    as_json: AsJson = False,
) -> None:
    """Close the board: score each team's final submissions on the private part, and rank them.

    The private part is scored exactly, once, from the predictions that the ledger keeps; after
    that the board answers no more looks, and closing it again shows the same ranking from the
    record. Final submissions are those that a team has named, the best of them counts; a team
    that has named none is ranked by its look with the highest released score.

    Examples
    --------
    holdfast close --policy policy.toml --labels labels.csv
    holdfast close --policy policy.toml --labels labels.csv --csv ranking.csv
    """
    from holdfast.guard import close as close_board

    host = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, closes=True)
    if table is not None and not table.parent.is_dir():
        raise InvalidInput(f"csv must be a file in a folder that exists, got {table}.")
    finals = close_board(host)
    if table is not None:
        _write(table, finals)
    if as_json:
        print_json({**finals.as_data(), "repeated": finals.repeated})
        return
    teams = f"{len(finals.results):,} team{'' if len(finals.results) == 1 else 's'}"
    human().print(
        f"{finals.n_examples:,} private examples, {teams}"
        f"{' (from the record)' if finals.repeated else ''}"
    )
    plain = finals.metric == "accuracy"
    score_name = "private accuracy, %" if plain else f"private {finals.metric}"
    released_name = f"released at the look{', %' if plain else ''}"
    shown = Table("rank", "team", score_name, released_name, "chosen")
    for final in finals.results:
        shown_as = percent if plain else "{:.6g}".format
        released = "-" if final.released is None else shown_as(final.released)
        chosen = "by the team" if final.chosen else "by rule"
        shown.add_row(str(final.rank), final.team, shown_as(final.score), released, chosen)
    human().print(shown)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(path: Path, finals: Finals) -> None:
    try:
        # Private scores are the host's alone until they are published.
        with open(path, "w", encoding="utf-8", newline="", opener=_private) as file:
            writer = csv.DictWriter(file, RANKING_COLUMNS, quoting=csv.QUOTE_ALL)
            writer.writeheader()
            rows = [asdict(final) for final in finals.results]
            writer.writerows(row | {"team": safe_cell(row["team"])} for row in rows)
    except OSError as error:
        raise InvalidInput(
            f"csv must be a file that can be written, got {path} ({error.strerror}). The board is "
            "closed; run this again for the ranking."
        ) from None
