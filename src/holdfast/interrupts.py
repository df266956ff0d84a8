"""Ctrl-C: deferred over code that must not stop halfway, and remembered where it gets lost.

Python drops an exception that is raised in a finalizer or in the callback of a weak reference, such
as the import system's, and some libraries import what is optional under a bare `except`. A Ctrl-C
that comes at such a moment would do nothing. A command therefore notes it, and asks now and then.
LLVM ends the process, or prints a traceback, if one of its callbacks is interrupted: a command's
Ctrl-C waits until a kernel is compiled or loaded.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["deferred_interrupt", "hold", "let_go", "noted_interrupts", "raise_noted"]

# Windows has no signal masks; there a process can be interrupted while it starts.
HAS_MASKS = hasattr(signal, "pthread_sigmask")

# The Ctrl-Cs of the command that runs.
_noted: list[int] = []
# Those that wait, and how many blocks of the main thread they wait for, one inside the other.
_waiting: list[int] = []
_blocks = 0


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
        if _blocks:
            _waiting.append(number)
        else:
            before(number, frame)

    _noted.clear()
    _waiting.clear()
    signal.signal(signal.SIGINT, note)
    try:
        yield _noted
    finally:
        signal.signal(signal.SIGINT, before)
        _noted.clear()
        _waiting.clear()


def hold() -> None:
    """Let the Ctrl-C of a command wait from here on, if this is the main thread."""
    global _blocks
    if threading.current_thread() is threading.main_thread():
        _blocks += 1


def let_go() -> None:
    """End what `hold` began, and raise the interrupt that waited, if there is one.

    Examples
    --------
    >>> with noted_interrupts():
    ...     hold()
    ...     signal.raise_signal(signal.SIGINT)  # nothing happens
    ...     try:
    ...         let_go()
    ...     except KeyboardInterrupt:
    ...         print("now")
    now
    """
    global _blocks
    if threading.current_thread() is threading.main_thread():
        _blocks -= 1
        if _waiting and not _blocks:
            _waiting.clear()
            raise KeyboardInterrupt


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
