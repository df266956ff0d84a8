"""Queries of the server, each over one transaction of the ledger's own storage.

A writer is alone while its transaction is open, on both databases, so a new number is the largest
plus one. Functions take the transaction: what is asked and written together is seen by the caller.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, TypeVar

from holdfast.errors import InvalidInput
from holdfast.guard.team import team_key
from holdfast.ledger.storage import Storage, Transaction
from holdfast.ledger.storage.contract import Question
from holdfast.quoting import quoted
from holdfast.server.records import Board, Member, Phase, Standing, Submission, Team, Token, User

__all__ = ["Store"]

Record = TypeVar("Record", bound=NamedTuple)

TABLES: dict[type[Any], str] = {
    Board: "holdfast_boards",
    Phase: "holdfast_phases",
    Team: "holdfast_teams",
    User: "holdfast_users",
    Member: "holdfast_members",
    Token: "holdfast_tokens",
    Submission: "holdfast_submissions",
    Standing: "holdfast_standings",
}

NEWEST_PHASE = "WHERE board = ? AND opens <= ? ORDER BY number DESC LIMIT 1"
LATER_THAN_ALL = 2**62
TOKENS_OF = "WHERE owner = ? ORDER BY created DESC"


class Store:
    """The server's database: one connection to write, one to read.

    Parameters
    ----------
    writer
        The ledger's storage, of which looks are transactions.
    reader
        A second one on the same database, so that no page waits for a look.
    """

    def __init__(self, writer: Storage, reader: Storage) -> None:
        self._writer, self._reader = writer, reader
        self._open = threading.local()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing; within one of this thread's, it is that."""
        found: Transaction | None = getattr(self._open, "view", None)
        if found is not None:
            yield found
            return
        with self._reader.reading() as transaction:
            self._open.view = transaction
            try:
                yield transaction
            finally:
                self._open.view = None

    def writing(self) -> AbstractContextManager[Transaction]:
        """Open an exclusive transaction."""
        return self._writer.writing()

    def find(self, kind: type[Record], where: str, *values: Any) -> list[Record]:
        """Return records in a view of their own."""
        with self.reading() as transaction:
            return find(transaction, kind, where, *values)

    def rows(self, question: Question) -> list[tuple[Any, ...]]:
        """Return the answer to a question, in a view of its own."""
        with self.reading() as transaction:
            return transaction.rows(*question)

    def one(self, kind: type[Record], where: str, *values: Any) -> Record | None:
        """Return the first such record."""
        found = self.find(kind, where, *values)
        return found[0] if found else None


def marks(values: Collection[Any]) -> str:
    """Return a question mark for each of several values."""
    return ", ".join("?" for _ in values)


def query(kind: type[Any], where: str) -> str:
    """Return the query for records of a kind."""
    return f"SELECT {', '.join(kind._fields)} FROM {TABLES[kind]} {where}"


def find(transaction: Transaction, kind: type[Record], where: str, *values: Any) -> list[Record]:
    """Return records; `where` is what follows the table's name in SQL."""
    return [kind(*row) for row in transaction.rows(query(kind, where), values)]


def one(transaction: Transaction, kind: type[Record], where: str, *values: Any) -> Record | None:
    """Return the first such record."""
    found = find(transaction, kind, where, *values)
    return found[0] if found else None


def phase_of(
    transaction: Transaction, board: int, now: int, *, coming: bool = False
) -> Phase | None:
    """Return the phase in force: the newest that has opened, or else the `coming` one."""
    found = one(transaction, Phase, NEWEST_PHASE, board, now)
    if found is None and coming:
        return one(transaction, Phase, NEWEST_PHASE, board, LATER_THAN_ALL)
    return found


def insert(transaction: Transaction, record: Any) -> None:
    """Add a record."""
    columns = ", ".join(record._fields)
    statement = f"INSERT INTO {TABLES[type(record)]} ({columns}) VALUES ({marks(record)})"
    transaction.execute(statement, tuple(record))


