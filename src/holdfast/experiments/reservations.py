"""Reservations of memory: tasks that run together need no more than there is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["Reservations", "Waiting", "free_bytes"]

Task = TypeVar("Task")

# Of the memory that is free, the share that tasks may take.
SHARE = 0.8


def free_bytes() -> int | None:
    """Return how much memory is free on this machine; None where nothing tells it."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return int(next(each for each in lines if "MemAvailable" in each).split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return None


class Reservations(Generic[Task]):
    """What the tasks that run at present need together.

    Parameters
    ----------
    needs
        Tells about how many bytes a task takes; None: nothing is reserved.
    free
        How many bytes there are; None: nobody knows, and nothing is reserved.

    Examples
    --------
    >>> waiting = Reservations(lambda task: task, 100).over([50, 20, 30, 500])
    >>> waiting.take(4)
    [50, 20]
    """

    def __init__(self, needs: Callable[[Task], int] | None, free: int | None) -> None:
        self._needs = needs or _nothing
        self._running, self._reserved = 0, 0
        self.limit_to(free)

    def limit_to(self, free: int | None) -> None:
        """Set how many bytes there are: on a cluster that changes as workers come and go."""
        self._limit = math.inf if free is None else SHARE * free

    def over(self, tasks: Iterable[Task]) -> Waiting[Task]:
        """Return tasks that are taken as they fit."""
        return Waiting(self, tasks)

    def take(self, task: Task) -> bool:
        """Reserve what a task needs, if it fits beside those that run; alone it always does."""
        need = self._needs(task)
        if self._running and self._reserved + need > self._limit and need:
            return False
        self._running += 1
        self._reserved += need
        return True

    def free(self, task: Task) -> None:
        """Give back what a task that is done needed."""
        self._running -= 1
        self._reserved -= self._needs(task)


def _nothing(task: object) -> int:
    del task
    return 0


class Waiting(Generic[Task]):
    """Tasks in their order; one that does not fit at present keeps the others waiting.

    An iterator that has ended is asked again at the next call: it may have got more meanwhile.
    """

    def __init__(self, reservations: Reservations[Task], tasks: Iterable[Task]) -> None:
        self._reservations, self._tasks = reservations, iter(tasks)
        self._held: list[Task] = []
        self.ended = False

    def take(self, most: int) -> list[Task]:
        """Return the next tasks that fit, so many at most."""
        taken: list[Task] = []
        self.ended = False
        while len(taken) < most and not self.ended:
            if not self._held:
                self._held.extend(self._next())
            if self._held and not self._reservations.take(self._held[0]):
                break
            taken += self._held
            self._held.clear()
        return taken

    def _next(self) -> list[Task]:
        for task in self._tasks:
            return [task]
        self.ended = True
        return []
