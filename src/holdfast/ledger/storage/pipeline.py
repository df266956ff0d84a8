"""Statements that travel to PostgreSQL in one message and come back in one."""

from __future__ import annotations

import selectors
import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import psycopg
from psycopg import pq

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult

__all__ = ["Pipeline", "Statement"]

# A text in which "?" stands for a parameter, and the parameters: text, bigint, bytea or null.
Statement: TypeAlias = tuple[str, Sequence[Any]]

# How PostgreSQL numbers the types that a ledger's columns have; bytea comes as it is.
BIGINT_TYPE: Final = 20
TEXT_TYPE: Final = 25
BIGINT: Final = struct.Struct(">q")


class Pipeline:
    """One connection, driven at the level of libpq.

    A look takes a dozen small statements in two messages. Through cursors, each statement would be
    sent and read by itself, which costs both sides more than the statement. Here a text is
    prepared when it is first seen; after that only its parameters travel.

    A statement that the server refuses raises `psycopg.Error`: those after it were not run, and
    the connection is in order. Anything else that interrupts an exchange closes the connection,
    since nobody could tell how far the server had come.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._names: dict[str, bytes] = {}
        self._numbers = count(1)
        self._awaited = selectors.EVENT_READ
        self._socket = selectors.DefaultSelector()
        self._socket.register(connection.fileno(), self._awaited)

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return bool(self._connection.closed)

    def close(self) -> None:
        """Let go of the connection."""
        self._socket.close()
        self._connection.close()

    def run(self, *statements: Statement) -> list[list[tuple[Any, ...]]]:
        """Run statements in one round trip, and return the rows of each."""
        self._prepare(dict.fromkeys(text for text, _ in statements if text not in self._names))

        def send() -> None:
            for text, parameters in statements:
                values = _encoded(parameters)
                formats = [pq.Format.BINARY] * len(values)
                connection.send_query_prepared(self._names[text], values, formats, pq.Format.BINARY)

        connection = self._connection.pgconn
        return [_rows(result) for result in self._exchange(send)]

    def _prepare(self, texts: Iterable[str]) -> None:
        """Let the server parse what it has not seen; one trip, once in a connection's life."""
        # Never a number twice: of those that fail together, the server may have kept some.
        names = {text: b"holdfast_%d" % next(self._numbers) for text in texts}
        if not names:
            return

        def send() -> None:
            for text, name in names.items():
                self._connection.pgconn.send_prepare(name, _numbered(text).encode())

        self._exchange(send)
        self._names.update(names)

    def _exchange(self, send: Callable[[], None]) -> list[PGresult]:
        """Send, and return all results, or raise the first error that the server reports."""
        connection = self._connection.pgconn
        results: list[PGresult] = []
        try:
            connection.enter_pipeline_mode()
            send()
            connection.pipeline_sync()
            self._flush()
            while (result := self._next()) is None or result.status != pq.ExecStatus.PIPELINE_SYNC:
                if result is not None:  # None parts the results of two statements
                    results.append(result)
            connection.exit_pipeline_mode()
        except BaseException:
            self.close()
            raise
        for result in results:
            if result.status == pq.ExecStatus.FATAL_ERROR:
                raise _as_error(result)
        return results

    def _flush(self) -> None:
        """Hand everything to the system, reading meanwhile: the server may be doing the same."""
        while self._connection.pgconn.flush():
            self._wait(selectors.EVENT_READ | selectors.EVENT_WRITE)
            self._connection.pgconn.consume_input()

    def _next(self) -> PGresult | None:
        while self._connection.pgconn.is_busy():
            self._wait(selectors.EVENT_READ)
            self._connection.pgconn.consume_input()
        return self._connection.pgconn.get_result()

    def _wait(self, events: int) -> None:
        """Sleep until the socket is ready; other threads run, and an interrupt is heard."""
        if events != self._awaited:
            self._socket.modify(self._connection.fileno(), events)
            self._awaited = events
        self._socket.select()


def _numbered(text: str) -> str:
    """Return the text with "?" in the form that PostgreSQL reads.

    >>> _numbered("SELECT ? + ?")
    'SELECT $1 + $2'
    """
    first, *others = text.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, start=1))


def _encoded(values: Sequence[str | int | bytes | None]) -> list[bytes | None]:
    """Return values as PostgreSQL keeps them; libpq would cut a value in text at a zero byte."""
    return [
        value.encode()
        if isinstance(value, str)
        else BIGINT.pack(value)
        if isinstance(value, int)
        else value
        for value in values
    ]


def _rows(result: PGresult) -> list[tuple[Any, ...]]:
    if not result.ntuples:
        return []
    types = [result.ftype(column) for column in range(result.nfields)]
    return [
        tuple(_decoded(result.get_value(row, column), kind) for column, kind in enumerate(types))
        for row in range(result.ntuples)
    ]


def _decoded(value: bytes | None, kind: int) -> Any:
    if value is None:
        return None
    if kind == BIGINT_TYPE:
        return BIGINT.unpack(value)[0]
    return value.decode() if kind == TEXT_TYPE else value


def _as_error(result: PGresult) -> psycopg.Error:
    # The first line alone: the details of some errors quote the row.
    message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"it gave no reason"
    return psycopg.DatabaseError(message.decode(errors="replace"))
