"""Cost of an audit over shapes of label files: wall time, CPU time of every process, memory.

    python -m benchmarks.audit                    # all shapes, several minutes
    python -m benchmarks.audit tiny skewed        # some
    python -m benchmarks.audit tiny --again       # and once more with the plays that were kept
    python -m benchmarks.audit tiny --quick       # what --quick takes
    python -m benchmarks.audit tiny --cold        # with an empty folder of caches

Goals on two idle cores: 10 s for 50 labels, 60 s for up to 10,000 labels and 1,000 looks, 180 s
for 10^6 labels and 100 looks; 5 s after start-up for --quick; 2 GB. Other work on the machine
stretches the wall time, so beside it stand the CPU seconds: on idle cores an audit takes about what
its first process and its busiest worker take together, the column "idle". The column "before" has
the CPU seconds that commit 9307976 took on the same machine, where they were measured: of the plays
in one process alone, without start-up and page. What an installation does once is done before:
kernels are compiled, and the page's script is bundled (`--cold`: it is not, 1.5 s). Needs Linux.
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
from numpy.typing import NDArray

from holdfast.audit.page.runtime import bundle

__all__ = ["main"]

PROCESSES = 2
QUICK_GOAL = 5
POLL_SECONDS = 0.1


class Case(NamedTuple):
    """What to audit, the goal in seconds, and CPU seconds before plays were made faster."""

    n_examples: int
    n_classes: int
    looks: int
    goal: int
    shares: tuple[float, ...] | None = None
    options: tuple[str, ...] = ()
    before: float | None = None

    def labels(self) -> NDArray[np.uint16]:
        """Return labels of this shape."""
        rng = np.random.default_rng(0)
        drawn = rng.choice(self.n_classes, size=self.n_examples, p=self.shares)
        return drawn.astype(np.uint16)


SKEWED = (0.5, 0.2, 0.1, 0.05, 0.05, 0.04, 0.03, 0.01, 0.01, 0.01)
CASES = {
    "tiny": Case(50, 2, 1000, 10, before=23.2),
    "tiny-skewed": Case(50, 2, 1000, 10, shares=(0.8, 0.2)),
    "tiny-many": Case(50, 10, 1000, 10),
    "rare": Case(10_000, 2, 450, 60, shares=(0.99, 0.01), before=114.0),
    "skewed": Case(10_000, 10, 450, 60, shares=SKEWED, before=92.5),
    "skewed-rounded": Case(10_000, 10, 1000, 60, shares=SKEWED, options=("--rule", "round:2")),
    "two-classes": Case(10_000, 2, 1000, 60, before=45.1),
    "ten-classes": Case(10_000, 10, 1000, 60, before=68.9),
    "hundred-classes": Case(10_000, 100, 1000, 60),
    "accounts": Case(10_000, 10, 200, 60, options=("--accounts", "5", "--rule", "ladder:0.01")),
    "large": Case(50_000, 1000, 1000, 180),
    "million": Case(1_000_000, 10, 100, 180, before=290.5),
}


class Cost(NamedTuple):
    """What one audit took; CPU seconds of every process that took half of one."""

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


def measure(case: Case, *options: str, cache: str) -> Cost:
    """Audit labels of this shape in processes of their own, page included unless it is quick."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "labels.npy"), case.labels())
        script = "import sys; from holdfast.cli import main; sys.exit(main(sys.argv[1:]))"
        words = [f"{folder}/labels.npy", "--looks", str(case.looks), *case.options, *options]
        if "--quick" not in options:
            words += ["--report", f"{folder}/audit.html", "--processes", str(PROCESSES)]
        start = time.perf_counter()
        audit = subprocess.Popen(
            [sys.executable, "-c", script, "audit", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOLDFAST_CACHE_DIR": cache},
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
    return Cost(wall, {pid: seconds for pid, seconds in cpu.items() if seconds >= 0.5}, megabytes)


def _line(name: str, case: Case, what: str, cost: Cost) -> str:
    first, *workers = cost.cpu.values() or [0.0]
    sizes = f"{case.n_examples:,} x {case.n_classes:,}, {case.looks:,} looks"
    before = "" if case.before is None or what != "audit" else f"{case.before:.0f}"
    goal = {"audit": case.goal, "quick": QUICK_GOAL}.get(what, "")
    return (
        f"{name:<16} {what:<6} {sizes:<30} {cost.wall:6.1f} {sum(cost.cpu.values()):6.1f} "
        f"{before:>6} {first + max(workers, default=0.0):6.1f} {goal:>5} {cost.megabytes:7.0f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("case", nargs="*", choices=[*CASES, "all"], default="all")
    parser.add_argument("--again", action="store_true", help="audit twice, with plays kept")
    parser.add_argument("--quick", action="store_true", help="measure --quick instead")
    parser.add_argument("--cold", action="store_true", help="bundle the page's script, too")
    given = parser.parse_args()
    print(
        f"{'shape':<16} {'what':<6} {'examples x classes, looks':<30} {'wall':>6} {'CPU':>6} "
        f"{'before':>6} {'idle':>6} {'goal':>5} {'MB':>7}"
    )
    for name in CASES if "all" in given.case else given.case:
        case = CASES[name]
        with tempfile.TemporaryDirectory() as cache:
            if not given.cold:
                bundle(Path(cache))
            if given.quick:
                print(_line(name, case, "quick", measure(case, "--quick", cache=cache)), flush=True)
                continue
            print(_line(name, case, "audit", measure(case, cache=cache)), flush=True)
            if given.again:
                print(_line(name, case, "again", measure(case, cache=cache)), flush=True)


if __name__ == "__main__":
    main()
