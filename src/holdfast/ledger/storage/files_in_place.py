"""The files of an open SQLite ledger, compared with those at its path."""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path
from typing import TypeAlias

from holdfast.errors import LedgerError
from holdfast.ledger.storage.note import stamp

__all__ = ["Files", "has_log", "refuse_mounted_file", "refuse_wide_modes"]

# What is mounted where, on Linux: the fifth field of each line.
MOUNT_TABLE = "/proc/self/mountinfo"

# Device and inode: what a path names, whatever it holds.
Identity: TypeAlias = tuple[int, int]


class Files:
    """The file, its log and the log's index, as they were when a connection opened them.

    A file that is removed or replaced stays usable for whoever has it open: without this check a
    guard would go on answering into a ledger that nobody else will ever see. SQLite keeps the log
    and its index as long as anybody has the file open, so those must stay in place, too. They are
    found by the file's name: under a second name, a hard link, the same file has another log.
    """

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._main = _identity(self._path)
        self._beside: dict[str, Identity | None] = {}

    def opened(self) -> None:
        """Note what is beside the file, now that SQLite has read it."""
        real = os.path.realpath(self._path)
        places = [real + suffix for suffix in ("-wal", "-shm")]
        self._beside = {place: _identity(place) for place in places}
        self.check()

    def check(self) -> str:
        """Raise unless the files at the path are those that were opened; return a stamp of it."""
        try:
            status = os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            raise self._gone("it was removed or moved") from None
        if (status.st_dev, status.st_ino) != self._main:
            raise self._gone("another file is in its place")
        if status.st_nlink > 1:
            raise LedgerError(
                f"ledger {self._path} can't be used: the file has another name (a hard link), and "
                "looks through one name would be unknown through the other; make a copy with "
                "holdfast ledger backup instead, and remove that name. Nothing was released."
            )
        for place, identity in self._beside.items():
            if _identity(place) != identity:
                name = os.path.basename(place)
                raise self._gone(f"{name}, which is part of it, was removed or replaced")
        return stamp(status)

    def _gone(self, what: str) -> LedgerError:
        return LedgerError(
            f"ledger {self._path} is not the one that was opened: {what}. Nothing was released."
        )


def refuse_wide_modes(path: Path) -> None:
    """Raise if others than its owner may read or change the ledger, or what SQLite has beside it.

    Entries show to whom they are shown which teams look, and what they were told; and whoever may
    write can take looks back.
    """
    if os.name != "posix":
        return
    real = Path(os.path.realpath(path))
    for place in (real, real.with_name(real.name + "-wal"), real.with_name(real.name + "-shm")):
        try:
            mode = stat.S_IMODE(os.stat(place).st_mode)
        except FileNotFoundError:
            continue
        if mode & 0o077:
            raise LedgerError(
                f"ledger {path} can't be used: {place.name} must be its owner's alone, got mode "
                f"{mode:04o}; run: chmod 600 {shlex.quote(str(place))} (or, where a platform "
                f"mounts it so, name it sqlite:///{path}?shared=true). Nothing was released."
            )


def has_log(path: Path) -> bool:
    """Tell whether a ledger's log lies beside it, with anything in it."""
    real = Path(os.path.realpath(path))
    try:
        return os.stat(real.with_name(real.name + "-wal")).st_size > 0
    except FileNotFoundError:
        return False


def refuse_mounted_file(path: Path) -> None:
    """Raise if the file is mounted without its folder: then its log lies elsewhere.

    A container that mounts the file alone keeps the newest looks in a folder of its own, where
    no other sees them, and which may be thrown away with them.
    """
    real = os.path.realpath(path)
    try:
        lines = Path(MOUNT_TABLE).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return
    # Blanks and the like are written as a backslash and three octal digits.
    points = (re.sub(r"\\([0-7]{3})", _letter, line.split(" ")[4]) for line in lines if line)
    if real in points:
        raise LedgerError(
            f"ledger {path} can't be used: the file is mounted by itself, so its log would lie "
            "elsewhere; mount its folder instead. Nothing was released."
        )


def _letter(octal: re.Match[str]) -> str:
    return chr(int(octal[1], 8))


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino
