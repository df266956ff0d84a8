"""`holdfast board invite`, `password`, `token` and `tokens`: who may do what on a board."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from holdfast.cli.board_places import DEFAULT, Database, Name, opened
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput

__all__ = ["invite", "password", "token", "tokens"]


def invite(name: Name, database: Database = DEFAULT, as_json: AsJson = False) -> None:
    """Make a link that lets whoever follows it first be a host of the board.

    It works once, for a week. Teams invite their members on their own pages.

    Examples
    --------
    holdfast board invite pets
    holdfast board invite pets --json
    """
    with opened(database) as place:
        from holdfast.server.accounts import Accounts

        secret = Accounts(place.gatekeeper.store).invite(place.board(name)[0], None, "host")
    if as_json:
        print_json({"board": name, "host_link": f"/join/{secret}"})
    else:
        human().print(
            f"Become a host of {name} at /join/{secret} (works once, for a week).", soft_wrap=True
        )


def password(
    user: Annotated[str, typer.Argument(help="The account's name.")],
    database: Database = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Give an account another password, which is asked for; its sessions end, its tokens stay.

    At a terminal it is asked for twice and not shown; else it is one line of standard input.

    Examples
    --------
    holdfast board password ann
    holdfast board password ann --database postgresql:///boards
    """
    with opened(database) as place:
        from holdfast.server.accounts import Accounts

        known = Accounts(place.gatekeeper.store).set_password(user, _new_password())
    if as_json:
        print_json({"user": known.name, "changed": True})
    else:
        said = f"{known.name} has the new password, and is signed out everywhere."
        human().print(said, soft_wrap=True, markup=False, highlight=False)


def _new_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    found = getpass.getpass("New password: ")
    if getpass.getpass("Once more: ") != found:
        raise InvalidInput("password must be the same both times.")
    return found


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
    with opened(database) as place:
        from holdfast.guard.team import team_key
        from holdfast.ledger.moments import clock
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
    with opened(database) as place:
        from holdfast.ledger.moments import as_datetime, clock
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
