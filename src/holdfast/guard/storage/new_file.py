"""A new SQLite ledger: whole, or not there."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from holdfast.errors import LedgerError
from holdfast.guard.entry import VERSION, first_hash
from holdfast.guard.storage.file_lock import FileQueue
from holdfast.guard.storage.note import Note, stamp_of
from holdfast.guard.storage.sql import schema

__all__ = ["make_file"]

# What SQLite keeps beside a database and would read into a new one of the same name.
LEFT_BEHIND = ("-wal", "-journal")


def make_file(path: Path, patience: float) -> None:
    """Make an empty ledger where there is no file; one that is there, of any kind, is left alone.

    It is made under another name and moved into place when it is complete and on disk, without a
    log: nobody ever sees half a ledger, and the file alone is one.
    """
    with closing(FileQueue(path)) as queue, queue.turn(patience) as front:
        if path.exists():
            return
        place = Path(os.path.realpath(path))
        for suffix in LEFT_BEHIND:
            if place.with_name(place.name + suffix).exists():
                raise LedgerError(
                    f"ledger {path} must not be made beside {place.name}{suffix}, which belongs to "
                    "a ledger that is not there any more: put that one back, or move its rest away."
                )
        draft = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
        try:
            # Made here, not by SQLite, so that it is never readable by others, not even briefly.
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            _fill(draft)
            draft.replace(place)
            _flush_folder(place.parent)
            front.note = str(Note(stamp_of(path)))
        finally:
            for suffix in ("", "-journal", "-wal", "-shm"):
                draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _fill(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        for statement in schema("BLOB"):
            connection.execute(statement)
        salt = secrets.token_bytes(32)
        connection.execute(
            "INSERT INTO holdfast_ledger VALUES (1, ?, ?, 0, ?, 0)",
            (VERSION, salt, first_hash(salt)),
        )
        connection.execute("COMMIT")
        # Last, so that the tables are in the file itself and not in its log.
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _flush_folder(folder: Path) -> None:
    """Let the new name survive a power cut."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
