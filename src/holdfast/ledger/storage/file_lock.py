"""Queues for one SQLite ledger: of processes, a lock on a file beside it; of threads, turns."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from holdfast.errors import LedgerError

HAVE_LOCKS = True
try:
    import fcntl
except ImportError:  # pragma: no cover - not a POSIX system: SQLite's own locks must do
    HAVE_LOCKS = False

__all__ = ["FileQueue", "FrontOfQueue", "Turns", "lock_path"]

# Longer than any note that is kept in the file.
LONGEST_NOTE: Final = 200


def lock_path(path: Path) -> Path:
    """Return the file whose lock is the place at the front of a ledger's queue.

    Never the ledger itself: closing any handle of a file drops all of a process's POSIX locks on
    it, SQLite's among them.
    """
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + ".lock")


class FrontOfQueue:
    """The front of the queue, with the note that the one before left there."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @property
    def note(self) -> str:
        """What the last one wrote; empty: nothing."""
        return os.pread(self._handle, LONGEST_NOTE, 0).decode(errors="replace").rstrip()

    @note.setter
    def note(self, text: str) -> None:
        # Written over the old one: to cut the file off first would make some systems flush it.
        os.pwrite(self._handle, text.ljust(LONGEST_NOTE).encode(), 0)


class FileQueue:
    """Processes that want to write wait here, in line, instead of polling for SQLite's own lock.

    SQLite's busy handler sleeps and tries again: whoever just wrote gets the lock again before the
    others wake up, and some wait for a second. SQLite's lock is still what keeps writers apart:
    this one only puts them in order, so that nothing is lost where it does not work.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = os.fspath(lock_path(path))
        self._handle = -1
        self._process = -1

    @contextmanager
    def turn(self, patience: float) -> Iterator[FrontOfQueue]:
        """Wait in line, and hold the place until the block ends.

        Raises
        ------
        LedgerError
            The one in front did not move on for `patience` seconds.
        """
        handle = self._locked(patience)
        try:
            yield FrontOfQueue(handle)
        finally:
            if HAVE_LOCKS:
                # Not by closing it: a process that was forked meanwhile has the same handle.
                fcntl.flock(handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file; a place in line that is held is lost."""
        if self._handle >= 0 and self._process == os.getpid():
            with suppress(OSError):
                os.close(self._handle)
        self._handle = -1

    def leave_to_parent(self) -> None:
        """Close the handle that came through a fork: it would keep the parent's place for ever."""
        if self._handle >= 0:
            with suppress(OSError):
                os.close(self._handle)
        self._handle = -1

    def _locked(self, patience: float) -> int:
        while True:
            if self._handle < 0 or self._process != os.getpid():
                flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC
                self._handle = os.open(self._lock, flags, 0o600)
                self._process = os.getpid()
            if not HAVE_LOCKS:  # pragma: no cover
                return self._handle
            handle, self._handle = self._handle, -1
            if not _lock_within(handle, patience):
                raise LedgerError(
                    f"ledger {self._path} can't be used: another process has held it for "
                    f"{patience:g} seconds. Nothing was released."
                )
            self._handle = handle
            if _is_at(handle, self._lock):
                return handle
            self.close()  # somebody removed the file: the others queue at a new one


def _is_at(handle: int, path: str) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    ours = os.fstat(handle)
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def _lock_within(handle: int, patience: float) -> bool:
    """Take the lock; if that takes too long, close the handle and return False.

    A blocking call is what puts a process in line, and it can't be given a limit: so another
    thread makes it, and this one stops waiting.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        return True
    if patience <= 0.0:
        os.close(handle)
        return False
    waiter = _Waiter(handle)
    try:
        waiter.start()
        waiter.join(patience)
    except BaseException:
        if waiter.settle():
            os.close(handle)
        raise
    return waiter.settle()


class _Waiter(threading.Thread):
    """Waits for the lock until it has it; whoever started it may have given up by then."""

    def __init__(self, handle: int) -> None:
        super().__init__(daemon=True, name="holdfast-ledger-queue")
        self._of = handle
        self._changing = threading.Lock()
        self._taken = False
        self._unwanted = False

    def run(self) -> None:
        fcntl.flock(self._of, fcntl.LOCK_EX)
        with self._changing:
            self._taken = True
            if self._unwanted:
                os.close(self._of)

    def settle(self) -> bool:
        """Say whether the lock is ours; if not, it never will be."""
        with self._changing:
            self._unwanted = not self._taken
            return self._taken


class Turns:
    """First come, first served.

    A `threading.Lock` that is let go may be taken again at once by the thread that had it, and
    whoever waits for it waits on; here it is handed to the one that has waited longest. Not
    reentrant.

    Examples
    --------
    >>> turns = Turns()
    >>> with turns:
    ...     turns.waiting
    0
    """

    def __init__(self) -> None:
        self._inner = threading.Lock()
        self._queue: deque[threading.Lock] = deque()
        self._taken = False

    @property
    def waiting(self) -> int:
        """How many threads wait."""
        return len(self._queue)

    def __enter__(self) -> None:
        with self._inner:
            if not self._taken:
                self._taken = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._queue.append(mine)
        try:
            mine.acquire()
        except BaseException:  # interrupted: leave the queue, or pass on what was handed over
            with self._inner:
                if mine in self._queue:
                    self._queue.remove(mine)
                    raise
            self.__exit__()
            raise

    def __exit__(self, *exception: object) -> None:
        with self._inner:
            if self._queue:
                self._queue.popleft().release()
            else:
                self._taken = False
