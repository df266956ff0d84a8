"""A ledger's transactions in SQL that SQLite and PostgreSQL both speak.

Four tables: `holdfast_ledger`, one row with format, salt and the head of the chain;
`holdfast_entries`, the chain, one row per entry and never changed; `holdfast_states`, the newest
sealed state of every rule; `holdfast_predictions`, sealed submissions for the private part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, Protocol

from holdfast.errors import LedgerError
from holdfast.ledger.entry import VERSION, Entry, Head, wrong_kinds
from holdfast.ledger.moments import Microseconds, is_moment
from holdfast.ledger.storage.contract import Past, Question, StoredState, Tally
from holdfast.quoting import quoted

__all__ = [
    "FORMAT_OF",
    "MOVE_HEAD",
    "QUESTIONS",
    "Engine",
    "Transaction",
    "check_format",
    "names",
    "schema",
]

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
# The type has PostgreSQL's name in both databases; SQLite takes any.
PREDICTIONS: Final = """
CREATE TABLE IF NOT EXISTS holdfast_predictions (
    data_set TEXT NOT NULL, digest TEXT NOT NULL, sealed BYTEA NOT NULL,
    PRIMARY KEY (data_set, digest))
"""

COLUMNS: Final = tuple(f.name for f in fields(Entry))
ENTRY: Final = f"SELECT {', '.join(COLUMNS)} FROM holdfast_entries"

# An entry that costs nothing repeats the count of the one before it, so the earliest entry with
# the largest count is a team's last look.
QUESTIONS: Final[Mapping[str, str]] = {
    "salt": "SELECT salt FROM holdfast_ledger",
    "head": "SELECT number, hash, time FROM holdfast_ledger",
    "hash_at": "SELECT hash FROM holdfast_entries WHERE number = ?",
    "first": "SELECT previous FROM holdfast_entries WHERE number = 1",
    # What nobody looked for is about the data set itself, and the newest of it holds. Ordered so
    # that the index on teams finds it, however many looks there are.
    "opened": "SELECT detail FROM holdfast_entries WHERE data_set = ? AND team = '' "
    "AND team_looks = 0 ORDER BY time DESC, number DESC LIMIT 1",
    "data_set_looks": "SELECT data_set_looks FROM holdfast_entries WHERE data_set = ? "
    "ORDER BY number DESC LIMIT 1",
    "past": "SELECT team_looks, time FROM holdfast_entries WHERE data_set = ? AND team = ? "
    "ORDER BY team_looks DESC, time LIMIT 1",
    "past_before": "SELECT team_looks, time FROM holdfast_entries WHERE data_set = ? AND team = ? "
    "AND time < ? ORDER BY team_looks DESC, time LIMIT 1",
    "time_of_look": "SELECT MIN(time) FROM holdfast_entries WHERE data_set = ? AND team = ? "
    "AND team_looks = ?",
    "refusals": "SELECT COUNT(*) FROM holdfast_entries WHERE data_set = ? AND team = ? "
    "AND time >= ? AND kind = 'refused'",
    "time_of_refusal": "SELECT time FROM holdfast_entries WHERE data_set = ? AND team = ? "
    "AND time >= ? AND kind = 'refused' ORDER BY number LIMIT 1 OFFSET ?",
    "answered": f"{ENTRY} WHERE data_set = ? AND team = ? AND prediction = ? AND rule = ? "
    # The sum keeps SQLite from walking through all entries in their order to save the sorting.
    "AND kind IN ('look', 'answer', 'failed') ORDER BY number + 0 DESC LIMIT 1",
    "waiting": f"{ENTRY} WHERE data_set = ? AND scope = ? AND rule = ? AND kind = 'look' "
    "AND released IS NULL ORDER BY number DESC LIMIT ?",
    "spent_by": f"{ENTRY} WHERE data_set = ? AND team = ? "
    "AND kind IN ('look', 'failed', 'carried', 'charged') ORDER BY number",
    "entry": f"{ENTRY} WHERE number = ?",
    "entries": f"{ENTRY} ORDER BY number",
    "data_sets": "SELECT data_set, MIN(number) FROM holdfast_entries WHERE team = '' "
    "AND data_set <> '' GROUP BY data_set ORDER BY 2",
    # Short, since the database sorts by it: a history is mostly that of the team itself. What names
    # its prediction is a look, which may have found no value; else it could not be scored.
    "tallies": "SELECT team || '', rule, CASE WHEN scope = team THEN NULL ELSE scope END, "
    "CASE WHEN prediction = '' THEN 'failed' ELSE 'look' END, "
    "CAST(CASE WHEN kind = 'charged' THEN 1 ELSE 0 END AS BIGINT), "
    "COUNT(*), MAX(time), MIN(number) FROM holdfast_entries WHERE data_set = ? AND number < ? "
    "AND kind IN ('look', 'failed', 'carried', 'charged') GROUP BY 1, 3, 2, 4, 5",
    "choices": f"{ENTRY} WHERE data_set = ? AND team = ? AND kind = 'choice' ORDER BY number",
    "state": "SELECT sealed FROM holdfast_states WHERE data_set = ? AND scope = ? AND rule = ?",
    "prediction": "SELECT sealed FROM holdfast_predictions WHERE data_set = ? AND digest = ?",
    "kept": "SELECT digest FROM holdfast_predictions WHERE data_set = ? ORDER BY digest",
    "looks_not_kept": "SELECT number FROM holdfast_entries AS look WHERE kind = 'look' "
    "AND substr(prediction, 1, 5) = 'kept-' AND NOT EXISTS (SELECT 1 "
    "FROM holdfast_predictions WHERE data_set = look.data_set AND digest = look.prediction) "
    "ORDER BY number LIMIT 20",
    "states": "SELECT data_set, scope, rule, sealed FROM holdfast_states ORDER BY 1, 2, 3",
}
# Beyond every entry.
END: Final = 2**62
# Their answers are about the past alone, so no later entry changes them.
LASTING_QUESTIONS: Final = ("salt", "past_before", "time_of_look")
# Theirs are about the entries of one team, their second parameter.
TEAM_QUESTIONS: Final = ("past", "answered")

INSERT: Final = (
    f"INSERT INTO holdfast_entries ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join('?' for _ in COLUMNS)})"
)
MOVE_HEAD: Final = "UPDATE holdfast_ledger SET number = ?, hash = ?, time = ?"
PUT_STATE: Final = (
    "INSERT INTO holdfast_states (data_set, scope, rule, sealed) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (data_set, scope, rule) DO UPDATE SET sealed = excluded.sealed"
)
PUT_PREDICTION: Final = (
    "INSERT INTO holdfast_predictions (data_set, digest, sealed) VALUES (?, ?, ?) "
    "ON CONFLICT (data_set, digest) DO NOTHING"
)


def schema(bytes_type: str) -> list[str]:
    """Return the statements that make the tables."""
    parts = (TABLES.format(bytes=bytes_type) + PREDICTIONS).split(";")
    return [part.strip() for part in parts if part.strip()]


def names(kind: str) -> list[str]:
    """Return the names of the ledger's tables ("TABLE") or indexes ("INDEX").

    >>> names("TABLE")
    ['holdfast_ledger', 'holdfast_entries', 'holdfast_states', 'holdfast_predictions']
    """
    begin = f"CREATE {kind} IF NOT EXISTS "
    return [text.removeprefix(begin).split()[0] for text in schema("") if text.startswith(begin)]


# What tells the format of a ledger: the number in it, and an entry about no data set, with which
# those of format 1 went on in format 2.
FORMAT_OF: Final = (
    "SELECT version, (SELECT MIN(number) FROM holdfast_entries WHERE data_set = '') "
    "FROM holdfast_ledger"
)


def check_format(place: str, rows: Sequence[Sequence[Any]]) -> None:
    """Raise `LedgerError` unless `FORMAT_OF` found the one format that is read."""
    if len(rows) != 1 or type(rows[0][0]) is not int:
        raise LedgerError(f"{place} must be of format {VERSION}, got none: it was edited.")
    version, went_on = rows[0]
    if version == 1 or (version == VERSION and went_on is not None):
        raise LedgerError(
            f"{place} must be of format {VERSION} from its first entry on, got one that began in "
            "format 1, which version 0.1 wrote. Versions up to 0.4 go on with it."
        )
    if version != VERSION:
        raise LedgerError(f"{place} must be of format {VERSION}, got {version}.")


class Engine(Protocol):
    """What a database adds: how statements reach it; "?" stands for a parameter."""

    def ask(self, query: str, parameters: Sequence[Any]) -> list[Any]:
        """Return all rows; whatever was written before is visible."""
        ...

    def ask_all(self, questions: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Any]]:
        """Return the rows of each; none at all where asking one by one is as quick."""
        ...

    def write(self, statement: str, parameters: Sequence[Any]) -> None:
        """Write now or, at the latest, before the next question and the commit."""
        ...

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong."""
        ...


