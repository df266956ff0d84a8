"""`holdfast ledger`: make one, verify its chain, show who has looked and what that allows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.guarding import DEFAULT_LEDGER, moment
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.cli.plain import points
from holdfast.errors import InvalidInput, LedgerError, LedgerMissing

if TYPE_CHECKING:
    from holdfast.guard import DataSetExposure
    from holdfast.ledger.sealing import Fingerprint
    from holdfast.ledger.verification import Verification

__all__ = ["ledger"]

ledger = typer.Typer(
    help=with_examples(
        "Make a ledger, copy it, verify it, or show what its scored submissions allow.",
        "holdfast ledger init ledger.db",
        "holdfast ledger verify ledger.db",
    ),
    cls=ExplainedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)

Url = Annotated[
    str,
    typer.Argument(
        envvar="HOLDFAST_LEDGER", help="The ledger: a path, sqlite:///path or postgresql://..."
    ),
]


WitnessPlace = Annotated[
    str | None,
    typer.Option(help="A second place that holds the newest head: a path or postgresql://..."),
]


@ledger.command(cls=ExplainedCommand)
def init(url: Url = DEFAULT_LEDGER, witness: WitnessPlace = None, as_json: AsJson = False) -> None:
    """Make a new, empty ledger where there is none; nothing else makes one unasked.

    A ledger that is missing is refused everywhere else (exit code 4), since a new one would know
    nothing of the looks that were spent.

    Examples
    --------
    holdfast ledger init
    holdfast ledger init ledger.db --witness /mnt/other/witness
    """
    from holdfast.guard import Ledger
    from holdfast.ledger.witness import open_witness

    try:
        Ledger(url).close()
    except LedgerMissing:
        if witness is not None and open_witness(witness).read() is not None:
            raise InvalidInput(
                "witness must be a place that knows no ledger yet, got one that knows a head."
            ) from None
        Ledger(url, create=True, witness=witness).close()
    else:
        raise InvalidInput("the ledger must not exist yet, but there is one.")
    if as_json:
        print_json({"made": True})
    else:
        human().print("An empty ledger was made.")


@ledger.command(cls=ExplainedCommand, name="witness")
def start_witness(
    place: Annotated[str, typer.Argument(help="Path of a file, or postgresql://...")],
    url: Url = DEFAULT_LEDGER,
    back: Annotated[
        bool,
        typer.Option("--back", help="Even if the witness has seen entries that the ledger lacks."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a witness know the present head of a ledger, so that no older copy of it is accepted.

    Afterwards name the witness in the policy (witness = "..."). After a backup was restored on
    purpose, --back makes the witness accept it.

    Examples
    --------
    holdfast ledger witness /mnt/other/witness ledger.db
    holdfast ledger witness /mnt/other/witness ledger.db --back
    """
    from holdfast.guard import Ledger
    from holdfast.ledger.witness import open_witness

    witness = open_witness(place)
    with Ledger(url) as opened:
        if not back and witness.read() is not None:
            opened.watch(place)
        result = opened.verify()
        if not result.ok:
            raise LedgerError(f"the ledger does not verify: {result.problems[0]}")
        opened.storage.start_witness(witness, back=back)
    _tell_head("The witness knows the head", result, as_json)


@ledger.command(cls=ExplainedCommand)
def backup(
    file: Annotated[Path, typer.Argument(help="The copy; it must not exist yet.")],
    url: Url = DEFAULT_LEDGER,
    as_json: AsJson = False,
) -> None:
    """Copy an SQLite ledger, with all that is only in its log yet, while others may use it.

    To copy the file alone with cp gives an older ledger. The copy is verified, and its head is
    printed: keep it, for `ledger verify --head`.

    Examples
    --------
    holdfast ledger backup copy.db
    holdfast ledger backup copy.db ledger.db --json
    """
    from holdfast.guard import Ledger
    from holdfast.ledger.storage import sqlite_path
    from holdfast.ledger.storage.copies import back_up

    path = sqlite_path(url)
    Ledger(url).close()
    back_up(path, file)
    with Ledger(file) as copy:
        result = copy.verify()
    if not result.ok:
        raise LedgerError(f"the copy does not verify: {result.problems[0]}")
    _tell_head("Copied up to", result, as_json)


@ledger.command(cls=ExplainedCommand, name="restore")
def put_back(
    file: Annotated[Path, typer.Argument(help="A copy that ledger backup has made.")],
    url: Url = DEFAULT_LEDGER,
    as_json: AsJson = False,
) -> None:
    """Put a copy in the place of an SQLite ledger that is lost or was moved away.

    The looks since the copy was made are forgotten: every team has them again. A witness that
    knows of them refuses the ledger until `ledger witness --back` is said.

    Examples
    --------
    holdfast ledger restore copy.db
    holdfast ledger restore copy.db ledger.db
    """
    from holdfast.guard import Ledger
    from holdfast.ledger.storage import sqlite_path
    from holdfast.ledger.storage.copies import restore
    from holdfast.ledger.storage.sqlite import PATIENCE_SECONDS

    path = sqlite_path(url)
    with Ledger(file) as copy:
        result = copy.verify()
    if not result.ok:
        raise LedgerError(f"the copy does not verify: {result.problems[0]}")
    restore(file, path, PATIENCE_SECONDS)
    Ledger(url).close()
    _tell_head("Restored up to", result, as_json)


