"""Where a ledger lives: SQLite by default, PostgreSQL by URL, one contract for both."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.guard.storage.contract import Storage, Transaction
from holdfast.guard.storage.sqlite import SqliteStorage

__all__ = ["Storage", "Transaction", "open_storage"]


def open_storage(url: str | os.PathLike[str], *, create: bool = False) -> Storage:
    """Open the storage that `url` names.

    Parameters
    ----------
    url
        "postgresql://..." for PostgreSQL; "sqlite:///relative/path", "sqlite:////absolute/path"
        or a plain path for an SQLite file.
    create
        Make a new ledger where there is none; if False, that is a `LedgerMissing`.
    """
    text = os.fspath(url)
    if text.startswith(("postgresql://", "postgres://")):
        # Imported here: psycopg is an extra.
        from holdfast.guard.storage.postgres import PostgresStorage

        return PostgresStorage(text, create=create)
    if text.startswith("sqlite:///"):
        text = text.removeprefix("sqlite:///")
    elif "://" in text:
        raise InvalidInput(
            "ledger must be a path, sqlite:///path or postgresql://..., "
            f"got {text.split('://')[0]}://..."
        )
    if not text:
        raise InvalidInput("ledger must name a file, got an empty path.")
    return SqliteStorage(Path(text), create=create)
