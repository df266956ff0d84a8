"""The machines of a Dask cluster: which have rehearsed, and what their workers can take."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.experiments.same_version import needs_holdfast, packed, unpacked

__all__ = ["MEMORY", "Machines", "Ready"]

# The resource that workers may declare (`dask worker --resources MEMORY=...`), in bytes.
MEMORY = "MEMORY"


class Ready(NamedTuple):
    """What the workers that may get tasks at this moment can take.

    Parameters
    ----------
    threads
        Of all of them.
    bytes
        The memory of all of them; None: it is not limited.
    declared
        The most MEMORY that one of them declares; None: not all of them do.
    restriction
        How a task is told where it may run; empty: anywhere.
    """

    threads: int
    bytes: int | None
    declared: float | None
    restriction: Mapping[str, Any]


class Machines:
    """Machines that rehearse one after the other, each as its first worker comes.

    Parameters
    ----------
    client
        Of the cluster.
    rehearsals
        What one worker of each machine does before others of it get a task.
    """

    def __init__(self, client: Any, rehearsals: Sequence[Callable[[], object]]) -> None:
        self._client = client
        self._packed = packed(list(rehearsals)) if rehearsals else None
        self._rehearsed: set[str] = set()
        # A rehearsal, its machine, and among which futures it is waited for.
        self._under_way: tuple[Any, str, Any] | None = None

    def ready(self, completed: Any) -> Ready:
        """Return what can be given to workers now.

        The first machine rehearses before this returns. For another one that has come, a rehearsal
        is sent, and added to the futures that are waited for.
        """
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if self._packed is not None:
            self._rehearse(workers, completed)
        able = {
            address: each
            for address, each in workers.items()
            if self._packed is None or each["host"] in self._rehearsed
        }
        # If the only machine that had rehearsed is gone, the work goes on all the same.
        able = able or workers
        limits = [each["memory_limit"] for each in able.values()]
        declared = [each["resources"].get(MEMORY) for each in able.values()]
        restriction = {"workers": list(able), "allow_other_workers": True}
        return Ready(
            max(1, sum(each["nthreads"] for each in able.values())),
            sum(limits) if limits and all(limits) else None,
            max(declared) if declared and None not in declared else None,
            restriction if len(able) < len(workers) else {},
        )

    def has_rehearsed(self, future: Any) -> bool:
        """Tell whether a future was a rehearsal, whose machine is then ready."""
        if self._under_way is None or future is not self._under_way[0]:
            return False
        self._finish()
        return True

    def _rehearse(self, workers: Mapping[str, Any], completed: Any) -> None:
        if self._under_way is not None:
            future, host, among = self._under_way
            if among is not completed:  # of a use of the map that has ended
                self._under_way = future, host, completed
                completed.add(future)
            return
        first = {each["host"]: address for address, each in workers.items()}
        new = [host for host in first if host not in self._rehearsed]
        if not new:
            return
        future = self._client.submit(
            _rehearse,
            self._packed,
            workers=[first[new[0]]],
            # A worker that dies meanwhile may come back under another address.
            allow_other_workers=True,
            pure=False,
        )
        self._under_way = future, new[0], completed
        if self._rehearsed:
            completed.add(future)
        else:
            self._finish()
            self._rehearse(workers, completed)

    def _finish(self) -> None:
        """Wait for the rehearsal, and count its machine as ready."""
        from distributed import KilledWorker

        assert self._under_way is not None
        (future, host, _), self._under_way = self._under_way, None
        self._rehearsed.add(host)
        try:
            with needs_holdfast():
                future.result()
        except KilledWorker:
            pass  # somebody else's attack ends its process; what comes of its tasks is told there
        finally:
            future.release()


def _rehearse(message: bytes) -> None:
    """Rehearse on a worker."""
    os.environ["HOLDFAST_THREADS"] = "1"
    for rehearse in unpacked(message):
        rehearse()
