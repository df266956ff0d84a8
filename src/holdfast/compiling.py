"""Announcement of compilation, which the first use of a kernel after installation waits for.

Kernels are compiled when they are first called and kept on disk, so that later processes only load
them. A library stays silent about that; a program may want to tell its user what takes so long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["announce", "tell", "watch"]

_say: Callable[[], None] | None = None


def announce(say: Callable[[], None] | None) -> None:
    """Set what is called, once, before the first kernel is compiled; None: nothing."""
    global _say
    _say = say


def tell(*_: Any) -> None:
    """Call what was set, unless it was called before."""
    global _say
    say, _say = _say, None
    if say is not None:
        say()


def watch(*, lock: Callable[[], None], unlock: Callable[[], None]) -> None:
    """Tell when numba compiles something; what it finds on disk does not count.

    Parameters
    ----------
    lock, unlock
        Called before and after a kernel is compiled or loaded, in each thread that needs it, and
        once more for every kernel that it is made of.
    """
    from numba.core import event

    class Watcher(event.Listener):
        on_start = staticmethod(tell)
        on_end = staticmethod(lambda *_: None)

    class Locker(event.Listener):
        on_start = staticmethod(lambda *_: lock())
        on_end = staticmethod(lambda *_: unlock())

    event.register("numba:compile", Watcher())  # type: ignore[no-untyped-call]
    event.register("numba:compiler_lock", Locker())  # type: ignore[no-untyped-call]
