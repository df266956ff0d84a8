"""`holdfast board`: make boards, let people in, change the rule, close, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.board_people import invite, password, token, tokens
from holdfast.cli.board_places import (
    DEFAULT,
    Database,
    Labels,
    Name,
    PolicyFile,
    Yes,
    ask_before,
    opened,
)
from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.guarding import IdColumn, LabelColumn
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput, LedgerError

if TYPE_CHECKING:
    from holdfast.server.records import Outcomes

__all__ = ["board"]

board = typer.Typer(
    help=with_examples(
        "Make a leaderboard, let teams and hosts in, change its rule, close and check it.",
        "holdfast board init pets --labels solution.csv",
        "holdfast board token pets --team blue",
    ),
    cls=ExplainedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)

DEFAULT_POLICY = 'release = "ladder:0.01"\n'


@board.command(cls=ExplainedCommand)
def init(
    name: Name,
    labels: Annotated[
        Path | None,
        typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone."),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(
            help="Instead of labels: a file of task ids, one a line. Submissions are outcomes."
        ),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            help="With --tasks: a file of 16 bytes or more that you alone have. With another one "
            "the same tasks have a fresh budget."
        ),
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(help="With --tasks: the range of graded outcomes, such as 0:10."),
    ] = None,
    missing_fails: Annotated[
        bool,
        typer.Option(
            "--missing-fails", help="With --tasks: a task without an outcome counts as failed."
        ),
    ] = False,
    policy: Annotated[
        Path | None, typer.Option(help="The policy file. Default: ladder:0.01, 100 looks per team.")
    ] = None,
    database: Database = DEFAULT,
    title: Annotated[str, typer.Option(help="What the pages call it. Default: its name.")] = "",
    visibility: Annotated[
        str,
        typer.Option(help="Who sees the standings: open (all), own (a team its row), or host."),
    ] = "open",
    shows: Annotated[
        str | None,
        typer.Option(
            help="Which look of a team stands: best, latest or chosen. Default: best, or latest "
            "where the rule has noise."
        ),
    ] = None,
    opens: Annotated[
        str | None,
        typer.Option(help="When it opens, such as 2027-05-01T12:00, in UTC. Default: now."),
    ] = None,
    closes: Annotated[
        str | None,
        typer.Option(help="When it takes no more submissions, in UTC. Default: when it is told."),
    ] = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    as_json: AsJson = False,
) -> None:
    """Make a board over hidden labels, or over tasks; the database is made if there is none.

    The labels stay where they are: the server reads them when it starts. What becomes public are
    the ids, the number of examples and the classes. The link that is printed makes whoever follows
    it first a host of the board. The policy says what a look shows: any metric, a breakdown, and
    further metrics; of tasks it is the share that a program passes, or its mean outcome.

    Examples
    --------
    holdfast board init pets --labels solution.csv
    holdfast board init pets --labels solution.csv --policy policy.toml --title Pets
    holdfast board init fixes --tasks tasks.txt --secret secret --missing-fails
    holdfast board init pets --labels solution.csv --opens 2027-05-01T12:00 --closes 2027-06-01
    """
    from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file

    hidden, outcomes = labels, None
    if tasks is not None and labels is None:
        hidden, outcomes = tasks, _outcomes(secret, between, missing_fails)
    elif secret is not None or between is not None or missing_fails:
        raise InvalidInput("tasks must be given with secret, between and missing_fails.")
    if hidden is None or (tasks is not None and labels is not None):
        raise InvalidInput("labels or tasks must be given, and not both: --labels FILE.")
    text = DEFAULT_POLICY
    if policy is not None:
        text = read_text_file(policy, LARGEST_SETTINGS, name=f"policy {policy}")
    with opened(database, create=True) as place:
        made = place.boards.create(
            name,
            hidden,
            text,
            title=title,
            visibility=visibility,
            id_column=id_column,
            label_column=label_column,
            shows=shows,
            outcomes=outcomes,
            opens=opens,
            closes=closes,
        )
        facts = place.gatekeeper.facts(place.board(name)[1])
        from holdfast.server.accounts import Accounts

        link = f"/join/{Accounts(place.gatekeeper.store).invite(made, None, 'host')}"
    if as_json:
        print_json({"board": name, "classes": list(facts.classes), "host_link": link})
        return
    what = "examples" if outcomes is None else "tasks"
    human().print(f"The board {name} was made: {facts.n_examples:,} {what}.", soft_wrap=True)
    if facts.classes:
        human().print(f"Public classes: {', '.join(facts.classes[:20])}", soft_wrap=True)
    human().print(f"Become its host at {link} (works once, for a week).", soft_wrap=True)
    human().print("Serve it with: holdfast serve", soft_wrap=True)


def _outcomes(secret: Path | None, between: str | None, missing_fails: bool) -> Outcomes:
    """Return how outcomes are read, as the options say."""
    from holdfast.guard.outcomes import parse_range
    from holdfast.server.records import Outcomes

    if secret is None:
        raise InvalidInput(
            "secret must be given with tasks: a file that is yours alone, such as "
            "(umask 077; head -c 32 /dev/urandom | base64 > secret)."
        )
    span = None if between is None else parse_range(between)
    missing = "fail" if missing_fails else "refuse"
    return Outcomes(str(secret.absolute()), missing, span)


@board.command(name="list", cls=ExplainedCommand)
def show(database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """List the boards, with their phase and policy.

    Examples
    --------
    holdfast board list
    holdfast board list --json
    """
    from holdfast.server.records import Board as Record

    with opened(database) as place:
        found = place.gatekeeper.store.find(Record, "ORDER BY id")
        rows = [(each, place.boards.phase(each)) for each in found]
    if as_json:
        print_json(
            [
                {
                    "board": each.slug,
                    "title": each.title,
                    "phase": None if phase is None else phase.number,
                    "policy": None if phase is None else phase.digest,
                }
                for each, phase in rows
            ]
        )
        return
    for each, phase in rows:
        at = "not open yet" if phase is None else f"phase {phase.number}, policy {phase.digest}"
        human().print(f"{each.slug}: {each.title} ({at})", soft_wrap=True)


for each in (invite, password, token, tokens):
    board.command(cls=ExplainedCommand)(each)


@board.command(cls=ExplainedCommand)
def policy(
    name: Name, policy: PolicyFile, database: Database = DEFAULT, as_json: AsJson = False
) -> None:
    """Put another policy in force: looks stay spent; another rule or metric begins a new phase.

    Examples
    --------
    holdfast board policy pets --policy policy.toml
    holdfast board policy pets --policy policy.toml --json
    """
    from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file

    text = read_text_file(policy, LARGEST_SETTINGS, name=f"policy {policy}")
    with opened(database) as place:
        place.change(name, "policy", text, as_json)


@board.command(cls=ExplainedCommand)
def rotate(
    name: Name, labels: Labels, database: Database = DEFAULT, as_json: AsJson = False
) -> None:
    """Go on with fresh labels, as a new phase: every team has its looks anew.

    Examples
    --------
    holdfast board rotate pets --labels fresh.csv
    holdfast board rotate pets --labels fresh.csv --json
    """
    with opened(database) as place:
        place.change(name, "rotate", str(labels), as_json)


@board.command(name="labels", cls=ExplainedCommand)
def move_labels(
    name: Name, labels: Labels, database: Database = DEFAULT, as_json: AsJson = False
) -> None:
    """Read a board's labels from another file, such as where a backup was restored.

    They must be the labels with which the phase in force began: their fingerprint is compared.

    Examples
    --------
    holdfast board labels pets --labels elsewhere/solution.csv
    holdfast board labels pets --labels elsewhere/solution.csv --json
    """
    with opened(database) as place:
        place.change(name, "labels", str(labels), as_json)


@board.command(cls=ExplainedCommand)
def merge(
    name: Name,
    team: Annotated[str, typer.Argument(help="The team that ends.")],
    into: Annotated[str, typer.Argument(help="The team that goes on.")],
    database: Database = DEFAULT,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Merge two teams: members, tokens, best score and looks of both; nobody gets a look back.

    Examples
    --------
    holdfast board merge pets red blue
    holdfast board merge pets red blue --yes --json
    """
    from holdfast.guard.team import team_key
    from holdfast.server.records import Team

    with opened(database) as place:
        found, _ = place.board(name)
        where, numbers = "WHERE board = ? AND key = ?", []
        for each in (team, into):
            known = place.gatekeeper.store.one(Team, where, found.id, team_key(each))
            if known is None:
                raise InvalidInput(f"team must be one of this board, got {each}.")
            numbers.append(known.id)
        ask_before(f"{team} ends, and {into} goes on with what both have.", yes=yes)
        place.change(name, "merge", f"{numbers[0]} into {numbers[1]}", as_json)


