"""A ledger in PostgreSQL, for hosts with many machines."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from holdfast.errors import LedgerError, LedgerMissing
from holdfast.extras import remedy
from holdfast.ledger.entry import VERSION, first_hash
from holdfast.ledger.storage.contract import Question
from holdfast.ledger.storage.file_lock import Turns
from holdfast.ledger.storage.sql import (
    FORMAT_OF,
    MOVE_HEAD,
    QUESTIONS,
    Transaction,
    check_format,
    names,
    schema,
)

try:
    import psycopg

    from holdfast.ledger.storage.pipeline import Pipeline, Statement
except ImportError:  # pragma: no cover - the test environment has it
    raise LedgerError(remedy("a postgresql:// ledger", "psycopg")) from None

__all__ = ["PostgresStorage"]

# Any fixed number, so that these locks are nobody else's.
LOCK_CLASS = 0x686F6C64

SESSION = (
    # A server may be set to answer before it has written; this session must not.
    "SET synchronous_commit = on",
    # A look asks for a few rows by index. To plan that anew would take longer than to do it, and a
    # plan that was made while the tables were empty must still be good when they are not.
    "SET plan_cache_mode = force_generic_plan",
    "SET enable_seqscan = off",
)

TABLES = ", ".join(f"'{name}'::regclass" for name in names("TABLE"))
INDEXES = ", ".join(f"'{name}'" for name in names("INDEX"))

BEGIN: Statement = ("BEGIN", ())
BEGIN_READING: Statement = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
COMMIT: Statement = ("COMMIT", ())
ROLLBACK: Statement = ("ROLLBACK", ())

# One queue per ledger, in order of arrival. A lock on the head's row would do too, but whoever
# waits for it has to find the row anew each time that it changes.
LOCK: Statement = (
    f"SELECT pg_advisory_xact_lock({LOCK_CLASS}, 'holdfast_ledger'::regclass::oid::int), "
    "set_config('synchronous_commit', 'off', true)",
    (),
)

# A commit of its own, written synchronously: all that was committed before it is on disk after it.
FLUSH: Statement = ("SELECT pg_logical_emit_message(true, 'holdfast', '')", ())


# What could change entries behind the ledger's back, or make it miss some. The pages themselves are
# the server's own business: data checksums and pg_amcheck.
DAMAGE = f"""
SELECT 'the tables have a trigger: ' || tgname::text FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid IN ({TABLES})
UNION ALL SELECT 'the tables have a rule: ' || rulename::text FROM pg_rewrite
    WHERE ev_class IN ({TABLES})
UNION ALL SELECT 'the table ' || relname::text || ' hides rows.' FROM pg_class
    WHERE oid IN ({TABLES}) AND (relrowsecurity OR relkind <> 'r')
UNION ALL SELECT 'the table ' || relname::text || ' has lost its primary key.' FROM pg_class
    WHERE oid IN ({TABLES})
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'p')
UNION ALL SELECT 'the index ' || name || ' is missing or broken.'
    FROM unnest(ARRAY[{INDEXES}]) AS wanted (name)
    WHERE NOT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(name)
        AND indrelid IN ({TABLES}) AND indisvalid AND indisready)
