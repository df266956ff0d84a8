"""Ctrl-C: deferred over code that must not stop halfway, and remembered where it gets lost.

Python drops an exception that is raised in a finalizer or in the callback of a weak reference, such
as the import system's, and some libraries import what is optional under a bare `except`. A Ctrl-C
that comes at such a moment would do nothing. A command therefore notes it, and asks now and then.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["deferred_interrupt", "noted_interrupts", "raise_noted"]

# Windows has no signal masks; there a process can be interrupted while it starts.
HAS_MASKS = hasattr(signal, "pthread_sigmask")

# The Ctrl-Cs of the command that runs.
_noted: list[int] = []


@contextmanager
def noted_interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C inside the block, which acts as before; yield the list of them.

    Examples
    --------
    >>> with noted_interrupts() as noted:
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         pass  # as a library might
    ...     len(noted)
    1
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield _noted  # nobody is interrupted here, or in another way than by an exception
        return

    def note(number: int, frame: FrameType | None) -> None:
        _noted.append(number)
        before(number, frame)

    _noted.clear()
    signal.signal(signal.SIGINT, note)
    try:
        yield _noted
    finally:
        signal.signal(signal.SIGINT, before)
        _noted.clear()


def raise_noted() -> None:
    """Raise the interrupt that was noted and got lost, if there was one."""
    if _noted:
        raise KeyboardInterrupt


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
