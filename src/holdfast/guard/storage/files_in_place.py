"""The files of an open SQLite ledger, compared with those at its path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from holdfast.errors import LedgerError

__all__ = ["Files"]

# Device and inode: what a path names, whatever it holds.
Identity: TypeAlias = tuple[int, int]


class Files:
    """The file, its log and the log's index, as they were when a connection opened them.

    A file that is removed or replaced stays usable for whoever has it open: without this check a
    guard would go on answering into a ledger that nobody else will ever see. SQLite keeps the log
    and its index as long as anybody has the file open, so those must stay in place, too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._main = _identity(path)
        self._beside: dict[Path, Identity | None] = {}

    def opened(self) -> None:
        """Note what is beside the file, now that SQLite has read it."""
        real = Path(os.path.realpath(self._path))
        places = [real.with_name(real.name + suffix) for suffix in ("-wal", "-shm")]
        self._beside = {place: _identity(place) for place in places}
        self.check()

    def check(self) -> None:
        """Raise unless the files at the path are those that were opened."""
        here = _identity(self._path)
        if here is None:
            raise self._gone("it was removed or moved")
        if here != self._main:
            raise self._gone("another file is in its place")
        for place, identity in self._beside.items():
            if _identity(place) != identity:
                raise self._gone(f"{place.name}, which is part of it, was removed or replaced")

    def _gone(self, what: str) -> LedgerError:
        return LedgerError(
            f"ledger {self._path} is not the one that was opened: {what}. Nothing was released."
        )


def _identity(path: Path) -> Identity | None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino
