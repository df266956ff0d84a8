"""Marks in an SQLite ledger's own file: the entry with which it ended when its log was begun.

They stand in `user_version`, which nothing else uses; 0 is no mark.
"""

from __future__ import annotations

import sqlite3

from holdfast.errors import LedgerError

__all__ = ["is_marked", "last_number", "mark_of"]

# It has 32 bits, with a sign.
MOST = 2**31 - 1


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
