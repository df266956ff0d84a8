"""A witness in a PostgreSQL database: one row that only ever moves on."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from holdfast.errors import LedgerError
from holdfast.extras import remedy
from holdfast.ledger.witness import Mark

try:
    import psycopg
except ImportError:  # pragma: no cover - the test environment has it
    raise LedgerError(remedy("a postgresql:// witness", "psycopg")) from None

__all__ = ["PostgresWitness"]

T = TypeVar("T")

CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS holdfast_witness (
    one BIGINT PRIMARY KEY CHECK (one = 1), number BIGINT NOT NULL, hash TEXT NOT NULL)
"""
MOVE_ON = """
INSERT INTO holdfast_witness VALUES (1, %s, %s) ON CONFLICT (one) DO UPDATE
    SET number = excluded.number, hash = excluded.hash
    WHERE %s OR holdfast_witness.number < excluded.number
"""


class PostgresWitness:
    """The newest head in a table `holdfast_witness`; one ledger per database or search path."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._process = -1
        self._connection: psycopg.Connection[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Travel to another process as an address; it connects there."""
        return {"_url": self._url}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_url"])  # type: ignore[misc]

    def read(self) -> Mark | None:
        """Return the head that was last confided to it; None: there was none yet."""

        def ask(connection: psycopg.Connection[Any]) -> Mark | None:
            found = connection.execute("SELECT to_regclass('holdfast_witness')").fetchone()
            if found is None or found[0] is None:
                return None
            row = connection.execute("SELECT number, hash FROM holdfast_witness").fetchone()
            return None if row is None else Mark(int(row[0]), str(row[1]))

        return self._with_connection(ask)

    def move(self, mark: Mark, *, back: bool = False) -> None:
        """Remember a head, durably; an older one than it has only if it may go `back`."""

        def write(connection: psycopg.Connection[Any]) -> None:
            found = connection.execute("SELECT to_regclass('holdfast_witness')").fetchone()
            if found is None or found[0] is None:
                connection.execute(CREATE_TABLE.encode())
            connection.execute(MOVE_ON.encode(), (mark.number, mark.hash, back))

        self._with_connection(write)

    def _with_connection(self, action: Callable[[psycopg.Connection[Any]], T]) -> T:
        failure = ""
        with self._lock:
            try:
                return action(self._connected())
            except psycopg.Error as error:
                # Without the URL, which may hold a password.
                failure = " ".join(str(error).split()).rstrip(".") or type(error).__name__
                self._connection = None
        raise LedgerError(f"the PostgreSQL witness can't be used: {failure}. Nothing was released.")

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._process != os.getpid() or self._connection.closed:
            self._connection = psycopg.connect(self._url, autocommit=True)
            self._connection.execute("SET synchronous_commit = on")
            self._process = os.getpid()
        return self._connection