class Transaction:
    """The ledger as one writer sees it while every other waits.

    Parameters
    ----------
    engine
        How statements reach the database.
    known
        Answers to questions that were fetched ahead.
    suspect
        Whether the database was changed by something else than its writers since the last one
        of them: what it holds must be verified before it is believed.
    left_at
        Number and hash of the last entry when a writer last left the ledger, where that is noted
        outside the database; None: it is not known.

    Attributes
    ----------
    written
        How many statements have changed something so far.
    """

    def __init__(
        self,
        engine: Engine,
        known: dict[Question, list[Any]] | None = None,
        *,
        suspect: bool = False,
        left_at: tuple[int, str] | None = None,
    ) -> None:
        self._engine = engine
        self._known = known or {}
        self.suspect = suspect
        self.left_at = left_at
        self.written = 0

    def expect(self, questions: Sequence[Question]) -> None:
        """Say what will be asked next; a server far away answers it all at once."""
        asked = [(QUESTIONS.get(name, name), values) for name, values in questions]
        self._known.update(zip(questions, self._engine.ask_all(asked), strict=False))

    def salt(self) -> bytes:
        """Return the ledger's random salt."""
        rows = self._ask("salt")
        if len(rows) != 1 or not isinstance(rows[0][0], bytes):
            raise LedgerError("the ledger's salt was edited. Nothing was released.")
        return rows[0][0]

    def head(self) -> Head:
        """Return the end of the chain."""
        rows = self._ask("head")
        if len(rows) == 1:
            number, digest, time = rows[0]
            if type(number) is int and type(digest) is str and is_moment(time):
                return Head(number, digest, time)
        raise LedgerError("the ledger's head was edited. Nothing was released.")

    def hash_at(self, number: int) -> str | None:
        """Return the hash of an entry, or for 0 what the first follows; None: there is none."""
        if number == 0:
            rows = self._ask("first")
            return str(rows[0][0]) if rows else self.head().hash
        rows = self._ask("hash_at", number)
        return str(rows[0][0]) if rows else None

    def append(self, entry: Entry) -> None:
        """Add an entry and move the head to it."""
        self.written += 2
        self._engine.write(INSERT, [getattr(entry, name) for name in COLUMNS])
        self._engine.write(MOVE_HEAD, (entry.number, entry.hash, entry.time))
        # What is known of other teams is what the next of several looks asks.
        self._known = {q: rows for q, rows in self._known.items() if _outlives(q, entry)}
        self._known["head", ()] = [(entry.number, entry.hash, entry.time)]
        self._known["data_set_looks", (entry.data_set,)] = [(entry.data_set_looks,)]

    def opened(self, data_set: str) -> str | None:
        """Return the newest detail recorded about the data set itself; None: there is none."""
        rows = self._ask("opened", data_set)
        return str(rows[0][0]) if rows else None

    def data_set_looks(self, data_set: str) -> int:
        """Return how many looks all teams together have spent on a data set."""
        rows = self._ask("data_set_looks", data_set)
        return _whole(rows[0][0]) if rows else 0

    def team_past(self, data_set: str, team: str, before: Microseconds | None = None) -> Past:
        """Return what a team has spent, or had spent before a moment."""
        if before is None:
            rows = self._ask("past", data_set, team)
        else:
            rows = self._ask("past_before", data_set, team, before)
        looks, last = (_whole(rows[0][0]), _moment(rows[0][1])) if rows else (0, 0)
        return Past(looks, last) if looks else Past(0, None)

    def time_of_look(self, data_set: str, team: str, look: int) -> Microseconds:
        """Return when a team spent the look with this number, counted from 1."""
        return _moment(self._ask("time_of_look", data_set, team, look)[0][0])

    def refusals(self, data_set: str, team: str, since: Microseconds) -> int:
        """Return how many free refusals a team has had from a moment on."""
        return _whole(self._ask("refusals", data_set, team, since)[0][0])

    def time_of_refusal(
        self, data_set: str, team: str, since: Microseconds, place: int
    ) -> Microseconds:
        """Return when a team had a free refusal, by its place, from 0, since a moment."""
        return _moment(self._ask("time_of_refusal", data_set, team, since, place)[0][0])

    def answered(self, data_set: str, team: str, prediction: str, rule: str) -> Entry | None:
        """Return this team's look with this very prediction; its answer, if that came later."""
        rows = self._ask("answered", data_set, team, prediction, rule)
        return _entry(rows[0]) if rows else None

    def waiting(self, data_set: str, scope: str, rule: str, count: int) -> list[Entry]:
        """Return the last `count` looks that were not answered when made, in order."""
        rows = self._ask("waiting", data_set, scope, rule, count) if count else []
        return [_entry(row) for row in rows][::-1]

    def spent_by(self, data_set: str, team: str) -> list[Entry]:
        """Return every entry that cost a team a look, in order."""
        return [_entry(row) for row in self._ask("spent_by", data_set, team)]

    def entry(self, number: int, *, checked: bool = True) -> Entry | None:
        """Return an entry by its place in the chain, whatever is in it if it isn't `checked`."""
        rows = self._ask("entry", number)
        return (_entry(rows[0]) if checked else Entry(*rows[0])) if rows else None

    def entries(self, *, checked: bool = True) -> Iterator[Entry]:
        """Return every entry, in order, whatever is in them if they aren't `checked`."""
        return (_entry(row) if checked else Entry(*row) for row in self._ask("entries"))

    def data_sets(self) -> list[str]:
        """Return the names of all data sets, oldest first."""
        return [str(row[0]) for row in self._ask("data_sets")]

    def tallies(self, data_set: str, before: int = END) -> list[Tally]:
        """Return everybody's looks, and failed submissions that were charged, by history.

        Those of entries before a number; by default all of them.
        """
        return [
            Tally(
                _text(team),
                _text(rule),
                _text(team if scope is None else scope),
                kind,
                _whole(charged),
                _whole(looks),
                _moment(last),
                _whole(first),
            )
            for team, rule, scope, kind, charged, looks, last, first in self._ask(
                "tallies", data_set, before
            )
        ]

    def choices(self, data_set: str, team: str) -> list[Entry]:
        """Return the final choices of a team, in order."""
        return [_entry(row) for row in self._ask("choices", data_set, team)]

    def state(self, data_set: str, scope: str, rule: str) -> bytes | None:
        """Return a rule's sealed state; None: it has none yet."""
        rows = self._ask("state", data_set, scope, rule)
        if not rows:
            return None
        if not isinstance(rows[0][0], bytes):
            raise LedgerError("the rule's state in the ledger was edited. Nothing was released.")
        return rows[0][0]

    def put_state(self, state: StoredState) -> None:
        """Store a rule's sealed state in place of the one before."""
        self.written += 1
        self._engine.write(PUT_STATE, state)
        self._known.pop(("states", ()), None)
        self._known["state", state[:3]] = [(state.sealed,)]

    def states(self) -> Iterator[StoredState]:
        """Return every stored state."""
        for data_set, scope, rule, sealed in self._ask("states"):
            yield StoredState(data_set, scope, rule, sealed)

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong with its tables."""
        return self._engine.damage()

    def prediction(self, data_set: str, digest: str) -> bytes | None:
        """Return a kept prediction, sealed; None: it was not kept. No key opens an edited one."""
        # Not remembered like other answers: all of them together may be larger than memory.
        rows = self._engine.ask(QUESTIONS["prediction"], (data_set, digest))
        if not rows:
            return None
        return rows[0][0] if isinstance(rows[0][0], bytes) else b""

    def kept(self, data_set: str) -> list[str]:
        """Return the digests of all predictions that are kept for a data set."""
        return [digest for (digest,) in self._ask("kept", data_set)]

    def looks_not_kept(self) -> list[int]:
        """Return the first looks whose prediction was kept and is not there."""
        return [number for (number,) in self._ask("looks_not_kept")]

    def put_prediction(self, data_set: str, digest: str, sealed: bytes) -> None:
        """Keep a sealed prediction, unless it is kept already."""
        self.written += 1
        self._engine.write(PUT_PREDICTION, (data_set, digest, sealed))
        self._known.pop(("kept", (data_set,)), None)
        self._known.pop(("looks_not_kept", ()), None)

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return what a query finds in tables that a caller keeps beside the ledger's."""
        known = self._known.get((query, tuple(parameters)))
        return self._engine.ask(query, parameters) if known is None else known

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Write to such tables, in this transaction; never to the ledger's own."""
        self.written += 1
        self._engine.write(statement, parameters)
        self._known = {q: rows for q, rows in self._known.items() if q[0] in QUESTIONS}

    def _ask(self, name: str, *parameters: Any) -> list[Any]:
        question = (name, parameters)
        if question not in self._known:
            self._known[question] = self._engine.ask(QUESTIONS[name], parameters)
        return self._known[question]


def _entry(row: Sequence[Any]) -> Entry:
    """Return a row as an entry, or raise `LedgerError` if it can't be one."""
    entry = Entry(*row)
    if wrong := wrong_kinds(entry):
        raise LedgerError(
            f"entry {quoted(entry.number)} was edited: {', '.join(wrong)} of the wrong kind; "
            "holdfast ledger verify says all that is wrong."
        )
    return entry


def _whole(value: object) -> int:
    if type(value) is not int:
        raise LedgerError(f"a number in the ledger was edited, and is {quoted(value)} now.")
    return value


def _moment(value: object) -> Microseconds:
    moment = _whole(value)
    if not is_moment(moment):
        raise LedgerError(f"a time in the ledger was edited, and is {quoted(value)} now.")
    return moment


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise LedgerError(f"a text in the ledger was edited, and is {quoted(value)} now.")
    return value


def _outlives(question: Question, entry: Entry) -> bool:
    """Tell whether a new entry leaves the answer to a question as it was."""
    name, values = question
    if name in TEAM_QUESTIONS:
        return bool(values[1] != entry.team)
    return name in LASTING_QUESTIONS or name == "state" or (name == "opened" and entry.team != "")