def _tell_head(what: str, result: Verification, as_json: bool) -> None:
    head = f"{result.entries}-{result.head}"
    if as_json:
        print_json({"entries": result.entries, "head": head})
    else:
        human().print(f"{what} {head}", soft_wrap=True)


@ledger.command(cls=ExplainedCommand)
def verify(
    url: Url = DEFAULT_LEDGER,
    receipt: Annotated[
        list[str] | None, typer.Option(help="A receipt id that must be in the chain; repeatable.")
    ] = None,
    head: Annotated[
        list[str] | None,
        typer.Option(
            help="A head N-HASH that the ledger had at some time and must have in its chain; "
            "repeatable."
        ),
    ] = None,
    witness: WitnessPlace = None,
    labels: Annotated[
        Path | None, typer.Option(help="The hidden labels: check the signatures, too.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="The CSV file's column of ids.")] = None,
    label_column: Annotated[
        str | None, typer.Option(help="The CSV file's column of labels.")
    ] = None,
    shared_labels: Annotated[
        bool, typer.Option("--shared-labels", help="Accept labels that others can read, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check every entry, count and state; exit 1 if anything was edited.

    The chain shows any edit but two: one by somebody who recomputes every later hash, and the
    removal of the newest entries with the head. Receipts (--receipt), heads that you noted
    (--head), a witness and signatures (--labels) show those.

    Examples
    --------
    holdfast ledger verify ledger.db
    holdfast ledger verify ledger.db --receipt 7-5d0c3ab1 --labels labels.csv
    """
    from holdfast.guard import Ledger
    from holdfast.guard.files import owners_of

    with Ledger(url, witness=witness) as opened:
        owners: tuple[Fingerprint, ...] = ()
        if labels is not None:
            owners = owners_of(
                labels, opened, id_column=id_column, label_column=label_column, shared=shared_labels
            )
        result = opened.verify(receipts=receipt or (), heads=head or (), owner=owners)
        if labels is not None and result.ok:
            with opened.storage.reading() as transaction:
                known = [
                    name
                    for name in transaction.data_sets()
                    if "linked_to" not in (transaction.opened(name) or "")
                ]
            if known and not any(owner.data_set in known for owner in owners):
                raise InvalidInput(
                    "labels must be of a data set that the ledger knows, got others; the chain "
                    "holds, and no signature was checked."
                )
    if as_json:
        print_json({"ok": result.ok, **asdict(result)})
    else:
        human().print(f"{result.entries:,} entries, head {result.entries}-{result.head[:32]}")
        for problem in result.problems:
            human().print(problem, soft_wrap=True)
        human().print("The chain holds." if result.ok else "The ledger was edited.")
    if not result.ok:
        raise typer.Exit(1)


@ledger.command(cls=ExplainedCommand)
def show(url: Url = DEFAULT_LEDGER, as_json: AsJson = False) -> None:
    """Show every team's scored submissions (looks) on every data set and the worst gain they allow.

    The gain is the largest expected accuracy above guessing that any analyst could have got from
    the answers so far, in points (a fraction in the JSON). It says what no attack can exceed, not
    what was done. Where numbers or label sets are hidden none is proved: a dash says so. Nobody
    guesses labels of tasks: there it is by how far the expected score of a program that is chosen
    by the answers may exceed its value on fresh tasks (docs/outcomes.md).

    Examples
    --------
    holdfast ledger show ledger.db
    holdfast ledger show postgresql://board@db.example/ledger --json
    """
    from holdfast.guard import Ledger, exposure

    with Ledger(url) as opened:
        found = exposure(opened)
    if as_json:
        print_json({"data_sets": [_plain(each) for each in found]})
        return
    for each in found:
        human().print(
            f"data set {each.data_set[:12]}: {each.n_examples:,} "
            + ("examples" if each.tasks is None else "tasks")
            + (
                f", {each.n_classes:,} classes"
                if each.tasks is None and not each.not_covered
                else ""
            )
        )
        table = Table(
            "team", "scored submissions (looks)", "failed", "last look (UTC)",
            "no attack can gain more, points" if each.tasks is None
            else "a program's score is on average at most so much above its value",
        )  # fmt: skip
        for team in each.teams:
            table.add_row(
                team.team,
                f"{team.looks:,}",
                f"{team.failed:,}",
                moment(team.last),
                _gain(team.gain, each),
            )
        table.add_row(
            "all together", f"{each.looks:,}", f"{each.failed:,}", "", _gain(each.gain, each)
        )
        human().print(table)
        if each.not_covered:
            human().print(f"No gain is certified: {each.not_covered}.", soft_wrap=True)
    if not found:
        human().print("No looks yet.")


def _gain(gain: float | None, of: DataSetExposure) -> str:
    """Return a gain in points, of tasks in units of the score; a dash where none is certified."""
    if gain is None:
        return "-"
    return points(gain) if of.tasks is None else f"{gain:.3f}"


def _plain(each: DataSetExposure) -> dict[str, Any]:
    data = asdict(each)
    for team in data["teams"]:
        team["last"] = moment(team["last"])
    return data
