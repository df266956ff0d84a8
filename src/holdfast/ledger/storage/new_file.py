"""Atomic creation of an SQLite ledger."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from holdfast.ledger.entry import VERSION, first_hash
from holdfast.ledger.storage.backup import flush_folder, refuse_leftovers, temporary_file
from holdfast.ledger.storage.file_lock import FileQueue
from holdfast.ledger.storage.note import Note, stamp_of
from holdfast.ledger.storage.sql import schema

__all__ = ["make_file"]


def make_file(path: Path, patience: float) -> None:
    """Make an empty ledger where there is no file; one that is there, of any kind, is left alone.

    It is made under another name and moved into place when it is complete and on disk, without a
    log: nobody ever sees half a ledger, and the file alone is one.
    """
    with closing(FileQueue(path)) as queue, queue.turn(patience) as front:
        if path.exists():
            return
        refuse_leftovers(path)
        with temporary_file(path) as draft:
            _fill(draft)
            place = Path(os.path.realpath(path))
            draft.replace(place)
            flush_folder(place.parent)
        front.note = str(Note(stamp_of(path)))


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
