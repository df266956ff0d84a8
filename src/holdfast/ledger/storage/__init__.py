"""Ledger storage: SQLite by path, PostgreSQL by URL, one transaction for both.

`sql` asks a ledger's questions in SQL that both databases understand, `contract` names what they
are made of; `sqlite` and `postgres` open transactions. All else serves one of the two:

- SQLite: `file_lock` puts processes and threads in line; `files_in_place` refuses a file that was
  removed, replaced or linked while it was open; `note` lets a writer see what changed since the
  last one; `copies` makes, copies and checks a file.
- PostgreSQL: `pipeline` sends the dozen statements of a look in two messages.

A write goes: wait in line, compare the file with the last writer's note, begin, ask and append,
commit to disk, leave a note. Only then is anything released. Whoever starts while a database
recovers waits for it (`waited_for`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from holdfast.errors import InvalidInput, LedgerError, LedgerMissing
from holdfast.ledger.storage.contract import Question
from holdfast.ledger.storage.sql import Transaction
from holdfast.ledger.storage.sqlite import SqliteStorage
from holdfast.quoting import shortened

__all__ = ["Storage", "Transaction", "open_storage", "sqlite_path", "waited_for"]


class Storage(Protocol):
    """A database that holds one ledger."""

    def writing(self, ahead: Sequence[Question] = ()) -> AbstractContextManager[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises.

        What is named in `ahead` will be asked first; a server far away answers it all at once.
        """
        ...

    def reading(self) -> AbstractContextManager[Transaction]:
        """Open a consistent view that changes nothing."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


def open_storage(url: str | os.PathLike[str], *, create: bool = False) -> Storage:
    """Open the storage that `url` names.

    Parameters
    ----------
    url
        "postgresql://..." for PostgreSQL; "sqlite:///relative/path", "sqlite:////absolute/path"
        or a plain path for an SQLite file. "sqlite:///path?shared=true" accepts a file that
        others than its owner can read, where a platform mounts it so.
    create
        Make a new ledger where there is none; if False, that is a `LedgerMissing`.
    """
    text = os.fspath(url)
    if text.startswith(("postgresql://", "postgres://")):
        # Imported here: psycopg is an extra.
        from holdfast.ledger.storage.postgres import PostgresStorage

        return PostgresStorage(text, create=create)
    path, shared = _file(text)
    return SqliteStorage(path, create=create, shared=shared)


def sqlite_path(url: str | os.PathLike[str]) -> Path:
    """Return the file of an SQLite ledger.

    Raises
    ------
    InvalidInput
        The ledger is in PostgreSQL, which has its own tools for copies.
    """
    text = os.fspath(url)
    if text.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(
            "ledger must be an SQLite file here; a PostgreSQL one is copied with "
            "pg_dump --table='holdfast_*' and put back with psql."
        )
    return _file(text)[0]


def _file(text: str) -> tuple[Path, bool]:
    shared = False
    if text.startswith("sqlite:///"):
        text, mark, options = text.removeprefix("sqlite:///").partition("?")
        shared = options == "shared=true"
        if mark and not shared:
            raise InvalidInput(
                f"ledger must have no option but ?shared=true, got ?{shortened(options)}."
            )
    elif "://" in text:
        raise InvalidInput(
            "ledger must be a path, sqlite:///path or postgresql://..., "
            f"got {text.split('://')[0]}://..."
        )
    if not text:
        raise InvalidInput("ledger must name a file, got an empty path.")
    return Path(text), shared


Result = TypeVar("Result")

# A database that crashed recovers within seconds; whoever starts meanwhile waits for so long.
PATIENCE_SECONDS = 30.0
PAUSE_SECONDS = 0.2


def waited_for(make: Callable[[], Result], seconds: float = PATIENCE_SECONDS) -> Result:
    """Return what `make` returns, called again while the ledger can't be used; then its error.

    A ledger that is not there at all is not waited for.

    Examples
    --------
    >>> waited_for(lambda: 7)
    7
    """
    latest = time.monotonic() + seconds
    while True:
        try:
            return make()
        except LedgerMissing:
            raise
        except LedgerError:
            if time.monotonic() > latest:
                raise
        time.sleep(PAUSE_SECONDS)
