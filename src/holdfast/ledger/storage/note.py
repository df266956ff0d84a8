"""Notes of writers of an SQLite ledger, each for the next one, and a mark in the file itself.

The mark is the entry with which the file ended when its log was begun. It stands in
`user_version`, which nothing else uses; 0 is no mark.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from holdfast.errors import LedgerError

__all__ = ["Note", "is_marked", "last_number", "mark_of", "stamp", "stamp_of"]

MARKED = " marked"
# A mark has 32 bits, with a sign.
MOST = 2**31 - 1


class Note(NamedTuple):
    """How the file was left, and the chain: its last entry's number and hash.

    It is a hint, not durable and not protected: a note that is missing or older only means that
    the ledger is verified, and a ledger is refused only if it lacks an entry that the note names.

    `marked` tells whether the file says itself that looks followed which are in its log alone.

    >>> Note.read(str(Note("7 8192 1", (2, "ab"), True))) == Note("7 8192 1", (2, "ab"), True)
    True
    >>> Note.read(str(Note("7 8192 1")).rstrip())
    Note(stamp='7 8192 1', end=None, marked=False)
    >>> Note.read("")
    Note(stamp='', end=None, marked=False)
    """

    stamp: str = ""
    end: tuple[int, str] | None = None
    marked: bool = False

    def __str__(self) -> str:
        number, digest = self.end or ("", "")
        return f"{self.stamp}{MARKED if self.marked else ''}\n{number} {digest}"

    @classmethod
    def read(cls, text: str) -> Note:
        """Return the note in a text; an empty one if there is none."""
        lines = text.split("\n")
        if len(lines) > 2 or not lines[0]:
            return cls()
        number, _, digest = lines[-1].partition(" ") if len(lines) == 2 else ("", "", "")
        usable = number.isascii() and number.isdecimal() and len(number) < 19
        stamp, marked = lines[0].removesuffix(MARKED), lines[0].endswith(MARKED)
        return cls(stamp, (int(number), digest) if usable else None, marked)


def stamp_of(path: str | Path) -> str:
    """Return what changes whenever a file does; empty: there is none."""
    try:
        return stamp(os.stat(path))
    except FileNotFoundError:
        return ""


def stamp(status: os.stat_result) -> str:
    """Return inode, size and time of the last change."""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"


def mark_of(number: int) -> int:
    """Return the mark of a file that ends with an entry of this number.

    >>> mark_of(0), mark_of(7)
    (1, 8)
    """
    return number % MOST + 1


def is_marked(connection: sqlite3.Connection) -> bool:
    """Tell whether a ledger ends with the very entry after which its log was begun."""
    [(mark,)] = connection.execute("PRAGMA user_version")
    return bool(mark == mark_of(last_number(connection)))


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the entry that the ledger says it ends with."""
    rows = connection.execute("SELECT number FROM holdfast_ledger").fetchall()
    if len(rows) != 1 or type(rows[0][0]) is not int:
        raise LedgerError("the ledger's head was edited. Nothing was released.")
    return int(rows[0][0])
