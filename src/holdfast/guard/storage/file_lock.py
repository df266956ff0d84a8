"""An advisory lock on a file of its own beside an SQLite ledger."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - not a POSIX system: SQLite's own locks must do
    fcntl = None  # type: ignore[assignment]

__all__ = ["lock_path", "locked"]


def lock_path(path: Path) -> Path:
    """Return the file whose lock is the place in the queue for a ledger.

    Never the ledger itself: closing any handle of a file drops all of a process's POSIX locks on
    it, SQLite's among them.
    """
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + ".lock")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a ledger; whoever asks for it meanwhile waits in line."""
    handle = os.open(lock_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
