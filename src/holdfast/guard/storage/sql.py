"""The contract in SQL that SQLite and PostgreSQL both speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final

from holdfast.guard.entry import Entry, Head
from holdfast.guard.storage.contract import Past, StoredState
from holdfast.guard.windows import Microseconds

__all__ = ["VERSION", "SqlTransaction", "schema"]

VERSION: Final = 1

TABLES: Final = """
CREATE TABLE IF NOT EXISTS holdfast_ledger (
    one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL, salt {bytes} NOT NULL,
    number BIGINT NOT NULL, hash TEXT NOT NULL, time BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS holdfast_entries (
    number BIGINT PRIMARY KEY, previous TEXT NOT NULL, hash TEXT NOT NULL, signature TEXT NOT NULL,
    kind TEXT NOT NULL, data_set TEXT NOT NULL, team TEXT NOT NULL, time BIGINT NOT NULL,
    prediction TEXT NOT NULL, rule TEXT NOT NULL, policy TEXT NOT NULL, released TEXT,
    state TEXT NOT NULL, scope TEXT NOT NULL, team_looks BIGINT NOT NULL,
    data_set_looks BIGINT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS holdfast_by_team
    ON holdfast_entries (data_set, team, team_looks DESC, time);
CREATE INDEX IF NOT EXISTS holdfast_by_data_set ON holdfast_entries (data_set, number);
CREATE INDEX IF NOT EXISTS holdfast_by_prediction
    ON holdfast_entries (data_set, team, prediction);
CREATE TABLE IF NOT EXISTS holdfast_states (
    data_set TEXT NOT NULL, scope TEXT NOT NULL, rule TEXT NOT NULL, sealed {bytes} NOT NULL,
    PRIMARY KEY (data_set, scope, rule));
"""

COLUMNS: Final = tuple(f.name for f in fields(Entry))
SELECT: Final = f"SELECT {', '.join(COLUMNS)} FROM holdfast_entries"
INSERT: Final = (
    f"INSERT INTO holdfast_entries ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join('?' for _ in COLUMNS)})"
)

Execute = Callable[[str, Sequence[Any]], Any]


def schema(bytes_type: str) -> list[str]:
    """Return the statements that make the tables."""
    return [part.strip() for part in TABLES.format(bytes=bytes_type).split(";") if part.strip()]


class SqlTransaction:
    """The questions of the contract as SQL; `execute` takes "?" for a parameter."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def salt(self) -> bytes:
        """Return the ledger's random salt."""
        return bytes(self._execute("SELECT salt FROM holdfast_ledger", ()).fetchone()[0])

    def head(self) -> Head:
        """Return the end of the chain."""
        return Head(*self._execute("SELECT number, hash, time FROM holdfast_ledger", ()).fetchone())

    def append(self, entry: Entry) -> None:
        """Add an entry and move the head to it."""
        self._execute(INSERT, [getattr(entry, name) for name in COLUMNS])
        self._execute(
            "UPDATE holdfast_ledger SET number = ?, hash = ?, time = ?",
            (entry.number, entry.hash, entry.time),
        )

    def opened(self, data_set: str) -> str | None:
        """Return the detail recorded when the data set was first seen."""
        row = self._execute(
            "SELECT detail FROM holdfast_entries WHERE data_set = ? ORDER BY number LIMIT 1",
            (data_set,),
        ).fetchone()
        return None if row is None else str(row[0])

    def data_set_looks(self, data_set: str) -> int:
        """Return how many looks all teams together have spent on a data set."""
        row = self._execute(
            "SELECT data_set_looks FROM holdfast_entries WHERE data_set = ? "
            "ORDER BY number DESC LIMIT 1",
            (data_set,),
        ).fetchone()
        return 0 if row is None else int(row[0])

    def team_past(self, data_set: str, team: str, before: Microseconds | None = None) -> Past:
        """Return what a team has spent, or had spent before a moment."""
        # An entry that costs nothing repeats the count of the one before it, so the earliest
        # entry with the largest count is the last look.
        row = self._execute(
            "SELECT team_looks, time FROM holdfast_entries WHERE data_set = ? AND team = ? "
            "AND time < ? ORDER BY team_looks DESC, time LIMIT 1",
            (data_set, team, 2**62 if before is None else before),
        ).fetchone()
        return Past(0, None) if row is None or row[0] == 0 else Past(int(row[0]), int(row[1]))

    def time_of_look(self, data_set: str, team: str, look: int) -> Microseconds:
        """Return when a team spent the look with this number, counted from 1."""
        row = self._execute(
            "SELECT MIN(time) FROM holdfast_entries WHERE data_set = ? AND team = ? "
            "AND team_looks = ?",
            (data_set, team, look),
        ).fetchone()
        return int(row[0])

    def answered(self, data_set: str, team: str, prediction: str, rule: str) -> Entry | None:
        """Return this team's look with this very prediction; its answer, if that came later."""
        return self._one(
            f"{SELECT} WHERE data_set = ? AND team = ? AND prediction = ? AND rule = ? "
            "AND kind IN ('look', 'answer') ORDER BY number DESC LIMIT 1",
            (data_set, team, prediction, rule),
        )

    def waiting(self, data_set: str, scope: str, rule: str, count: int) -> list[Entry]:
        """Return the last `count` looks that were not answered when made, in order."""
        if count == 0:
            return []
        rows = self._execute(
            f"{SELECT} WHERE data_set = ? AND scope = ? AND rule = ? AND kind = 'look' "
            "AND released IS NULL ORDER BY number DESC LIMIT ?",
            (data_set, scope, rule, count),
        )
        return [Entry(*row) for row in rows][::-1]

    def entry(self, number: int) -> Entry | None:
        """Return an entry by its place in the chain."""
        return self._one(f"{SELECT} WHERE number = ?", (number,))

    def entries(self) -> Iterator[Entry]:
        """Return every entry, in order."""
        for row in self._execute(f"{SELECT} ORDER BY number", ()):
            yield Entry(*row)

    def choices(self, data_set: str, team: str) -> list[Entry]:
        """Return the final choices of a team, in order."""
        rows = self._execute(
            f"{SELECT} WHERE data_set = ? AND team = ? AND kind = 'choice' ORDER BY number",
            (data_set, team),
        )
        return [Entry(*row) for row in rows]

    def state(self, data_set: str, scope: str, rule: str) -> bytes | None:
        """Return a rule's sealed state; None: it has none yet."""
        row = self._execute(
            "SELECT sealed FROM holdfast_states WHERE data_set = ? AND scope = ? AND rule = ?",
            (data_set, scope, rule),
        ).fetchone()
        return None if row is None else bytes(row[0])

    def put_state(self, state: StoredState) -> None:
        """Store a rule's sealed state in place of the one before."""
        self._execute(
            "INSERT INTO holdfast_states (data_set, scope, rule, sealed) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (data_set, scope, rule) DO UPDATE SET sealed = excluded.sealed",
            state,
        )

    def states(self) -> Iterator[StoredState]:
        """Return every stored state."""
        query = "SELECT data_set, scope, rule, sealed FROM holdfast_states ORDER BY 1, 2, 3"
        for data_set, scope, rule, sealed in self._execute(query, ()):
            yield StoredState(data_set, scope, rule, bytes(sealed))

    def _one(self, query: str, parameters: Sequence[Any]) -> Entry | None:
        row = self._execute(query, parameters).fetchone()
        return None if row is None else Entry(*row)
