"""`holdfast ledger`: make one, verify its chain, show who has looked and what that allows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.guarding import DEFAULT_LEDGER, IdColumn, LabelColumn, SharedLabels, moment
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput, LedgerMissing
from holdfast.guard import DataSetExposure, Ledger, exposure
from holdfast.guard.data_set import names_of, owners_of
from holdfast.guard.files import read_private_labels
from holdfast.guard.fingerprint import Fingerprint

__all__ = ["ledger"]

ledger = typer.Typer(
    help="Make a ledger, verify it, or show what its looks allow.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Url = Annotated[
    str,
    typer.Argument(
        envvar="HOLDFAST_LEDGER", help="The ledger: a path, sqlite:///path or postgresql://..."
    ),
]


@ledger.command()
def init(url: Url = DEFAULT_LEDGER, as_json: AsJson = False) -> None:
    """Make a new, empty ledger where there is none; nothing else makes one unasked.

    A ledger that is missing is refused everywhere else (exit code 4), since a new one would know
    nothing of the looks that were spent.
    """
    try:
        Ledger(url).close()
    except LedgerMissing:
        Ledger(url, create=True).close()
    else:
        raise InvalidInput("the ledger must not exist yet, but there is one.")
    if as_json:
        print_json({"made": True})
    else:
        human().print("An empty ledger was made.")


@ledger.command()
def verify(
    url: Url = DEFAULT_LEDGER,
    receipt: Annotated[
        list[str] | None, typer.Option(help="A receipt id that must be in the chain; repeatable.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="The hidden labels: check the signatures, too.")
    ] = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    as_json: AsJson = False,
) -> None:
    """Check every entry, count and state; exit 1 if anything was edited.

    The chain shows any edit but two: one by somebody who recomputes every later hash, and the
    removal of the newest entries with the head. Receipts (--receipt) and signatures (--labels)
    show those.
    """
    with Ledger(url) as opened:
        owner: tuple[Fingerprint, ...] = ()
        if labels is not None:
            file = read_private_labels(
                labels, id_column=id_column, label_column=label_column, shared=shared_labels
            )
            names = names_of(file.labels, file.ids, opened.salt())
            with opened.storage.reading() as transaction:
                owner = owners_of(transaction, names)
        result = opened.verify(receipts=receipt or (), owner=owner)
    if as_json:
        print_json({"ok": result.ok, **asdict(result)})
    else:
        human().print(f"{result.entries:,} entries, head {result.head[:32]}")
        for problem in result.problems:
            human().print(problem, soft_wrap=True)
        human().print("The chain holds." if result.ok else "The ledger was edited.")
    if not result.ok:
        raise typer.Exit(1)


@ledger.command()
def show(url: Url = DEFAULT_LEDGER, as_json: AsJson = False) -> None:
    """Show the looks of every team on every data set and the worst gain they allow.

    The gain is the largest expected accuracy above guessing that any analyst could have got from
    the answers so far. It says what is possible, not what was done.
    """
    with Ledger(url) as opened:
        found = exposure(opened)
    if as_json:
        print_json({"data_sets": [_plain(each) for each in found]})
        return
    for each in found:
        human().print(
            f"data set {each.data_set[:12]}: {each.n_examples:,} examples, "
            f"{each.n_classes:,} classes"
        )
        table = Table("team", "looks", "failed", "last look (UTC)", "worst gain")
        for team in each.teams:
            table.add_row(
                team.team,
                f"{team.looks:,}",
                f"{team.failed:,}",
                moment(team.last),
                f"{team.gain:.5f}",
            )
        table.add_row("all together", f"{each.looks:,}", f"{each.failed:,}", "", f"{each.gain:.5f}")
        human().print(table)
    if not found:
        human().print("No looks yet.")


def _plain(each: DataSetExposure) -> dict[str, Any]:
    data = asdict(each)
    for team in data["teams"]:
        team["last"] = moment(team["last"])
    return data
