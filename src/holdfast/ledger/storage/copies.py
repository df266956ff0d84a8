"""Files of SQLite ledgers: how they are made, copied, put back and checked as databases."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from holdfast.errors import InvalidInput, LedgerError
from holdfast.ledger.entry import VERSION, first_hash
from holdfast.ledger.storage.file_lock import FileQueue
from holdfast.ledger.storage.note import Note, stamp_of
from holdfast.ledger.storage.sql import schema

__all__ = [
    "back_up",
    "damage",
    "flush_folder",
    "make_file",
    "refuse_leftovers",
    "restore",
    "temporary_file",
]

# What SQLite keeps beside a database and would read into a new one of the same name.
SIDE_FILE_SUFFIXES = ("-wal", "-journal")
# More findings than anybody reads; one is enough to know.
MOST_FINDINGS = 20


def back_up(source: Path, target: Path) -> None:
    """Copy a ledger with all that is in its log, while others may use it.

    `cp` of the file alone would miss what is only in the log yet, and be an older ledger.
    """
    _refuse_if_there(target, "the backup")
    with _clear_errors("the backup", target), temporary_file(target) as draft:
        _copy(source, draft)
        draft.replace(target)
        flush_folder(target.parent)


def restore(source: Path, target: Path, patience: float) -> None:
    """Put a copy of a ledger where there is none, and let it count as left in order."""
    with (
        _clear_errors("the ledger", target),
        closing(FileQueue(target)) as queue,
        queue.turn(patience) as front,
    ):
        _refuse_if_there(target, "the ledger")
        refuse_leftovers(target)
        with temporary_file(target) as draft:
            _copy(source, draft)
            draft.replace(os.path.realpath(target))
            flush_folder(Path(os.path.realpath(target)).parent)
        front.note = str(Note(stamp_of(target)))


def refuse_leftovers(path: Path) -> None:
    """Raise if the log of another ledger lies where a new file would find it."""
    place = Path(os.path.realpath(path))
    for suffix in SIDE_FILE_SUFFIXES:
        if place.with_name(place.name + suffix).exists():
            raise LedgerError(
                f"ledger {path} must not be made beside {place.name}{suffix}, which belongs to "
                "a ledger that is not there any more: put that one back, or move its rest away."
            )


@contextmanager
def temporary_file(target: Path) -> Iterator[Path]:
    """Make a file of the owner's alone in the folder of another; what is left of it is removed."""
    place = Path(os.path.realpath(target))
    draft = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
    try:
        # Made here, not by SQLite, so that it is never readable by others, not even briefly.
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield draft
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Let a new name in a folder survive a power cut."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _clear_errors(name: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LedgerError(f"{name} {path} can't be written: {error.strerror}.") from None


def _refuse_if_there(path: Path, name: str) -> None:
    if path.exists():
        raise InvalidInput(f"{name} {path} must not exist yet; move it away first.")


def _copy(source: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            new.execute("PRAGMA synchronous = FULL")
            old.backup(new)
            new.execute("PRAGMA user_version = 0")  # a copy is whole: no log belongs to it
    except sqlite3.Error as error:
        raise LedgerError(f"ledger {source} can't be copied: {error}.") from None


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


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite's own check finds, and where the schema is not the ledger's.

    A trigger can change what a commit writes, and a lost index or constraint what a question
    finds, without any entry being edited.
    """
    found = [
        str(line) for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_FINDINGS})")
    ]
    problems = [f"the database is damaged: {line}" for line in found if line != "ok"]
    stored = {
        str(name): (str(kind), _words(text))
        for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master")
    }
    for statement in schema("BLOB"):
        text = statement.replace("IF NOT EXISTS ", "")
        name = text.split()[2]
        if stored.get(name) != (text.split()[1].lower(), _words(text)):
            problems.append(f"the schema was edited: {name} is missing or another one.")
    for name, (kind, _) in stored.items():
        if kind in ("trigger", "view"):
            problems.append(f"the schema was edited: there is a {kind} {name}.")
    return problems


def _words(text: object) -> list[str]:
    return str(text).split()
