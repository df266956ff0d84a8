"""Database schema of the server: a table for each kind of record, beside the ledger's tables.

A table has the fields of its record as columns: texts and integers only, which is all that the
ledger's storage speaks. Looks and receipts are no tables: they are entries of the ledger.
`standings` is a cache of entries, and can be made anew from them.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final, get_type_hints

from holdfast.errors import LedgerError
from holdfast.ledger.storage import Storage
from holdfast.server.records import Board, Member, Phase, Standing, Submission, Team, Token, User
from holdfast.server.store import TABLES

__all__ = ["migrate"]

TYPES: Final = {
    int: "BIGINT NOT NULL",
    str: "TEXT NOT NULL",
    int | None: "BIGINT",
    str | None: "TEXT",
}

# What a table's columns must be together, and what it is searched by.
KEYS: Final[dict[type[Any], str]] = {
    Board: "PRIMARY KEY (id), UNIQUE (slug)",
    Phase: "PRIMARY KEY (board, number)",
    User: "PRIMARY KEY (id), UNIQUE (key)",
    Team: "PRIMARY KEY (id), UNIQUE (board, key), UNIQUE (board, outside)",
    Member: "PRIMARY KEY (member, board, team)",
    Token: "PRIMARY KEY (id)",
    Submission: "PRIMARY KEY (id), UNIQUE (team, key)",
    Standing: "PRIMARY KEY (board, phase, team)",
}
INDEXES: Final = (
    "CREATE INDEX holdfast_members_of_team ON holdfast_members (team)",
    "CREATE INDEX holdfast_tokens_of_owner ON holdfast_tokens (owner)",
    "CREATE INDEX holdfast_sessions_of_owner ON holdfast_sessions (owner)",
    "CREATE INDEX holdfast_submissions_of_team ON holdfast_submissions (team, id)",
    "CREATE INDEX holdfast_submissions_of_board ON holdfast_submissions (board, time)",
    "CREATE INDEX holdfast_standings_in_order "
    "ON holdfast_standings (board, phase, value, reached, team)",
    "CREATE INDEX holdfast_teams_by_pool ON holdfast_teams (pooled_into)",
)
# An account has one part on a board.
ONE_PART: Final = (
    "CREATE UNIQUE INDEX holdfast_members_of_board ON holdfast_members (member, board)"
)

# Tables whose rows are no records.
FINDINGS: Final = (
    "CREATE TABLE holdfast_findings (board BIGINT NOT NULL, phase BIGINT NOT NULL, "
    "time BIGINT NOT NULL, entry BIGINT NOT NULL, summary TEXT NOT NULL, page TEXT NOT NULL, "
    "PRIMARY KEY (board, phase))"
)
OTHERS: Final = (
    "CREATE TABLE holdfast_sessions (hash TEXT PRIMARY KEY, owner BIGINT NOT NULL, "
    "created BIGINT NOT NULL, expires BIGINT NOT NULL)",
    "CREATE TABLE holdfast_invitations (hash TEXT PRIMARY KEY, board BIGINT NOT NULL, "
    "team BIGINT NOT NULL, role TEXT NOT NULL, expires BIGINT NOT NULL)",
    "CREATE TABLE holdfast_audit (number BIGINT PRIMARY KEY, time BIGINT NOT NULL, "
    "who TEXT NOT NULL, board BIGINT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL)",
    # What a frozen board shows, apart from the phase, which every look reads.
    "CREATE TABLE holdfast_snapshots (board BIGINT NOT NULL, phase BIGINT NOT NULL, "
    "shown TEXT NOT NULL, PRIMARY KEY (board, phase))",
    FINDINGS,
)

# Tables of version 0.4, the first that were released, and by what statements they become new ones.
OLDEST: Final = 3
SINCE: Final[tuple[tuple[str, ...], ...]] = (
    (
        # Who had several parts stays host (team 0), or else in the team that was made first; tokens
        # that it made for the others end.
        "UPDATE holdfast_tokens SET revoked = COALESCE(used_on, created) WHERE revoked IS NULL "
        "AND team <> (SELECT MIN(m.team) FROM holdfast_members AS m "
        "WHERE m.member = holdfast_tokens.owner AND m.board = holdfast_tokens.board)",
        "DELETE FROM holdfast_members WHERE team <> (SELECT MIN(m.team) FROM holdfast_members AS m "
        "WHERE m.member = holdfast_members.member AND m.board = holdfast_members.board)",
        ONE_PART,
    ),
    (FINDINGS,),
    ("ALTER TABLE holdfast_phases ADD COLUMN outcomes TEXT",),
)

VERSIONS: Final = "CREATE TABLE IF NOT EXISTS holdfast_server (version BIGINT PRIMARY KEY)"
VERSION: Final = "SELECT MAX(version) FROM holdfast_server"


def _table(kind: type[Any]) -> str:
    """Return the statement that makes the table of a kind of record."""
    hints = get_type_hints(kind)
    columns = ", ".join(f"{name} {TYPES[hints[name]]}" for name in kind._fields)
    return f"CREATE TABLE {TABLES[kind]} ({columns}, {KEYS[kind]})"


def migrate(storage: Storage) -> None:
    """Make the server's tables, or bring them to the newest version: all of it, or nothing.

    Raises
    ------
    LedgerError
        The database is of a newer server than this one, or of none that was released.
    """
    newest = OLDEST + len(SINCE)
    with storage.writing() as transaction:
        transaction.execute(VERSIONS)
        # A question sends what waits: nothing refers to a table before it is there.
        transaction.salt()
        done = transaction.rows(VERSION)[0][0] or 0
        if done > newest or 0 < done < OLDEST:
            raise LedgerError(
                f"the server's tables must be of version {OLDEST} to {newest}, got {done}."
            )
        new = (*map(_table, KEYS), *OTHERS, *INDEXES, ONE_PART)
        for statement in chain(*SINCE[done - OLDEST :]) if done else new:
            transaction.execute(statement)
            transaction.rows(VERSION)
        if done < newest:
            transaction.execute("INSERT INTO holdfast_server VALUES (?)", (newest,))