"""


class PostgresStorage:
    """The ledger's tables in a PostgreSQL database.

    A writer first takes the ledger's lock, for which all others queue; what it reads afterwards is
    what the last commit left.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self._url = url
        self._turns = Turns()
        self._process = -1
        self._pipeline: Pipeline | None = None
        with _clear_errors():
            if create:
                _make_tables(url)
            self._connected()

    def __getstate__(self) -> dict[str, Any]:
        """Travel to another process as an address; it connects there."""
        return {**vars(self), "_turns": None, "_pipeline": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turns=Turns())

    def _connected(self) -> Pipeline:
        """Return this process's connection; a lost or inherited one is replaced."""
        pipeline = self._pipeline
        if pipeline is not None and self._process == os.getpid() and not pipeline.closed:
            return pipeline
        connection = psycopg.connect(
            self._url, autocommit=True, prepare_threshold=None, client_encoding="utf8"
        )
        try:
            connection.execute(";".join(SESSION).encode())
            _check(connection)
        except BaseException:
            connection.close()
            raise
        self._pipeline, self._process = Pipeline(connection), os.getpid()
        return self._pipeline

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises.

        Others wait while it is open, so it takes two round trips: one locks and asks all that is
        wanted ahead, one writes and commits. The commit itself does not wait for the disk, which
        would make everybody wait for it in turn; the flush after it does, when the others may go
        on already, and then one flush serves all who wait.
        """
        with self._turns, _clear_errors(), _undone(self._connected()) as pipeline:
            engine = _Engine(pipeline)
            ahead = list(dict.fromkeys(ahead))  # several looks ask some of the same
            asked = [(QUESTIONS.get(name, name), parameters) for name, parameters in ahead]
            # The lock is a statement of its own, so that those after it see the last commit.
            _, _, *answers = pipeline.run(BEGIN, LOCK, *asked)
            yield Transaction(engine, dict(zip(ahead, answers, strict=True)))
            # Flushed even if nothing was written: what was read may be on its way to the disk.
            pipeline.run(*engine.waiting, COMMIT, FLUSH)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        with self._turns, _clear_errors(), _undone(self._connected()) as pipeline:
            pipeline.run(BEGIN_READING)
            yield Transaction(_Engine(pipeline))
            pipeline.run(COMMIT)

    def close(self) -> None:
        """Let go of the connection."""
        with self._turns:
            if self._pipeline is not None and self._process == os.getpid():
                self._pipeline.close()
            self._pipeline = None


def _has_tables(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT to_regclass('holdfast_ledger') IS NOT NULL").fetchone()
    return row is not None and bool(row[0])


def _make_tables(url: str) -> None:
    """Make an empty ledger in a database that has none."""
    with psycopg.connect(url, autocommit=True) as connection:
        if _has_tables(connection):
            return
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_CLASS,))
            for statement in schema("BYTEA"):
                connection.execute(statement.encode())
            salt = secrets.token_bytes(32)
            connection.execute(
                "INSERT INTO holdfast_ledger VALUES (1, %s, %s, 0, %s, 0) ON CONFLICT DO NOTHING",
                (VERSION, salt, first_hash(salt)),
            )


def _check(connection: psycopg.Connection[Any]) -> None:
    if not _has_tables(connection):
        raise LedgerMissing(
            "the database must hold a ledger, but it holds none. Nothing was released. "
            "To make a new one, run: holdfast ledger init URL"
        )
    check_format("the ledger", connection.execute(FORMAT_OF).fetchall())


class _Engine:
    """What is written waits until a question or the commit, and then travels with it."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.waiting: list[Statement] = []

    def ask(self, query: str, parameters: Sequence[Any]) -> list[Any]:
        waiting, self.waiting = self.waiting, []
        return self._pipeline.run(*waiting, (query, parameters))[-1]

    def ask_all(self, questions: Sequence[Statement]) -> list[list[Any]]:
        waiting, self.waiting = self.waiting, []
        return self._pipeline.run(*waiting, *questions)[len(waiting) :]

    def write(self, statement: str, parameters: Sequence[Any]) -> None:
        if statement == MOVE_HEAD:  # of several entries that travel together, the last one's
            self.waiting = [each for each in self.waiting if each[0] != MOVE_HEAD]
        self.waiting.append((statement, parameters))

    def damage(self) -> list[str]:
        return [str(problem) for (problem,) in self.ask(DAMAGE, ())]


@contextmanager
def _undone(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Roll back what raises; harmless where nothing was begun."""
    try:
        yield pipeline
    except BaseException:
        if not pipeline.closed:
            with suppress(psycopg.Error):
                pipeline.run(ROLLBACK)
        raise


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn what the server says into one sentence, without the URL: it may hold a password."""
    failure = None
    try:
        yield
    except psycopg.Error as error:
        failure = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        # It stays the new one's context, and its frames hold an answer that was not recorded.
        error.__traceback__ = None
    if failure is not None:
        raise LedgerError(
            f"the PostgreSQL ledger can't be used: {failure}. Nothing was released."
        ) from None
