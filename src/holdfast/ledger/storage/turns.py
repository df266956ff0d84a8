"""A first-come, first-served lock for threads."""

from __future__ import annotations

import threading
from collections import deque

__all__ = ["Turns"]


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
