"""Threads over slices of an array, for kernels that release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

from holdfast.cores import available_cores

__all__ = ["over_slices"]


def _cores() -> int:
    """Cores to use here; HOLDFAST_THREADS overrides their number (1 inside worker processes)."""
    wanted = os.environ.get("HOLDFAST_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return available_cores()


@cache
def _pool(process: int, workers: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a forked child needs its own
    return ThreadPoolExecutor(workers, thread_name_prefix="holdfast")


def over_slices(run: Callable[[slice], object], size: int, *, least: int) -> None:
    """Call `run` on slices that cover range(size), in parallel when there are `least` per slice.

    The result must not depend on how the range is cut: same answer on every machine.
    """
    workers = size // max(least, 1)
    # Short arrays come by the hundred thousand: how many cores there are is not asked for them.
    if workers <= 1 or (workers := min(workers, _cores())) <= 1:
        run(slice(0, size))
        return
    edges = [size * part // workers for part in range(workers + 1)]
    slices = [slice(low, high) for low, high in pairwise(edges)]
    for done in _pool(os.getpid(), workers).map(run, slices):
        del done
