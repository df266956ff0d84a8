"""A ledger in one SQLite file, durable at every commit."""

from __future__ import annotations

import os
import shlex
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from holdfast.errors import LedgerError, LedgerMissing
from holdfast.guard.storage.contract import Question, Transaction
from holdfast.guard.storage.new_file import make_file
from holdfast.guard.storage.sql import VERSION, SqlTransaction

__all__ = ["SqliteStorage"]

# How long a writer waits for the others before it gives up, in seconds.
PATIENCE = 60.0

# Connections that came through a fork: closing one, even by forgetting it, is not safe.
INHERITED: list[sqlite3.Connection] = []


class SqliteStorage:
    """One SQLite file that only its owner can read.

    The write-ahead log with `synchronous = FULL` flushes every commit to disk before it returns,
    like the rollback journal, with a quarter of the flushes. It needs a local disk: SQLite's log
    does not work over a network file system; there, use PostgreSQL.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._path = path.absolute()
        self._lock = threading.RLock()
        self._process = -1
        self._connection: sqlite3.Connection | None = None
        with _clear_errors(self._path):
            if create:
                make_file(self._path)
            self._connected()

    def __getstate__(self) -> dict[str, Any]:
        """Travel to another process as an address; it connects there."""
        return {**vars(self), "_lock": None, "_connection": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    def _connected(self) -> sqlite3.Connection:
        """Return this process's connection: one taken across a fork would corrupt the file."""
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        if self._connection is not None:
            INHERITED.append(self._connection)
        if not self._path.exists():
            raise LedgerMissing(
                f"ledger {self._path} must be a file, but there is none. Nothing was released. "
                f"To make a new one, run: holdfast ledger init {shlex.quote(str(self._path))}"
            )
        if self._path.stat().st_size == 0:
            raise LedgerError(
                f"ledger {self._path} must hold a ledger, but it is empty: put the ledger back, or "
                "remove the file if there never was one. Nothing was released."
            )
        connection = sqlite3.connect(
            self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA trusted_schema = OFF")
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'holdfast_ledger'"
        if connection.execute(query).fetchone()[0] == 0:
            raise LedgerError(
                f"{self._path} must hold a ledger, but it holds something else. "
                "Nothing was released."
            )
        version = connection.execute("SELECT version FROM holdfast_ledger").fetchone()[0]
        if version != VERSION:
            raise LedgerError(f"{self._path} must be of format {VERSION}, got {version}.")

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises."""
        del ahead  # nothing is far away
        with self._transaction("BEGIN IMMEDIATE") as transaction:
            yield transaction

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        with self._transaction("BEGIN") as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self._lock, _clear_errors(self._path):
            connection = self._connected()
            connection.execute(begin)
            try:
                yield SqlTransaction(_Engine(connection))
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None


class _Engine:
    """Statements go straight to the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def ask(self, query: str, parameters: Sequence[Any]) -> list[Any]:
        return self._connection.execute(query, parameters).fetchall()

    def write(self, statement: str, parameters: Sequence[Any]) -> None:
        self._connection.execute(statement, parameters)


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into one sentence."""
    failure = None
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        failure = str(error)
    if failure is not None:
        # Raised out here so that no frame of the transaction hangs on the exception.
        raise LedgerError(
            f"ledger {path} can't be used: {failure}. Nothing was released."
        ) from None
