"""A pool's map on a Dask cluster: the same tasks, on workers of any machine.

The client alone keeps results: each is taken and released as soon as it is there, so that a worker
that dies has nothing of value. Dask gives the tasks of a dead worker to another.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar
from uuid import uuid4

from holdfast.errors import NotSupported, WorkerLost
from holdfast.extras import needed_for

__all__ = ["cluster_map"]

Task = TypeVar("Task")
Result = TypeVar("Result")

# Seconds to wait for a scheduler that may not be there.
SECONDS_TO_CONNECT = 10
# Tasks per thread of a worker: one runs, one waits beside it.
TASKS_PER_THREAD = 2
# What all tasks share travels with each of them up to so many bytes, and is sent ahead beyond.
TRAVELS = 1 << 20


@contextmanager
def cluster_map(
    work: Callable[[Any, Task], Result], shared: Any, address: str
) -> Iterator[_ClusterMap[Task, Result]]:
    """Yield what maps tasks to `work(shared, task)` on the cluster with that address.

    Parameters
    ----------
    work
        A function of a module that is installed on the workers.
    shared
        What all tasks share.
    address
        Of the scheduler, such as tcp://127.0.0.1:8786.

    Raises
    ------
    NotSupported
        If no scheduler answers there, or it has no workers.
    """
    with needed_for("a cluster"):
        from distributed import Client
    try:
        connect: Any = Client
        client = connect(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NotSupported(
            f"no Dask scheduler answers at {address}: {str(error).splitlines()[0]}"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise NotSupported(f"the Dask scheduler at {address} has no workers yet.")
        yield _ClusterMap(client, pickle.dumps((work, shared)))


class _ClusterMap(Generic[Task, Result]):
    """The map of a pool on a cluster."""

    def __init__(self, client: Any, instruction: bytes) -> None:
        self._client = client
        self._instruction: Any = instruction
        if len(instruction) > TRAVELS:
            self._instruction = client.scatter(instruction, broadcast=True)

    def __call__(
        self, tasks: Iterable[Task], on_done: Callable[[Task, Result], None] | None = None
    ) -> Iterator[Result]:
        import distributed

        waiting, results = enumerate(tasks), dict[int, Result]()
        running: dict[Any, tuple[int, Task]] = {}
        as_completed: Any = distributed.as_completed
        completed, call = as_completed(loop=self._client.loop), uuid4().hex
        given = 0
        try:
            self._fill(waiting, running, completed, call)
            while running:
                future = next(completed)
                at, task = running.pop(future)
                try:
                    results[at] = pickle.loads(future.result())
                except distributed.KilledWorker as error:
                    raise WorkerLost(
                        f"several workers died over one task: {error}; if memory ran out, give "
                        "each more of it."
                    ) from None
                finally:
                    future.release()
                self._fill(waiting, running, completed, call)
                if on_done is not None:
                    on_done(task, results[at])
                while given in results:
                    yield results.pop(given)
                    given += 1
        finally:
            self._client.cancel(list(running), force=True)

    def _fill(
        self, waiting: Iterator[tuple[int, Task]], running: dict[Any, Any], done: Any, call: str
    ) -> None:
        """Send as many tasks as the workers of this moment can take."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        most = TASKS_PER_THREAD * max(1, sum(each["nthreads"] for each in workers))
        while len(running) < most:
            at, task = next(waiting, (None, None))
            if at is None:
                return
            future = self._client.submit(
                _answer, self._instruction, pickle.dumps(task), key=f"holdfast-{call}-{at}"
            )
            running[future] = (at, task)
            done.add(future)


@lru_cache(maxsize=4)
def _read(instruction: bytes) -> Any:
    return pickle.loads(instruction)


def _answer(instruction: bytes, task: bytes) -> bytes:
    """Do one task on a worker; its cores are the other workers'."""
    os.environ["HOLDFAST_THREADS"] = "1"
    work, shared = _read(instruction)
    return pickle.dumps(work(shared, pickle.loads(task)))
