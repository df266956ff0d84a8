"""`holdfast board`: make boards, let people in, change the rule, close, check."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput, LedgerError, LedgerMissing
from holdfast.extras import needed_for

if TYPE_CHECKING:
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper
    from holdfast.server.records import Board, Phase

__all__ = ["Database", "board"]

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

Database = Annotated[
    str,
    typer.Option(
        envvar="HOLDFAST_BOARD",
        help="The server's database with its ledger: a path or postgresql://...",
    ),
]
DEFAULT = "holdfast-board.db"
Name = Annotated[str, typer.Argument(help="The board's name, as in its address.")]
Labels = Annotated[
    Path, typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone.")
]
PolicyFile = Annotated[Path, typer.Option(help="The policy file; see holdfast policy init.")]
DEFAULT_POLICY = 'release = "ladder:0.01"\n'


class _Place:
    """An open database and what is in it."""

    def __init__(self, gatekeeper: Gatekeeper, boards: Boards) -> None:
        self.gatekeeper, self.boards = gatekeeper, boards

    def board(self, name: str) -> tuple[Board, Phase]:
        """Return a board and its phase in force, or the coming one."""
        found = self.boards.get(name)
        if found is None:
            raise InvalidInput(
                f"name must be that of a board, got {name}; see holdfast board list."
            )
        phase = self.boards.phase(found, coming=True)
        assert phase is not None
        return found, phase

    def change(self, name: str, action: str, value: str, as_json: bool) -> None:
        """Do one of the host's actions, and say what was done."""
        done = self.boards.change(*self.board(name), action, value, "the command line")
        if as_json:
            print_json({"board": name, "done": done.told, "receipt_id": done.receipt_id})
        else:
            human().print(f"{name}: {done.told}.", soft_wrap=True)


@contextmanager
def _opened(database: str, *, create: bool = False) -> Iterator[_Place]:
    with needed_for("holdfast board"):
        from holdfast.server.boards import Boards
        from holdfast.server.gatekeeper import Gatekeeper
    try:
        gatekeeper = Gatekeeper(database, create=create)
    except LedgerMissing:
        raise LedgerMissing(
            "database must hold boards, but there is none; make the first one with: "
            "holdfast board init NAME --labels FILE"
        ) from None
    try:
        yield _Place(gatekeeper, Boards(gatekeeper))
    finally:
        gatekeeper.close()


