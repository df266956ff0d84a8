"""A pool of worker processes that are gone when their user is, however it ends.

Workers are started afresh, not forked: a forked copy of a process with threads can hang. Each has
a pipe of its own and one task at a time, or two if they are short, so that no lock, file or socket
needs to be removed. Only the parent hears Ctrl-C; it ends the others.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, TypeVar, cast

from holdfast import compiling
from holdfast.errors import HoldfastError, WorkerLost
from holdfast.experiments.cluster import cluster_map
from holdfast.experiments.reservations import Reservations, free_bytes
from holdfast.interrupts import HAS_MASKS, deferred_interrupt, raise_noted
from holdfast.problem import check_at_least

__all__ = ["LastingMap", "Map", "pool"]

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")
TaskIn = TypeVar("TaskIn", contravariant=True)
ResultOut = TypeVar("ResultOut", covariant=True)

# Seconds that workers have for ending on request before they are killed.
SECONDS_TO_END = 2.0
# Between two looks for a Ctrl-C that got lost, while tasks are on their way.
SECONDS_BETWEEN_QUESTIONS = 1.0
# A worker whose last task took fewer seconds gets the next one before it is done with this.
SHORT_TASK_SECONDS = 0.05
# Workers that may end before they are ready, which is no task's fault, until that is taken for what
# all of them would do.
NEVER_READY = 3
# Bytes that a pipe takes although nobody reads; more could wait for a worker that waits for us.
PIPE_BYTES = 4096
# What a worker sends when it can work, and before it compiles for the first time; no pickle is as
# short.
READY, COMPILING = b"r", b"c"


class Map(Protocol[TaskIn, ResultOut]):
    """What a pool gives: results in the order of the tasks, computed while they are asked for."""

    def __call__(
        self, tasks: Iterable[TaskIn], on_done: Callable[[Any, Any], None] | None = None
    ) -> Iterator[ResultOut]:
        """Yield the results. `on_done` gets each task and its result as soon as it is there.

        An iterator of tasks that has ended is asked again while some are on their way: `on_done`
        may have brought more.
        """


class LastingMap(Map[TaskIn, ResultOut], Protocol[TaskIn, ResultOut]):
    """A map that can go on where workers are lost."""

    def __call__(
        self,
        tasks: Iterable[TaskIn],
        on_done: Callable[[Any, Any], None] | None = None,
        on_lost: Callable[[Any, HoldfastError], Any] | None = None,
    ) -> Iterator[ResultOut]:
        """Yield the results.

        `on_lost` gets a task whose worker ended over it, or that no worker has the memory for, and
        why; what it returns stands for the result, and the others go on. None: that is raised.
        """


@contextmanager
def pool(
    work: Callable[[Shared, Task], Result],
    shared: Shared,
    *,
    processes: int,
    cluster: str | None = None,
    needs: Callable[[Task], int] | None = None,
    rehearsals: Sequence[Callable[[], object]] = (),
) -> Iterator[LastingMap[Task, Result]]:
    """Yield what maps tasks to `work(shared, task)`, here, on several processes, or on a cluster.

    At most two tasks per process are taken from an iterable before their results are there. When
    the block ends, or an exception such as Ctrl-C leaves it, all workers are ended and waited for.

    Parameters
    ----------
    work
        A function of a module, so that workers find it.
    shared
        What all tasks share; sent once to each worker.
    processes
        How many processes to work on; 1: in this one. A script that asks for more needs the usual
        `if __name__ == "__main__":`.
    cluster
        The address of a Dask scheduler to work on instead; "local": as many Dask workers of this
        machine as there would be processes.
    needs
        Tells about how many bytes a task takes: those that run together are kept below what is
        free, and a task that needs more than that runs alone.
    rehearsals
        Small things to do before any task, in one process of a machine, such as
        `holdfast.experiments.rehearsals.suite_rehearsals`: whatever has to be compiled for the
        tasks is then compiled once, and not by several processes that write to one cache. Here,
        workers start meanwhile.

    Raises
    ------
    WorkerLost
        If a worker ends before its task is done and nobody asked to be told, or before it could
        work at all. What a task raises is raised here too.

    Examples
    --------
    >>> with pool(pow, 2, processes=1) as powers:
    ...     list(powers([1, 2, 10]))
    [2, 4, 1024]
    """
    check_at_least("processes", processes, 1)
    if cluster is not None:
        with cluster_map(
            work, shared, cluster, needs=needs, rehearsals=rehearsals, workers=processes
        ) as on_cluster:
            yield on_cluster
        return
    if processes == 1:
        yield _Here(work, shared)
        return
    instruction = pickle.dumps((work, shared))
    workers = _Workers[Task, Result](instruction, processes, Reservations(needs, free_bytes()))
    try:
        if rehearsals:
            workers.hire(processes)
        for rehearse in rehearsals:
            rehearse()
            raise_noted()
        yield workers
    finally:
        workers.end()


class _Here(Generic[Shared, Task, Result]):
    """The map of a pool of one: no process but this."""

    def __init__(self, work: Callable[[Shared, Task], Result], shared: Shared) -> None:
        self._work, self._shared = work, shared

    def __call__(
        self,
        tasks: Iterable[Task],
        on_done: Callable[[Task, Result], None] | None = None,
        on_lost: Callable[[Task, HoldfastError], Result] | None = None,  # noqa: ARG002 - no worker
    ) -> Iterator[Result]:
        for task in tasks:
            raise_noted()
            result = self._work(self._shared, task)
            if on_done is not None:
                on_done(task, result)
            yield result


class _Call(Generic[Result]):
    """One use of the map: what came of its tasks so far, and whom to tell."""

    def __init__(
        self,
        on_done: Callable[[Any, Result], None] | None,
        on_lost: Callable[[Any, HoldfastError], Result] | None,
    ) -> None:
        self.on_done, self.on_lost = on_done, on_lost
        self.results: dict[int, Result] = {}
        self.failures: list[Exception] = []


class _Errand(NamedTuple):
    """A task on its way, and where its result belongs."""

    task: Any
    call: _Call[Any]
    at: int


class _Worker:
    """A process, the pipe to it, and what it has to do, the oldest first."""

    def __init__(self, process: SpawnProcess, pipe: Connection) -> None:
        self.process, self.pipe = process, pipe
        self.errands: deque[_Errand] = deque()
        self.most = 1
        self.ready = False

    @property
    def room(self) -> int:
        """How many more tasks to give it now."""
        return max(0, self.most - len(self.errands))


class _Workers(Generic[Task, Result]):
    """The map of a pool of several processes, which are started when there is work for them."""

    def __init__(
        self, instruction: bytes, processes: int, reservations: Reservations[Task]
    ) -> None:
        self._instruction, self._processes = instruction, processes
        self._reservations = reservations
        self._all: list[_Worker] = []
        self._never_ready = 0

    def __call__(
        self,
        tasks: Iterable[Task],
        on_done: Callable[[Task, Result], None] | None = None,
        on_lost: Callable[[Task, HoldfastError], Result] | None = None,
    ) -> Iterator[Result]:
        waiting = self._reservations.over(tasks)
        call = _Call(on_done, on_lost)
        sent = given = 0
        while True:
            missing = self._processes - len(self._all)
            taken = waiting.take(missing + sum(worker.room for worker in self._all))
            self.hire(min(missing, len(taken) - sum(worker.room for worker in self._all)))
            for task in taken:
                self._send(_Errand(task, call, sent))
                sent += 1
            if given in call.results:
                yield call.results.pop(given)
                given += 1
            elif given < sent or not waiting.ended:
                self._receive()
            else:
                return
            if call.failures:
                raise call.failures[0]
            raise_noted()

    def end(self) -> None:
        """End all workers, within moments, and wait until they are gone."""
        with deferred_interrupt():
            for worker in self._all:
                worker.pipe.close()
                worker.process.terminate()
            latest = time.monotonic() + SECONDS_TO_END
            for worker in self._all:
                worker.process.join(max(0.0, latest - time.monotonic()))
                worker.process.kill()
                worker.process.join()
                worker.process.close()
            self._all.clear()

    def hire(self, number: int) -> None:
        """Start so many more workers."""
        if number <= 0:
            return
        if HAS_MASKS:
            # Started with the first process otherwise, and it would unblock what is deferred.
            resource_tracker.ensure_running()
        with deferred_interrupt():
            fresh = [self._start() for _ in range(number)]
        for worker in fresh:  # after all have been started: one that starts is slow to read
            if not self._tell(worker, self._instruction):
                self._lose(worker)

    def _start(self) -> _Worker:
        spawn = multiprocessing.get_context("spawn")
        pipe, far_end = spawn.Pipe()
        with far_end:
            process = spawn.Process(target=_serve, args=(far_end,), daemon=True)
            process.start()
        worker = _Worker(process, pipe)
        self._all.append(worker)
        return worker

    def _send(self, errand: _Errand) -> None:
        message = pickle.dumps(errand.task)
        while True:
            if not self._all:
                self.hire(1)
            worker = min(self._all, key=lambda worker: len(worker.errands))
            if worker.errands and len(message) > PIPE_BYTES:
                self._receive()
            elif self._tell(worker, message):
                worker.errands.append(errand)
                return
            else:
                self._lose(worker)

    def _tell(self, worker: _Worker, message: bytes) -> bool:
        """Send something; False: nobody is there any more."""
        try:
            worker.pipe.send_bytes(message)
        except OSError:
            return False
        return True

    def _receive(self) -> None:
        """Wait for a result and give it to its call, which may be another or given up."""
        busy = {worker.pipe: worker for worker in self._all if worker.errands}
        while not (ready := wait(list(busy), SECONDS_BETWEEN_QUESTIONS)):
            raise_noted()
        workers = [busy[cast("Connection", pipe)] for pipe in ready]
        lost = [worker for worker in workers if not self._take_in(worker)]
        for worker in lost:  # after all that has come: tasks of the lost are sent anew
            if worker in self._all:
                self._lose(worker)

    def _take_in(self, worker: _Worker) -> bool:
        """Take in one message that has come; False: nobody is there any more."""
        try:
            message = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            return False
        if message == READY:
            worker.ready = True
            return True
        if message == COMPILING:
            compiling.tell()
            return True
        seconds, done, result = pickle.loads(message)
        worker.most = 2 if seconds < SHORT_TASK_SECONDS else 1
        errand = worker.errands.popleft()
        self._reservations.free(errand.task)
        call = errand.call
        if not done:
            call.failures.append(result)
            return True
        call.results[errand.at] = result
        if call.on_done is not None:
            call.on_done(errand.task, result)
        return True

    def _lose(self, worker: _Worker) -> None:
        """Do without a worker that has ended: tell who asked, and give the others what is left."""
        worker.process.join(SECONDS_TO_END)
        while worker.pipe.poll() and self._take_in(worker):
            pass  # what it had done before
        loss = WorkerLost(
            f"a worker process ended before its work was done, with exit code "
            f"{worker.process.exitcode}; if memory ran out, fewer processes need less."
        )
        tells = bool(worker.errands) and worker.errands[0].call.on_lost is not None
        self._never_ready += not worker.ready
        if (worker.errands and not tells) or self._never_ready > NEVER_READY:
            raise loss
        self._all.remove(worker)
        worker.pipe.close()
        worker.process.kill()
        worker.process.join()
        worker.process.close()
        if worker.ready and worker.errands:
            errand = worker.errands.popleft()
            self._reservations.free(errand.task)
            call = errand.call
            assert call.on_lost is not None
            call.results[errand.at] = call.on_lost(errand.task, loss)
        for other in worker.errands:  # these had not begun
            self._send(other)


def _serve(pipe: Connection) -> None:
    """Work on what comes through the pipe until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    os.environ["HOLDFAST_THREADS"] = "1"  # the cores are taken by the other workers
    compiling.announce(lambda: pipe.send_bytes(COMPILING))
    try:
        work, shared = pickle.loads(pipe.recv_bytes())
        pipe.send_bytes(READY)
        while True:
            pipe.send_bytes(_answer(work, shared, pickle.loads(pipe.recv_bytes())))
    except (EOFError, ConnectionError, SystemExit):
        # The parent has gone, or wants no more. Whatever is to be removed is removed; taking every
        # module apart as well would keep the parent waiting for a quarter of a second.
        atexit._run_exitfuncs()
        os._exit(0)


def _leave(*_: object) -> NoReturn:
    """End silently, but past every `finally`: a file that is half written gets removed."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the rest of this process's life
    raise SystemExit


def _answer(work: Callable[[Any, Any], Any], shared: Any, task: Any) -> bytes:
    start = time.perf_counter()
    try:
        result = work(shared, task)
        return pickle.dumps((time.perf_counter() - start, True, result))
    except Exception as error:  # whatever it is, the parent raises it
        return _packed(error)


def _packed(error: Exception) -> bytes:
    """Return the error for the parent, with the traceback that would be lost on the way."""
    seen = "".join(traceback.format_exception(error))
    try:
        error.add_note(f"In a worker process:\n{seen}")
        packed = pickle.dumps((0.0, False, error))
        pickle.loads(packed)
    except Exception:  # an error that can't travel
        return pickle.dumps((0.0, False, RuntimeError(f"in a worker process:\n{seen}")))
    return packed