@board.command(cls=ExplainedCommand)
def close(
    name: Name, database: Database = DEFAULT, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Close a board for good: score the private part once, from the predictions that are kept.

    Examples
    --------
    holdfast board close pets
    holdfast board close pets --yes --json
    """
    with opened(database) as place:
        place.board(name)  # a name that is none is told before anything is asked
        ask_before(f"{name} takes no more submissions, and its private part is scored.", yes=yes)
        place.change(name, "close", "", as_json)


@board.command(cls=ExplainedCommand)
def rebuild(name: Name, database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Make the standings anew from the ledger, and say whether they had been different.

    Examples
    --------
    holdfast board rebuild pets
    holdfast board rebuild pets --json
    """
    with opened(database) as place:
        different = place.boards.rebuild(place.board(name)[0])
    if as_json:
        print_json({"board": name, "different_phases": different})
    else:
        told = f"phases {different} were different" if different else "nothing was different"
        human().print(f"{name}: standings made anew; {told}.")


@board.command(cls=ExplainedCommand)
def verify(database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Check the whole ledger, and that all standings follow from it; exit 1 if not.

    Nothing is changed: what differs stays as it was found.

    Examples
    --------
    holdfast board verify
    holdfast board verify --json
    """
    from holdfast.server.records import Board as Record

    with opened(database) as place:
        result = place.gatekeeper.verify()
        problems = list(result.problems)
        for each in place.gatekeeper.store.find(Record, "ORDER BY id"):
            try:
                different = place.boards.different(each)
            except LedgerError as error:
                problems.append(str(error))
                continue
            if different:
                problems.append(
                    f"the standings of {each.slug} are not what the ledger says, in phases "
                    f"{different}; holdfast board rebuild {each.slug} makes them anew."
                )
    if as_json:
        print_json({"ok": not problems, "entries": result.entries, "problems": problems})
    else:
        human().print(f"{result.entries:,} entries, {'no problem' if not problems else 'PROBLEMS'}")
        for problem in problems:
            human().print(problem, soft_wrap=True)
    if problems:
        raise typer.Exit(1)
