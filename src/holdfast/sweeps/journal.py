"""The journal of a sweep: one file of rows that survives whatever ends the sweep.

Rows are handed to the system as they come, which outlives the process, and seen onto the disk
within a second, which outlives the machine. A line that a crash tore is dropped when the file is
opened again, and rows are told apart by their address, so that a cell that was played twice counts
once.

A cell whose worker was lost has a row that says so, but may have been out of luck: it is played
again when the file is opened again, and its last row counts.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from holdfast.errors import InvalidInput
from holdfast.files.json_lines import JsonLines
from holdfast.sweeps.cells import Row

__all__ = ["LOST", "Journal"]

FORMAT = 1
# How the reason begins why a cell was not played, where that is its worker's.
LOST = "no worker played it: "
# The longest time that a row may be in the system's memory alone.
SECONDS_TO_DISK = 1.0


class Journal:
    """Rows on disk, by address. Only one process may write it.

    Parameters
    ----------
    path
        A file that ends in .jsonl; it is made if it is not there.
    resume
        Go on with the rows of a file that is there; else a file that is there is refused.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        there = path.exists() and path.stat().st_size > 0
        begun = False
        if there and not resume:
            raise InvalidInput(f"{path} is there already; --resume goes on with it.")
        try:
            self._file: IO[str] = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} can't be written: {error.strerror}.") from None
        self._lock()
        if there:
            begun = self._read()  # under the lock: what looks torn may be another sweep's next line
        self._writing = threading.Lock()
        self._synced = time.monotonic()
        self._timer: threading.Timer | None = None
        if not begun:
            self._append({"format": FORMAT})
            self.flush()

    def __enter__(self) -> Journal:
        """Return the journal; it is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Flush and close."""
        with self._writing:
            self._sync()
            self._file.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows whose address is new: if this process is killed now, they are there."""
        with self._writing:
            for row in rows:
                if row["address"] not in self.rows:
                    self.rows[row["address"]] = row
                    self._append(row)
            self._file.flush()
            left = self._synced + SECONDS_TO_DISK - time.monotonic()
            if left <= 0.0:
                self._sync()
            elif self._timer is None:
                # Of its own accord: the next row may be hours away.
                self._timer = threading.Timer(left, self.flush)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """See all rows onto the disk."""
        with self._writing:
            if not self._file.closed:
                self._sync()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _append(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _lock(self) -> None:
        """Refuse a second writer, where the system can tell."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InvalidInput(f"{self.path} is being written by another sweep.") from None

    def _read(self) -> bool:
        """Read the rows, cut off what a crash left of a line, and return whether there is a header.

        Only that tells a sweep that was begun from one that a crash ended before.
        """
        lines = JsonLines(self.path, FORMAT)
        try:
            entries = lines.load()
            rows = {row["address"]: row for row in entries[1:]}
        except (InvalidInput, KeyError, TypeError):
            self._file.close()
            raise InvalidInput(f"{self.path} is no journal of a sweep.") from None
        self.rows = {own: row for own, row in rows.items() if not _was_lost(row)}
        lines.cut()
        return bool(entries)


def _was_lost(row: Row) -> bool:
    return str(row.get("error") or "").startswith(LOST)