@board.command(cls=ExplainedCommand)
def init(
    name: Name,
    labels: Labels,
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
    id_column: Annotated[str | None, typer.Option(help="The CSV files' column of ids.")] = None,
    label_column: Annotated[
        str | None, typer.Option(help="The CSV files' column of labels.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a board over a file of hidden labels; the database is made if there is none.

    The labels stay where they are: the server reads them when it starts. What becomes public are
    the ids, the number of examples and the classes. The link that is printed makes whoever follows
    it first a host of the board.

    Examples
    --------
    holdfast board init pets --labels solution.csv
    holdfast board init pets --labels solution.csv --policy policy.toml --title Pets
    holdfast board init pets --labels solution.csv --opens 2027-05-01T12:00 --closes 2027-06-01
    """
    from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file

    text = DEFAULT_POLICY
    if policy is not None:
        text = read_text_file(policy, LARGEST_SETTINGS, name=f"policy {policy}")
    with _opened(database, create=True) as place:
        made = place.boards.create(
            name,
            labels,
            text,
            title=title,
            visibility=visibility,
            id_column=id_column,
            label_column=label_column,
            shows=shows,
            opens=opens,
            closes=closes,
        )
        facts = place.gatekeeper.facts(place.board(name)[1])
        from holdfast.server.accounts import Accounts

        secret = Accounts(place.gatekeeper.store).invite(made, None, "host")
    if as_json:
        print_json({"board": name, "classes": list(facts.classes), "host_link": f"/join/{secret}"})
        return
    human().print(f"The board {name} was made: {facts.n_examples:,} examples.", soft_wrap=True)
    human().print(f"Public classes: {', '.join(facts.classes[:20])}", soft_wrap=True)
    human().print(f"Become its host at /join/{secret} (works once, for a week).", soft_wrap=True)
    human().print("Serve it with: holdfast serve", soft_wrap=True)


@board.command(name="list", cls=ExplainedCommand)
def show(database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """List the boards, with their phase and policy.

    Examples
    --------
    holdfast board list
    holdfast board list --json
    """
    from holdfast.server.records import Board as Record

    with _opened(database) as place:
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


@board.command(cls=ExplainedCommand)
def token(
    name: Name,
    scope: Annotated[
        str,
        typer.Option(help="submit (in a team's name), host, service (forwarders) or metrics."),
    ] = "submit",
    team: Annotated[
        str | None, typer.Option(help="The team of a submit token; made if there is none.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="Days until it expires.")] = 180,
    database: Database = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Make an API token and print it, once.

    Examples
    --------
    holdfast board token pets --team blue
    holdfast board token pets --scope service
    """
    if (scope == "submit") != (team is not None):
        raise InvalidInput("team must be given with the scope submit, and with no other.")
    with _opened(database) as place:
        from holdfast.guard.team import team_key
        from holdfast.guard.windows import clock
        from holdfast.server import store
        from holdfast.server.accounts import new_token
        from holdfast.server.records import Team

        found, _ = place.board(name)
        number = 0
        with place.gatekeeper.store.writing() as transaction:
            if team is not None:
                where = "WHERE board = ? AND key = ?"
                known = store.one(transaction, Team, where, found.id, team_key(team))
                number = (known or store.new_team(transaction, found.id, team, clock())).id
            text = new_token(
                transaction,
                board=found.id,
                team=number,
                scope=scope,
                name=f"{scope} from the command line",
                days=days,
            )
    if as_json:
        print_json({"board": name, "scope": scope, "token": text})
    else:
        print(text)


@board.command(cls=ExplainedCommand)
def tokens(
    name: Name,
    revoke: Annotated[
        str | None, typer.Option(help="Number of a token that is to be good for nothing.")
    ] = None,
    database: Database = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List a board's tokens with their scope, expiry and last use; revoke one.

    A token's number is its middle part, hf_NUMBER_secret. The secret itself is stored nowhere.

    Examples
    --------
    holdfast board tokens pets
    holdfast board tokens pets --revoke 1f2e3d4c5b6a
    """
    with _opened(database) as place:
        from holdfast.guard.windows import as_datetime, clock
        from holdfast.server import store
        from holdfast.server.records import Token

        found, _ = place.board(name)
        with place.gatekeeper.store.writing() as transaction:
            mine = store.find(transaction, Token, "WHERE board = ? ORDER BY created", found.id)
            if revoke is not None:
                if revoke not in (each.id for each in mine):
                    raise InvalidInput("revoke must be the number of one of this board's tokens.")
                question = "UPDATE holdfast_tokens SET revoked = ? WHERE id = ? AND revoked IS NULL"
                now = clock()
                transaction.execute(question, (now, revoke))
                store.note_action(transaction, now, "the command line", found.id, "revoke", revoke)
            mine = store.find(transaction, Token, "WHERE board = ? ORDER BY created", found.id)

    def day(moment: int | None) -> str | None:
        return None if moment is None else as_datetime(moment).date().isoformat()

    rows = [
        {
            "number": each.id,
            "scope": each.scope,
            "team_id": each.team or None,
            "name": each.name,
            "expires": day(each.expires),
            "last_used": day(each.used_on),
            "revoked": day(each.revoked),
        }
        for each in mine
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        team = "" if row["team_id"] is None else f" of team {row['team_id']}"
        state = f"revoked {row['revoked']}" if row["revoked"] else f"until {row['expires']}"
        used = f"last used {row['last_used'] or 'never'}"
        said = f"{row['number']}: {row['scope']}{team}, {row['name']}, {state}, {used}"
        human().print(said, soft_wrap=True, markup=False, highlight=False)


@board.command(cls=ExplainedCommand)
def policy(
    name: Name, policy: PolicyFile, database: Database = DEFAULT, as_json: AsJson = False
) -> None:
    """Put another policy in force; looks stay spent, and another rule begins a new phase.

    Examples
    --------
    holdfast board policy pets --policy policy.toml
    holdfast board policy pets --policy policy.toml --json
    """
    from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file

    text = read_text_file(policy, LARGEST_SETTINGS, name=f"policy {policy}")
    with _opened(database) as place:
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
    with _opened(database) as place:
        place.change(name, "rotate", str(labels), as_json)


@board.command(cls=ExplainedCommand)
def merge(
    name: Name,
    team: Annotated[str, typer.Argument(help="The team that ends.")],
    into: Annotated[str, typer.Argument(help="The team that goes on.")],
    database: Database = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Merge two teams: members, tokens, best score and looks of both; nobody gets a look back.

    Examples
    --------
    holdfast board merge pets red blue
    holdfast board merge pets red blue --json
    """
    from holdfast.guard.team import team_key
    from holdfast.server.records import Team

    with _opened(database) as place:
        found, _ = place.board(name)
        where, numbers = "WHERE board = ? AND key = ?", []
        for each in (team, into):
            known = place.gatekeeper.store.one(Team, where, found.id, team_key(each))
            if known is None:
                raise InvalidInput(f"team must be one of this board, got {each}.")
            numbers.append(known.id)
        place.change(name, "merge", f"{numbers[0]} into {numbers[1]}", as_json)


@board.command(cls=ExplainedCommand)
def close(name: Name, database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Close a board for good: score the private part once, from the predictions that are kept.

    Examples
    --------
    holdfast board close pets
    holdfast board close pets --json
    """
    with _opened(database) as place:
        place.change(name, "close", "", as_json)


@board.command(cls=ExplainedCommand)
def rebuild(name: Name, database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Make the standings anew from the ledger, and say whether they had been different.

    Examples
    --------
    holdfast board rebuild pets
    holdfast board rebuild pets --json
    """
    with _opened(database) as place:
        different = place.boards.rebuild(place.board(name)[0])
    if as_json:
        print_json({"board": name, "different_phases": different})
    else:
        told = f"phases {different} were different" if different else "nothing was different"
        human().print(f"{name}: standings made anew; {told}.")


@board.command(cls=ExplainedCommand)
def verify(database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Check the whole ledger, and that all standings follow from it; exit 1 if not.

    Examples
    --------
    holdfast board verify
    holdfast board verify --json
    """
    from holdfast.server.records import Board as Record

    with _opened(database) as place:
        result = place.gatekeeper.verify()
        problems = list(result.problems)
        for each in place.gatekeeper.store.find(Record, "ORDER BY id"):
            try:
                different = place.boards.rebuild(each)
            except LedgerError as error:
                problems.append(str(error))
                continue
            if different:
                problems.append(f"the standings of {each.slug} were edited; they are made anew.")
    if as_json:
        print_json({"ok": not problems, "entries": result.entries, "problems": problems})
    else:
        human().print(f"{result.entries:,} entries, {'no problem' if not problems else 'PROBLEMS'}")
        for problem in problems:
            human().print(problem, soft_wrap=True)
    if problems:
        raise typer.Exit(1)
