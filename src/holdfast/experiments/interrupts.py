"""Deferral of Ctrl-C over code that must not stop halfway."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deferred_interrupt"]

# Windows has no signal masks; there a process can be interrupted while it starts.
HAS_MASKS = hasattr(signal, "pthread_sigmask")


@contextmanager
def deferred_interrupt() -> Iterator[None]:
    """Let a Ctrl-C that comes inside the block act after it, just as it would have acted.

    Processes that are started inside are born with the signal blocked, so that the Ctrl-C of a
    terminal, which goes to all of them, finds none in a state where it prints a traceback.
    """
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    # Only the main thread can be interrupted, and a handler that isn't Python's can't be put back.
    mine = threading.current_thread() is threading.main_thread() and handler is not None
    if mine:
        # The mask alone would not do: the signal may reach a thread of a numerical library.
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    if HAS_MASKS:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if HAS_MASKS:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if mine:
            signal.signal(signal.SIGINT, handler)
            if came:
                signal.raise_signal(signal.SIGINT)
