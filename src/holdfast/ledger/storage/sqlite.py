"""A ledger in one SQLite file, durable at every commit."""

from __future__ import annotations

import os
import shlex
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from holdfast.errors import LedgerError, LedgerMissing
from holdfast.ledger.storage.contract import Question
from holdfast.ledger.storage.copies import damage, make_file
from holdfast.ledger.storage.file_lock import FileQueue, Turns
from holdfast.ledger.storage.files_in_place import (
    Files,
    has_log,
    refuse_mounted_file,
    refuse_wide_modes,
)
from holdfast.ledger.storage.note import Note, is_marked, last_number, mark_of, stamp_of
from holdfast.ledger.storage.sql import FORMAT_OF, Transaction, check_format

__all__ = ["SqliteStorage"]

# How long a writer waits for the others before it gives up, in seconds.
PATIENCE_SECONDS = 60.0


class SqliteStorage:
    """One SQLite file that only its owner can read.

    The write-ahead log with `synchronous = FULL` flushes every commit to disk before it returns,
    like the rollback journal, with a quarter of the flushes. It needs a local disk: SQLite's log
    does not work over a network file system; there, use PostgreSQL.

    Every transaction makes sure that the files at the ledger's path are still those that are
    open. A writer also compares the file with how the last writer left it, and marks the
    transaction as suspect if it was changed in any other way; and it says with which entry the
    last writer left it.

    What is committed is in the log first, and moved into the file hundreds of looks later. Before
    the first of them the file is marked with the entry that it ends with: a file that ends there,
    without its log, lacks what followed, and is refused.
    """

    def __init__(self, path: Path, *, create: bool = False, shared: bool = False) -> None:
        self._path = path.absolute()
        self._shared = shared
        self._reset()
        with _clear_errors(self._path):
            if create:
                make_file(self._path, PATIENCE_SECONDS)
            self._connected()

    def _reset(self) -> None:
        self._turns = Turns()
        self._open: _Open | None = None
        self._process = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        """Travel to another process as an address; it connects there."""
        return {"_path": self._path, "_shared": self._shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._reset()

    def _connected(self) -> _Open:
        """Return this process's connection."""
        if self._open is None:
            self._open = _Open(self._path, self._shared)
            # Closed in order also when it is forgotten, or when the process ends.
            weakref.finalize(self, self._open.close)
        return self._open

    def _own_process(self) -> Turns:
        """Leave what came through a fork to the parent: it is not safe to use or to close."""
        if self._process != os.getpid():
            self._reset()
        return self._turns

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises."""
        del ahead  # nothing is far away
        with self._own_process(), _clear_errors(self._path):
            opened = self._connected()
            with opened.queue.turn(PATIENCE_SECONDS) as place:
                left = Note.read(place.note)
                suspect = opened.check() != left.stamp
                marked = left.marked and not suspect
                if suspect:
                    opened.connect_anew()
                elif not marked:
                    marked = opened.mark()
                    left = left._replace(stamp=opened.check(), marked=marked)
                    place.note = str(left)
                with opened.transaction("BEGIN IMMEDIATE") as connection:
                    transaction = Transaction(
                        _Engine(connection), suspect=suspect, left_at=left.end
                    )
                    yield transaction
                    head = transaction.head()
                # A commit moves the log into the file now and then; nothing else changes it.
                stamp = stamp_of(opened.place)
                note = Note(stamp, (head.number, head.hash), marked and stamp == left.stamp)
                if note != left:
                    place.note = str(note)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        with self._own_process(), _clear_errors(self._path):
            opened = self._connected()
            opened.check()
            with opened.transaction("BEGIN") as connection:
                yield Transaction(_Engine(connection))

    def close(self) -> None:
        """Let go of the file."""
        with self._own_process():
            if self._open is not None:
                self._open.close()
            self._open = None


class _Open:
    """A connection, the files that it has open, and the queue for them."""

    def __init__(self, path: Path, shared: bool) -> None:
        self.path = path
        self.place = os.fspath(path)
        self._shared = shared
        self.queue = FileQueue(path)
        self._process = os.getpid()
        self._closed = False
        self._connection, self._files = _connect(path, shared)
        OPEN_CONNECTIONS.add(self)

    def connect_anew(self) -> None:
        """Remember nothing of the file as it was before."""
        old, (self._connection, self._files) = self._connection, _connect(self.path, self._shared)
        # Only now, so that it is not the last one, which would write the log into the file.
        old.close()

    def check(self) -> str:
        """Raise unless the files at the path are those that are open; return a stamp of them."""
        return self._files.check()

    def mark(self) -> bool:
        """Let the file itself say where it ends before more is in its log; tell whether it does.

        It does not if somebody reads meanwhile, who keeps the log from being moved.
        """
        mark = mark_of(last_number(self._connection))
        self._connection.execute(f"PRAGMA user_version = {mark}")
        [(busy, log, moved)] = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return bool(busy == 0 and log == moved)

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        self._connection.execute(begin)
        try:
            yield self._connection
            self._files.check()
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Let go of the file; whoever is the last to do so writes the log into it."""
        if self._process != os.getpid() or self._closed:
            return
        self._closed = True
        # Not waiting: where there is a queue, somebody else is the last.
        with suppress(OSError, LedgerError, sqlite3.Error), self.queue.turn(0.0) as place:
            left = Note.read(place.note)
            unchanged = stamp_of(self.path) == left.stamp
            if is_marked(self._connection):
                self._connection.execute("PRAGMA user_version = 0")  # nothing followed
            self._connection.close()
            if unchanged:
                place.note = str(Note(stamp_of(self.path), left.end))
        with suppress(sqlite3.Error):
            self._connection.close()
        self.queue.close()


# Those of this process, and connections that came through a fork: closing one of these, even by
# forgetting it, is not safe.
OPEN_CONNECTIONS: weakref.WeakSet[_Open] = weakref.WeakSet()
INHERITED_CONNECTIONS: list[sqlite3.Connection] = []


def _leave_to_parent() -> None:
    for inherited in list(OPEN_CONNECTIONS):
        INHERITED_CONNECTIONS.append(inherited._connection)
        inherited.queue.leave_to_parent()
    OPEN_CONNECTIONS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def _connect(path: Path, shared: bool) -> tuple[sqlite3.Connection, Files]:
    if not path.exists():
        raise LedgerMissing(
            f"ledger {path} must be a file, but there is none. Nothing was released. "
            f"To make a new one, run: holdfast ledger init {shlex.quote(str(path))}"
        )
    if path.stat().st_size == 0:
        raise LedgerError(
            f"ledger {path} must hold a ledger, but it is empty: put the ledger back, or "
            "remove the file if there never was one. Nothing was released."
        )
    if not shared:
        refuse_wide_modes(path)
    refuse_mounted_file(path)
    files, alone = Files(path), not has_log(path)
    connection = sqlite3.connect(
        path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
        _check(connection, path)
        # Another process may have begun a log meanwhile; reading makes an empty one at most.
        if alone and is_marked(connection) and not has_log(path):
            raise LedgerError(
                f"ledger {path} lacks the looks that were in its log alone ({path.name}-wal): the "
                "file was copied or moved without it. Put both in place, or a copy that holdfast "
                "ledger backup has made. To forget these looks on purpose, put this file in place "
                "with holdfast ledger restore. Nothing was released."
            )
        files.opened()
    except BaseException:
        connection.close()
        raise
    return connection, files


def _check(connection: sqlite3.Connection, path: Path) -> None:
    query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'holdfast_ledger'"
    if connection.execute(query).fetchone()[0] == 0:
        raise LedgerError(
            f"{path} must hold a ledger, but it holds something else. Nothing was released."
        )
    check_format(f"ledger {path}", connection.execute(FORMAT_OF).fetchall())
    [(mode,)] = connection.execute("PRAGMA journal_mode").fetchall()
    if mode != "wal":  # a copy that another tool made
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("SELECT version FROM holdfast_ledger").fetchall()


class _Engine:
    """Statements go straight to the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def ask(self, query: str, parameters: Sequence[Any]) -> list[Any]:
        return self._connection.execute(query, parameters).fetchall()

    def ask_all(self, questions: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Any]]:
        del questions  # nothing is far away
        return []

    def write(self, statement: str, parameters: Sequence[Any]) -> None:
        self._connection.execute(statement, parameters)

    def damage(self) -> list[str]:
        return damage(self._connection)


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into one sentence."""
    failure = None
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as error:
        # The last where SQLite quotes a damaged schema, which Python can't read.
        failure = " ".join(str(error).split())
        # It stays the new one's context, and its frames hold an answer that was not recorded.
        error.__traceback__ = None
    if failure is not None:
        raise LedgerError(
            f"ledger {path} can't be used: {failure}. Nothing was released."
        ) from None
