"""A pool's map on a Dask cluster: the same tasks, on workers of any machine.

The client alone keeps results: each is taken and released as soon as it is there, so that a worker
that dies has nothing of value. Dask gives the tasks of a dead worker to another.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar
from uuid import uuid4

from holdfast.errors import HoldfastError, NotSupported, WorkerLost
from holdfast.experiments.machines import MEMORY, Machines, Ready
from holdfast.experiments.reservations import Reservations
from holdfast.experiments.same_version import needs_holdfast, packed, unpacked
from holdfast.experiments.scheduler import LOCAL, SECONDS_TO_CONNECT, check_cluster
from holdfast.extras import needed_for

__all__ = ["cluster_map", "dashboard", "running_cluster"]

Task = TypeVar("Task")
Result = TypeVar("Result")

# Tasks per thread of a worker: one runs, one waits beside it.
TASKS_PER_THREAD = 2
# What all tasks share travels with each of them up to so many bytes, and is sent ahead beyond.
TRAVELS = 1 << 20


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
        workers have; where workers declare a resource MEMORY, each task reserves so much of it,
        and one that needs more than any of them declares is not sent.
    rehearsals
        Small things that one worker of each machine does before its workers get a task, one
        machine after the other: several may share one home, and the cache that is there.
    workers
        Of a cluster on this machine; one that is there has its own.

    Raises
    ------
    NotSupported
        If no scheduler answers there, or it has no workers.
    """
    with running_cluster(address, workers) as scheduler, _connected(scheduler) as client:
        yield _ClusterMap[Task, Result](client, packed((work, shared)), needs, rehearsals)


def dashboard(address: str) -> str | None:
    """Return where a cluster that runs shows its progress; None: nowhere.

    Raises as `cluster_map` does, so that a cluster that is not there is known before work begins.
    """
    with _connected(address) as client:
        services = client.scheduler_info(n_workers=0)["services"]
        return str(client.dashboard_link) if "dashboard" in services else None


@contextmanager
def running_cluster(address: str, workers: int) -> Iterator[str]:
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
    check_cluster(address)
    from distributed import Client

    try:
        connect: Any = Client
        client = connect(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise NotSupported(
            f"no Dask scheduler answers at {address}: {str(error).splitlines()[0]}"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise NotSupported(f"the Dask scheduler at {address} has no workers yet.")
        yield client


class _ClusterMap(Generic[Task, Result]):
    """The map of a pool on a cluster, whose workers may come and go."""

    def __init__(
        self,
        client: Any,
        instruction: bytes,
        needs: Callable[[Task], int] | None,
        rehearsals: Sequence[Callable[[], object]],
    ) -> None:
        self._client, self._needs = client, needs
        self._reservations = Reservations(needs, None)
        self._machines = Machines(client, rehearsals)
        self._instruction: Any = instruction
        if len(instruction) > TRAVELS:
            self._instruction = client.scatter(instruction, broadcast=True)

    def __call__(
        self,
        tasks: Iterable[Task],
        on_done: Callable[[Task, Result], None] | None = None,
        on_lost: Callable[[Task, HoldfastError], Result] | None = None,
    ) -> Iterator[Result]:
        import distributed
        from distributed.comm.core import CommClosedError

        def lose(task: Task, why: HoldfastError) -> Result:
            if on_lost is None:
                raise why
            return on_lost(task, why)

        waiting, results = self._reservations.over(tasks), dict[int, Result]()
        running: dict[Any, tuple[int, Task]] = {}
        as_completed: Any = distributed.as_completed
        completed, call = as_completed(loop=self._client.loop), uuid4().hex
        given = sent = 0
        try:
            while True:
                ready = self._machines.ready(completed)
                self._reservations.limit_to(ready.bytes)
                taken = waiting.take(max(0, TASKS_PER_THREAD * ready.threads - len(running)))
                for task in taken:
                    need = 0 if self._needs is None else self._needs(task)
                    if ready.declared is not None and need > ready.declared:
                        self._reservations.free(task)
                        results[sent] = lose(task, _too_large(need, ready.declared))
                    else:
                        future = self._submit(task, need, ready, f"holdfast-{call}-{sent}")
                        running[future] = (sent, task)
                        completed.add(future)
                    sent += 1
                while given in results:
                    yield results.pop(given)
                    given += 1
                if not running:
                    if taken:
                        continue  # all of these were refused; others may not be
                    return
                future = next(completed)
                if self._machines.has_rehearsed(future):
                    continue
                at, task = running.pop(future)
                self._reservations.free(task)
                try:
                    with needs_holdfast():
                        results[at] = pickle.loads(future.result())
                except distributed.KilledWorker as error:
                    results[at] = lose(task, _killed(error))
                else:
                    if on_done is not None:
                        on_done(task, results[at])
                finally:
                    future.release()
        except (CancelledError, CommClosedError):
            raise WorkerLost(
                "the Dask scheduler is gone, and what its workers were doing with it."
            ) from None
        finally:
            self._client.cancel(list(running), force=True)

    def _submit(self, task: Task, need: int, ready: Ready, key: str) -> Any:
        reserved = {} if ready.declared is None else {"resources": {MEMORY: need}}
        return self._client.submit(
            _answer,
            self._instruction,
            pickle.dumps(task),
            key=key,
            **reserved,
            **ready.restriction,
        )


def _too_large(need: int, declared: float) -> NotSupported:
    return NotSupported(
        f"it needs about {need / 1e9:.3g} GB, and no worker declares {MEMORY} of more than "
        f"{declared / 1e9:.3g} GB."
    )


def _killed(error: Exception) -> WorkerLost:
    return WorkerLost(
        f"several workers died over one task: {str(error).splitlines()[0]} If memory ran out, give "
        "each more of it."
    )


@lru_cache(maxsize=4)
def _read(instruction: bytes) -> Any:
    return unpacked(instruction)


def _answer(instruction: bytes, task: bytes) -> bytes:
    """Do one task on a worker; its cores are the other workers'."""
    os.environ["HOLDFAST_THREADS"] = "1"
    work, shared = _read(instruction)
    return pickle.dumps(work(shared, pickle.loads(task)))
