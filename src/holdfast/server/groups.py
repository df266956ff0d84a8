"""Group commit: looks that wait together are answered together, by one thread.

A commit waits for the disk, and threads that take turns at one ledger wait for each other. So one
thread answers whatever has come in meanwhile, in one transaction. Each look is answered only after
the commit that it is in.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from holdfast.errors import LedgerError

__all__ = ["Groups"]

Asked = TypeVar("Asked")
Told = TypeVar("Told")

# A group that is longer makes its first look wait for its last one.
LARGEST_GROUP = 16
# How long the next look waits for company after a group of several.
LINGER_SECONDS = 0.001


class Groups(Generic[Asked, Told]):
    """A queue in front of a function that answers several requests at once.

    Parameters
    ----------
    answer
        Returns what each request gets, or the exception that it ends with.
    """

    def __init__(self, answer: Callable[[Sequence[Asked]], Sequence[Told | Exception]]) -> None:
        self._answer = answer
        self._waiting: deque[tuple[Asked, asyncio.Future[Told]]] = deque()
        self._changing = Lock()
        self._busy = self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="holdfast-looks")

    async def ask(self, asked: Asked) -> Told:
        """Wait in line, and return the answer."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Told] = loop.create_future()
        with self._changing:
            if self._closed:
                raise LedgerError("the server is ending. Nothing was released.")
            self._waiting.append((asked, future))
            if not self._busy:
                self._thread.submit(self._work)
                self._busy = True
        return await future

    def close(self) -> None:
        """Answer those who wait, and end the thread."""
        with self._changing:
            self._closed = True
        self._thread.shutdown()

    def _work(self) -> None:
        size = 0
        while True:
            # Those who were just answered together ask again together, a moment later.
            if len(self._waiting) < size:
                time.sleep(LINGER_SECONDS)
            with self._changing:
                size = min(len(self._waiting), LARGEST_GROUP)
                group = [self._waiting.popleft() for _ in range(size)]
                self._busy = bool(group)
            size = size if size > 1 else 0
            if not group:
                return
            told: Sequence[Told | Exception]
            try:
                told = self._answer([asked for asked, _ in group])
            except Exception as error:  # so that nobody waits for ever
                told = [error] * len(group)
            futures = [future for _, future in group]
            futures[0].get_loop().call_soon_threadsafe(_deliver, futures, told)


def _deliver(futures: Sequence[asyncio.Future[Told]], told: Sequence[Told | Exception]) -> None:
    for future, each in zip(futures, told, strict=True):
        if future.done():  # whoever asked has gone
            continue
        if isinstance(each, Exception):
            future.set_exception(each)
        else:
            future.set_result(each)
