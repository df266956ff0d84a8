"""A ledger in PostgreSQL, for hosts with many machines."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from holdfast.errors import LedgerError
from holdfast.guard.entry import first_hash
from holdfast.guard.storage.contract import Question, Transaction
from holdfast.guard.storage.sql import QUESTIONS, VERSION, SqlTransaction, schema

try:
    import psycopg
except ImportError:  # pragma: no cover - the test environment has it
    raise LedgerError(
        "a postgresql:// ledger needs psycopg; install it with: pip install 'holdfast[postgres]'"
    ) from None

__all__ = ["PostgresStorage"]

BEGIN = (
    "BEGIN",
    "SET LOCAL synchronous_commit = off",
    "SELECT one FROM holdfast_ledger FOR UPDATE",
)

# A commit of its own, written synchronously: all that was committed before it is on disk after it.
FLUSH = b"SELECT pg_logical_emit_message(true, 'holdfast', '')"

# Any fixed number: two processes that make the tables at once must take turns.
CREATION_LOCK = 0x686F6C64


class PostgresStorage:
    """The ledger's tables in a PostgreSQL database.

    A writer first locks the one row that holds the head of the chain, so that all others queue
    behind it; what it reads afterwards is what the last commit left.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._url = url
        self._create = create
        self._lock = threading.RLock()
        self._process = -1
        self._connection: psycopg.Connection[Any] | None = None
        with _clear_errors():
            self._connected()

    def __getstate__(self) -> dict[str, Any]:
        """Travel to another process as an address; it connects there."""
        return {**vars(self), "_lock": None, "_connection": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    def _connected(self) -> psycopg.Connection[Any]:
        """Return this process's connection; a lost or inherited one is replaced."""
        connection = self._connection
        mine = self._process == os.getpid()
        if connection is not None and mine and not connection.closed:
            return connection
        connection = psycopg.connect(self._url, autocommit=True, prepare_threshold=1)
        try:
            # A server may be set to answer before it has written; this session must not.
            connection.execute("SET synchronous_commit = on")
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        if not _has_tables(connection):
            if not self._create:
                raise LedgerError("the database must hold a ledger, but it holds none.")
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION_LOCK,))
                for statement in schema("BYTEA"):
                    connection.execute(statement.encode())
                salt = secrets.token_bytes(32)
                connection.execute(
                    "INSERT INTO holdfast_ledger VALUES (1, %s, %s, 0, %s, 0) "
                    "ON CONFLICT DO NOTHING",
                    (VERSION, salt, first_hash(salt)),
                )
        row = connection.execute("SELECT version FROM holdfast_ledger").fetchone()
        if row is None or row[0] != VERSION:
            raise LedgerError(f"the ledger must be of format {VERSION}, got {row and row[0]}.")

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises.

        Others wait while it is open, so it takes two round trips: one locks and asks all that is
        wanted ahead, one writes and commits. The commit itself does not wait for the disk, which
        would make everybody wait for it in turn; the block does, after it has let the others go
        on, and then one flush serves all who wait.
        """
        with self._lock, _clear_errors(), _undone(self._connected()) as connection:
            engine = _Engine(connection)
            asked = [(QUESTIONS[name], parameters) for name, parameters in ahead]
            cursor = _together(connection, [*((text, ()) for text in BEGIN), *asked])
            for _ in BEGIN:
                cursor.nextset()
            known = {}
            for question in ahead:
                known[question] = cursor.fetchall()
                cursor.nextset()
            yield SqlTransaction(engine, known)
            engine.write("COMMIT", ())
            engine.flush()
            # Even if nothing was written: what was read may be on its way to the disk.
            connection.execute(FLUSH)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        with self._lock, _clear_errors(), _undone(self._connected()) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield SqlTransaction(_Engine(connection))
            connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None


def _has_tables(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT to_regclass('holdfast_ledger') IS NOT NULL").fetchone()
    return row is not None and bool(row[0])


class _Engine:
    """Statements wait until a question or the commit, and then travel together."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._waiting: list[tuple[str, Sequence[Any]]] = []

    def ask(self, query: str, parameters: Sequence[Any]) -> list[Any]:
        self.flush()
        return _together(self._connection, [(query, parameters)]).fetchall()

    def write(self, statement: str, parameters: Sequence[Any]) -> None:
        self._waiting.append((statement, parameters))

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            _together(self._connection, waiting)


def _together(
    connection: psycopg.Connection[Any], statements: Sequence[tuple[str, Sequence[Any]]]
) -> psycopg.ClientCursor[Any]:
    """Send statements in one message; the cursor stands at the first one's rows."""
    text = ";".join(statement for statement, _ in statements).replace("?", "%s")
    cursor = psycopg.ClientCursor(connection)
    return cursor.execute(text.encode(), [value for _, values in statements for value in values])


@contextmanager
def _undone(connection: psycopg.Connection[Any]) -> Iterator[psycopg.Connection[Any]]:
    """Roll back what raises; harmless where nothing was begun."""
    try:
        yield connection
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn what the server says into one sentence, without the URL: it may hold a password."""
    failure = None
    try:
        yield
    except psycopg.Error as error:
        failure = " ".join(str(error).split()) or type(error).__name__
    if failure is not None:
        raise LedgerError(f"the PostgreSQL ledger can't be used: {failure}. Nothing was released.")
