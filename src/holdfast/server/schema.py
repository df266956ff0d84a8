"""Database schema of the server: numbered migrations beside the ledger's tables.

Columns are texts, integers and bytes only, which is all that the ledger's storage speaks. Looks
and receipts are no tables: they are entries of the ledger. `standings` is a cache of entries, and
can be made anew from them.
"""

from __future__ import annotations

from typing import Final

from holdfast.errors import LedgerError
from holdfast.ledger.storage import Storage

__all__ = ["migrate"]

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "CREATE TABLE holdfast_boards (id BIGINT PRIMARY KEY, slug TEXT NOT NULL UNIQUE, "
        "title TEXT NOT NULL, visibility TEXT NOT NULL, created BIGINT NOT NULL)",
        # `start` is the ledger's head when the phase began.
        "CREATE TABLE holdfast_phases (board BIGINT NOT NULL, number BIGINT NOT NULL, "
        "labels TEXT NOT NULL, id_column TEXT, label_column TEXT, data_set TEXT NOT NULL, "
        "n_examples BIGINT NOT NULL, policy TEXT NOT NULL, digest TEXT NOT NULL, "
        "shows TEXT NOT NULL, opens BIGINT NOT NULL, closes BIGINT, start BIGINT NOT NULL, "
        "frozen BIGINT, snapshot TEXT, finals TEXT, PRIMARY KEY (board, number))",
        "CREATE TABLE holdfast_users (id BIGINT PRIMARY KEY, name TEXT NOT NULL, "
        "key TEXT NOT NULL UNIQUE, password TEXT NOT NULL, created BIGINT NOT NULL)",
        # `outside` is the name under which another host's forwarder knows the team.
        "CREATE TABLE holdfast_teams (id BIGINT PRIMARY KEY, board BIGINT NOT NULL, "
        "name TEXT NOT NULL, key TEXT NOT NULL, outside TEXT, hidden BIGINT NOT NULL, "
        "refusals BIGINT NOT NULL, created BIGINT NOT NULL, UNIQUE (board, key), "
        "UNIQUE (board, outside))",
        # A host is a member of no team: team 0.
        "CREATE TABLE holdfast_members (member BIGINT NOT NULL, board BIGINT NOT NULL, "
        "team BIGINT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (member, board, team))",
        "CREATE INDEX holdfast_members_of_team ON holdfast_members (team)",
        "CREATE TABLE holdfast_tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL, "
        "owner BIGINT, board BIGINT NOT NULL, team BIGINT NOT NULL, scope TEXT NOT NULL, "
        "name TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT, revoked BIGINT, "
        "used_on BIGINT)",
        "CREATE INDEX holdfast_tokens_of_owner ON holdfast_tokens (owner)",
        "CREATE TABLE holdfast_sessions (hash TEXT PRIMARY KEY, owner BIGINT NOT NULL, "
        "created BIGINT NOT NULL, expires BIGINT NOT NULL)",
        "CREATE INDEX holdfast_sessions_of_owner ON holdfast_sessions (owner)",
        "CREATE TABLE holdfast_invitations (hash TEXT PRIMARY KEY, board BIGINT NOT NULL, "
        "team BIGINT NOT NULL, role TEXT NOT NULL, expires BIGINT NOT NULL)",
        "CREATE TABLE holdfast_submissions (id BIGINT PRIMARY KEY, board BIGINT NOT NULL, "
        "phase BIGINT NOT NULL, team BIGINT NOT NULL, sender BIGINT, key TEXT NOT NULL, "
        "body TEXT NOT NULL, entry BIGINT NOT NULL, outcome TEXT NOT NULL, note TEXT NOT NULL, "
        "file TEXT NOT NULL, time BIGINT NOT NULL, UNIQUE (team, key))",
        "CREATE INDEX holdfast_submissions_of_team ON holdfast_submissions (team, id)",
        "CREATE INDEX holdfast_submissions_of_board ON holdfast_submissions (board, time)",
        "CREATE INDEX holdfast_submissions_by_entry ON holdfast_submissions (entry)",
        # `value` orders the board: smaller for a better released value, so that an index serves it.
        "CREATE TABLE holdfast_standings (board BIGINT NOT NULL, phase BIGINT NOT NULL, "
        "team BIGINT NOT NULL, released TEXT, value BIGINT NOT NULL, reached BIGINT NOT NULL, "
        "entry BIGINT NOT NULL, looks BIGINT NOT NULL, last BIGINT NOT NULL, "
        "history TEXT NOT NULL, fixed BIGINT NOT NULL, PRIMARY KEY (board, phase, team))",
        "CREATE INDEX holdfast_standings_in_order "
        "ON holdfast_standings (board, phase, value, reached, team)",
        "CREATE TABLE holdfast_audit (number BIGINT PRIMARY KEY, time BIGINT NOT NULL, "
        "who TEXT NOT NULL, board BIGINT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL)",
    ),
    (
        # What a frozen board shows, apart from the phase, which every look reads.
        "CREATE TABLE holdfast_snapshots (board BIGINT NOT NULL, phase BIGINT NOT NULL, "
        "shown TEXT NOT NULL, PRIMARY KEY (board, phase))",
        "INSERT INTO holdfast_snapshots SELECT board, number, snapshot FROM holdfast_phases "
        "WHERE snapshot IS NOT NULL",
        "UPDATE holdfast_phases SET snapshot = NULL",
        # Counts up with every change of a board that a look must know of.
        "ALTER TABLE holdfast_boards ADD COLUMN changed BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE holdfast_teams ADD COLUMN pooled_into BIGINT",
        "DROP INDEX holdfast_submissions_by_entry",
    ),
    ("CREATE INDEX holdfast_teams_by_pool ON holdfast_teams (pooled_into)",),
    (
        # An account has one part on a board. Who had several stays host (team 0), or else in the
        # team that was made first; tokens that it made for the others end.
        "UPDATE holdfast_tokens SET revoked = COALESCE(used_on, created) WHERE revoked IS NULL "
        "AND team <> (SELECT MIN(m.team) FROM holdfast_members AS m "
        "WHERE m.member = holdfast_tokens.owner AND m.board = holdfast_tokens.board)",
        "DELETE FROM holdfast_members WHERE team <> (SELECT MIN(m.team) FROM holdfast_members AS m "
        "WHERE m.member = holdfast_members.member AND m.board = holdfast_members.board)",
        "CREATE UNIQUE INDEX holdfast_members_of_board ON holdfast_members (member, board)",
    ),
    (
        "CREATE TABLE holdfast_findings (board BIGINT NOT NULL, phase BIGINT NOT NULL, "
        "time BIGINT NOT NULL, entry BIGINT NOT NULL, summary TEXT NOT NULL, page TEXT NOT NULL, "
        "PRIMARY KEY (board, phase))",
    ),
    ("ALTER TABLE holdfast_phases ADD COLUMN outcomes TEXT",),
)

VERSIONS: Final = "CREATE TABLE IF NOT EXISTS holdfast_server (version BIGINT PRIMARY KEY)"
NEWEST: Final = "SELECT MAX(version) FROM holdfast_server"


def migrate(storage: Storage) -> None:
    """Bring the server's tables to the newest version; each step with its number, or not at all.

    Raises
    ------
    LedgerError
        The database is of a newer server than this one.
    """
    with storage.writing() as transaction:
        transaction.execute(VERSIONS)
        # A question sends what waits: nothing refers to a table before it is there.
        transaction.salt()
        done = transaction.rows(NEWEST)[0][0] or 0
        if done > len(MIGRATIONS):
            raise LedgerError(
                f"the server's tables must be of version {len(MIGRATIONS)} or older, got {done}."
            )
        for version, statements in enumerate(MIGRATIONS[done:], start=done + 1):
            for statement in statements:
                transaction.execute(statement)
                transaction.rows(NEWEST)
            transaction.execute("INSERT INTO holdfast_server VALUES (?)", (version,))
