"""Copies of an SQLite ledger that are ledgers themselves, and the way back."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from holdfast.errors import InvalidInput, LedgerError
from holdfast.ledger.storage.file_lock import FileQueue
from holdfast.ledger.storage.note import Note, stamp_of

__all__ = ["back_up", "flush_folder", "refuse_leftovers", "restore", "temporary_file"]

# What SQLite keeps beside a database and would read into a new one of the same name.
SIDE_FILE_SUFFIXES = ("-wal", "-journal")


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