def put(transaction: Transaction, record: Any, keys: int) -> None:
    """Add a record, or replace the one that is equal to it in its first `keys` columns."""
    fields = record._fields
    changed = ", ".join(f"{name} = excluded.{name}" for name in fields[keys:])
    transaction.execute(
        f"INSERT INTO {TABLES[type(record)]} ({', '.join(fields)}) VALUES ({marks(fields)}) "
        f"ON CONFLICT ({', '.join(fields[:keys])}) DO UPDATE SET {changed}",
        tuple(record),
    )


def next_id(transaction: Transaction, kind: type[Any], column: str = "id") -> int:
    """Return a number that no record has."""
    rows = transaction.rows(f"SELECT MAX({column}) FROM {TABLES[kind]}")
    return (rows[0][0] or 0) + 1


def as_number(text: object) -> int | None:
    """Return the number of a record, as somebody wrote it; None: it is none."""
    fits = isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 18
    return int(str(text)) if fits else None


def survivor(transaction: Transaction, team: int) -> int:
    """Return the team into which a team was merged, or itself."""
    while True:
        rows = transaction.rows("SELECT pooled_into FROM holdfast_teams WHERE id = ?", (team,))
        if not rows or rows[0][0] is None:
            return team
        team = rows[0][0]


def pooled(transaction: Transaction, team: int) -> list[int]:
    """Return a team and all that were merged into it."""
    found = [team]
    for each in found:
        where = "SELECT id FROM holdfast_teams WHERE pooled_into = ? ORDER BY id"
        found += [number for (number,) in transaction.rows(where, (each,))]
    return found


def note_action(
    transaction: Transaction, now: int, who: str, board: int, action: str, detail: str
) -> None:
    """Record what somebody did that is no look."""
    number = (transaction.rows("SELECT MAX(number) FROM holdfast_audit")[0][0] or 0) + 1
    row = (number, now, who, board, action, detail)
    transaction.execute("INSERT INTO holdfast_audit VALUES (?, ?, ?, ?, ?, ?)", row)


def actions(transaction: Transaction, board: int, most: int) -> list[tuple[Any, ...]]:
    """Return the last actions on a board, newest first: time, who, action, detail."""
    return transaction.rows(
        "SELECT time, who, action, detail FROM holdfast_audit WHERE board = ? "
        "ORDER BY number DESC LIMIT ?",
        (board, most),
    )


def new_team(
    transaction: Transaction, board: int, name: str, now: int, *, outside: str | None = None
) -> Team:
    """Add a team under a name that no other team of the board has in any spelling."""
    key = team_key(name)
    if one(transaction, Team, "WHERE board = ? AND key = ?", board, key) is not None:
        raise InvalidInput(f"team must have a name of its own, got {quoted(name)}, which is taken.")
    number = next_id(transaction, Team)
    team = Team(number, board, " ".join(name.split()), key, outside, 0, 0, now)
    insert(transaction, team)
    return team


def team_from_outside(transaction: Transaction, board: int, outside: str, now: int) -> Team:
    """Return the team that another host knows by this name, added when it is first met."""
    known = one(transaction, Team, "WHERE board = ? AND outside = ?", board, team_key(outside))
    if known is not None:
        return known
    name, number = outside, 1
    while one(transaction, Team, "WHERE board = ? AND key = ?", board, team_key(name)) is not None:
        number += 1
        name = f"{outside} ({number})"  # a team of this board has the name already
    return new_team(transaction, board, name, now, outside=team_key(outside))


def new_user(transaction: Transaction, name: str, password: str, now: int) -> User:
    """Add an account under a name that no other has in any spelling."""
    key = team_key(name)
    if one(transaction, User, "WHERE key = ?", key) is not None:
        raise InvalidInput(f"name must be your own, got {quoted(name)}, which is taken.")
    user = User(next_id(transaction, User), " ".join(name.split()), key, password, now)
    insert(transaction, user)
    return user


def names_of(transaction: Transaction, teams: Iterable[int]) -> dict[int, Team]:
    """Return teams by number."""
    wanted = sorted(set(teams))
    found: dict[int, Team] = {}
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        rows = find(transaction, Team, f"WHERE id IN ({marks(some)})", *some)
        found |= {team.id: team for team in rows}
    return found
