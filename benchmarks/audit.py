"""What an audit costs: wall time, CPU time of every process, and memory.

    python -m benchmarks.audit            # both sizes
    python -m benchmarks.audit small      # n = 10,000, m = 10, 1,000 looks: goal 60 s on two cores
    python -m benchmarks.audit large      # n = 50,000, m = 1,000, 1,000 looks: goal 180 s

Goals: under these times and 2 GB. Other work on the machine stretches the wall time, so beside it
stand the CPU seconds of each process: on idle cores an audit takes about what its first process
and its busiest worker take together, which is printed as "idle". Needs Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["main"]

PROCESSES = 2
POLL_SECONDS = 0.1


class Case(NamedTuple):
    """What to audit, and the goal in seconds."""

    n_examples: int
    n_classes: int
    looks: int
    goal: int


CASES = {"small": Case(10_000, 10, 1000, 60), "large": Case(50_000, 1000, 1000, 180)}


class Cost(NamedTuple):
    """What one audit took; CPU seconds of every process that took at least one."""

    wall: float
    cpu: dict[int, float]
    megabytes: float


def _tree(root: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [root]
    for pid in found:
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def _usage(pid: int) -> tuple[float, float]:
    """Return a process's CPU seconds and its resident megabytes."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(case: Case) -> Cost:
    """Audit uniform labels in processes of their own, page included."""
    labels = np.random.default_rng(0).integers(case.n_classes, size=case.n_examples)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "labels.npy"), labels.astype(np.uint16))
        script = "import sys; from holdfast.cli import main; sys.exit(main(sys.argv[1:]))"
        options = [f"{folder}/labels.npy", "--looks", str(case.looks)]
        options += ["--report", f"{folder}/audit.html", "--processes", str(PROCESSES)]
        start = time.perf_counter()
        audit = subprocess.Popen(
            [sys.executable, "-c", script, "audit", *options], stdout=subprocess.DEVNULL
        )
        cpu: dict[int, float] = {}
        megabytes = 0.0
        while audit.poll() is None:
            used = {pid: _usage(pid) for pid in _tree(audit.pid)}
            cpu |= {pid: max(seconds, cpu.get(pid, 0.0)) for pid, (seconds, _) in used.items()}
            # Pages that processes share are counted for each of them: an upper estimate.
            megabytes = max(megabytes, sum(resident for _, resident in used.values()))
            time.sleep(POLL_SECONDS)
        wall = time.perf_counter() - start
    if audit.returncode != 0:
        raise SystemExit(f"the audit ended with exit code {audit.returncode}")
    return Cost(wall, {pid: seconds for pid, seconds in cpu.items() if seconds >= 1.0}, megabytes)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("case", nargs="*", choices=[*CASES, "all"], default="all")
    named = parser.parse_args().case
    for name in CASES if "all" in named else named:
        case = CASES[name]
        cost = measure(case)
        first, *workers = cost.cpu.values()
        print(
            f"audit of n = {case.n_examples:,}, m = {case.n_classes:,}, {case.looks:,} looks: "
            f"wall {cost.wall:.0f} s, CPU {sum(cost.cpu.values()):.0f} s "
            f"({' + '.join(f'{seconds:.0f}' for seconds in cost.cpu.values())}), "
            f"idle about {first + max(workers, default=0.0):.0f} s (goal {case.goal}), "
            f"peak memory {cost.megabytes:.0f} MB (goal 2,000)"
        )


if __name__ == "__main__":
    main()
