"""A pool's map on a Dask cluster: the same tasks, on workers of any machine.

The client alone keeps results: each is taken and released as soon as it is there, so that a worker
that dies has nothing of value. Dask gives the tasks of a dead worker to another.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar
from uuid import uuid4

from holdfast.errors import NotSupported, WorkerLost
from holdfast.experiments.reservations import Reservations, Waiting
from holdfast.extras import needed_for

__all__ = ["cluster_map", "dashboard"]

Task = TypeVar("Task")
Result = TypeVar("Result")

# Instead of an address: a cluster of this machine's own, for as long as it is needed.
LOCAL = "local"
# Seconds to wait for a scheduler that may not be there.
SECONDS_TO_CONNECT = 10
# Tasks per thread of a worker: one runs, one waits beside it.
TASKS_PER_THREAD = 2
# What all tasks share travels with each of them up to so many bytes, and is sent ahead beyond.
TRAVELS = 1 << 20
# The resource that workers may declare (`dask worker --resources MEMORY=...`), in bytes.
MEMORY = "MEMORY"


@contextmanager
def cluster_map(
    work: Callable[[Any, Task], Result],
    shared: Any,
    address: str,
    *,
    needs: Callable[[Task], int] | None = None,
    rehearsals: Sequence[Callable[[], object]] = (),
    workers: int = 1,
) -> Iterator[_ClusterMap[Task, Result]]:
    """Yield what maps tasks to `work(shared, task)` on the cluster with that address.

    Parameters
    ----------
    work
        A function of a module that is installed on the workers.
    shared
        What all tasks share.
    address
        Of the scheduler, such as tcp://127.0.0.1:8786; "local" starts one on this machine.
    needs
        Tells about how many bytes a task takes. Tasks that run together are kept below what all
        workers have; where workers declare a resource MEMORY, each task reserves so much of it.
    rehearsals
        Small things that one worker of each machine does before any task.
    workers
        Of a cluster on this machine; one that is there has its own.

    Raises
    ------
    NotSupported
        If no scheduler answers there, or it has no workers.
    """
    with _running(address, workers) as scheduler, _connected(scheduler) as client:
        on_cluster = _ClusterMap[Task, Result](client, pickle.dumps((work, shared)), needs)
        on_cluster.rehearse(rehearsals)
        yield on_cluster


def dashboard(address: str) -> str | None:
    """Return where the cluster shows its progress; None: nowhere, or it is not started yet.

    Raises as `cluster_map` does, so that a cluster that is not there is known before work begins.
    """
    if address == LOCAL:
        with needed_for("a cluster"):
            import distributed  # noqa: F401 - only whether it is there
        return None
    with _connected(address) as client:
        services = client.scheduler_info(n_workers=0)["services"]
        return str(client.dashboard_link) if "dashboard" in services else None


@contextmanager
def _running(address: str, workers: int) -> Iterator[str]:
    """Yield the address of a scheduler that runs: a local one is started, and ended at the end."""
    if address != LOCAL:
        yield address
        return
    with needed_for("a cluster"):
        from distributed import LocalCluster
    start: Any = LocalCluster
    with start(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
    ) as local:
        yield local.scheduler_address


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Yield a client of the cluster."""
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
        yield client


class _ClusterMap(Generic[Task, Result]):
    """The map of a pool on a cluster."""

    def __init__(
        self, client: Any, instruction: bytes, needs: Callable[[Task], int] | None
    ) -> None:
        self._client, self._needs = client, needs
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [each["memory_limit"] for each in workers]
        self._reservations = Reservations(needs, sum(limits) if all(limits) else None)
        self._reserves = all(MEMORY in each["resources"] for each in workers)
        self._instruction: Any = instruction
        if len(instruction) > TRAVELS:
            self._instruction = client.scatter(instruction, broadcast=True)

    def rehearse(self, rehearsals: Sequence[Callable[[], object]]) -> None:
        """Let one worker of each machine rehearse, one thing after the other."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        chosen = {each["host"]: address for address, each in workers.items()}
        packed = pickle.dumps(list(rehearsals))
        done = [
            self._client.submit(_rehearse, packed, workers=[address], pure=False)
            for address in chosen.values()
            if rehearsals
        ]
        self._client.gather(done)

    def __call__(
        self, tasks: Iterable[Task], on_done: Callable[[Task, Result], None] | None = None
    ) -> Iterator[Result]:
        import distributed

        waiting, results = self._reservations.over(tasks), dict[int, Result]()
        running: dict[Any, tuple[int, Task]] = {}
        as_completed: Any = distributed.as_completed
        completed, call = as_completed(loop=self._client.loop), uuid4().hex
        given = 0
        self._sent = 0
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
                    self._reservations.free(task)
                self._fill(waiting, running, completed, call)
                if on_done is not None:
                    on_done(task, results[at])
                while given in results:
                    yield results.pop(given)
                    given += 1
        finally:
            self._client.cancel(list(running), force=True)

    def _fill(self, waiting: Waiting[Task], running: dict[Any, Any], done: Any, call: str) -> None:
        """Send as many tasks as the workers of this moment can take."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        most = TASKS_PER_THREAD * max(1, sum(each["nthreads"] for each in workers))
        for task in waiting.take(max(0, most - len(running))):
            reserved = {}
            if self._reserves and self._needs is not None:
                reserved = {"resources": {MEMORY: self._needs(task)}}
            future = self._client.submit(
                _answer,
                self._instruction,
                pickle.dumps(task),
                key=f"holdfast-{call}-{self._sent}",
                **reserved,
            )
            running[future] = (self._sent, task)
            self._sent += 1
            done.add(future)


@lru_cache(maxsize=4)
def _read(instruction: bytes) -> Any:
    return pickle.loads(instruction)


def _rehearse(packed: bytes) -> None:
    """Rehearse on a worker."""
    os.environ["HOLDFAST_THREADS"] = "1"
    for rehearse in pickle.loads(packed):
        rehearse()


def _answer(instruction: bytes, task: bytes) -> bytes:
    """Do one task on a worker; its cores are the other workers'."""
    os.environ["HOLDFAST_THREADS"] = "1"
    work, shared = _read(instruction)
    return pickle.dumps(work(shared, pickle.loads(task)))
