"""Timing side by side: a measurement, what it is compared with, and the ratio of the two."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Comparison", "best_seconds", "peak_megabytes", "show"]


class Comparison(NamedTuple):
    """One line of the report."""

    what: str
    seconds: float
    against: str
    against_seconds: float
    goal: str

    @property
    def ratio(self) -> float:
        """How many times longer it took than what it is compared with."""
        return self.seconds / self.against_seconds


def best_seconds(run: Callable[[], object], *, repeats: int) -> float:
    """Return the shortest of several runs: what the machine can do when nothing disturbs it."""
    shortest = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def peak_megabytes() -> float:
    """Return the largest resident memory of this process so far.

    Linux keeps it per program; getrusage would count what the parent held when it forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return float(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show(comparison: Comparison) -> None:
    """Print one comparison."""
    faster = comparison.ratio < 1
    times = 1 / comparison.ratio if faster else comparison.ratio
    word = "faster" if faster else "slower"
    print(f"{comparison.what}: {comparison.seconds:.3f} s", flush=True)
    print(
        f"    {times:.2f} times {word} than {comparison.against} "
        f"({comparison.against_seconds:.3f} s); goal: {comparison.goal}",
        flush=True,
    )
