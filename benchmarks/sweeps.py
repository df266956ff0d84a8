"""Sweeps: the same rows everywhere, what a crash costs, and what the runner adds.

Rows: 2,000 cells (`--cells`) in this process, on two processes, on a Dask cluster of two workers,
on both with a worker killed after some of the rows, early and late, and resumed after `kill -9` of
the client in each of the three. Rows that differ, rows that are there twice, and plays beyond one
per cell are counted: the attacks log their plays.

Overhead: what the runner adds to plays of some 50 ms and of half a second, in turns with the plays
alone (processor time).

Times: two processes against one, and Dask against local processes for cells of half a second (wall
time: nothing else may run beside it). One thread per process everywhere. About six minutes in all
on two idle cores.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.logged_attack import LOG
from holdfast.experiments.label_kinds import hidden_labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.sweeps import Experiment, Journal, run, running
from holdfast.sweeps.cells import MEASURED
from holdfast.sweeps.references import find_attack

OWN = Path(__file__).with_name("logged_attack.py")
# Large enough that workers are still busy when one of them is killed.
CELLS = 2000
GRID: dict[str, Any] = {
    "attacks": [f"{OWN}:LoggedMajority", f"{OWN}:LoggedBayes"],
    "rules": ["exact", "gaussian:0.01"],
    "problems": [(1500, 3, 60), (2000, 10, 50), (1000, 2, 40), (2500, 5, 30), (1200, 4, 25)],
}
# Of the rows, how many there are when a worker is killed.
KILLED_AFTER = (0.025, 0.1, 0.165, 0.35)
# Cells of the grid for each seed.
CELLS_PER_SEED = 20
# Cells of 50 ms and more, and of half a second and more.
SHORT: dict[str, Any] = {"attacks": ["naive-bayes"], "problems": [(20_000, 10, 700)]}
LONG: dict[str, Any] = {"attacks": ["naive-bayes"], "problems": [(60_000, 10, 2200)]}
# Of each the cells of one turn, and the turns.
TURNS = ((SHORT, 12, 7), (LONG, 2, 5))
# Cells of a run whose wall time is measured, and how often.
WALL_CELLS = 48
WALL_TURNS = 3
# Until workers whose client is gone have ended their batch.
SECONDS_TO_NOTICE = 4.0
PARTS = ("rows", "overhead", "times")


def main() -> None:
    """Print all counts and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help="which; default: all")
    parser.add_argument(
        "--cells", type=int, default=CELLS, help="of the rows that are compared; default: 2,000"
    )
    arguments = parser.parse_args()
    asked = arguments.part or PARTS
    with tempfile.TemporaryDirectory() as folder:
        os.environ[LOG] = str(Path(folder) / "plays")
        Path(os.environ[LOG]).touch()
        if "overhead" in asked:
            overhead()
        if asked == ["overhead"]:
            return
        with cluster() as address_and_workers:
            if "rows" in asked:
                grid = GRID | {"seeds": max(1, arguments.cells // CELLS_PER_SEED)}
                same_rows(grid, Path(folder), *address_and_workers)
            if "times" in asked:
                times(address_and_workers[0])


@contextmanager
def cluster() -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """Yield the address of a Dask cluster of two workers, and what tells their process numbers."""
    from distributed import LocalCluster

    make: Any = LocalCluster
    with make(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as local:
        # A worker that was killed comes back as another process.
        yield local.scheduler_address, lambda: [each.pid for each in local.workers.values()]


def same_rows(
    grid: dict[str, Any], folder: Path, address: str, workers: Callable[[], list[int]]
) -> None:
    """Count the rows that differ, those that are there twice, and the plays that were repeated."""
    experiment = Experiment(**grid)
    plain = lasting(run(experiment))
    of_cells = set(plays())
    running.SECONDS_TO_START = 0.0  # workers start however little there is to do
    print(f"{len(plain):,} cells in this process, {len(of_cells):,} plays logged")
    ways: dict[str, dict[str, Any]] = {
        "in one process": {"processes": 1},
        "on two processes": {"processes": 2},
        "on Dask": {"cluster": address},
    }
    for name in ("on two processes", "on Dask"):
        report(name, lasting(run(experiment, **ways[name])), plain, of_cells)
        for early in (int(share * len(plain)) for share in KILLED_AFTER):
            rows: list[dict[str, Any]] = []
            for row in run(experiment, **ways[name]):
                if len(rows) == early:
                    of_dask = workers()
                    own = [each.pid for each in active_children() if each.pid not in of_dask]
                    os.kill(int((of_dask if name == "on Dask" else own)[0] or 0), signal.SIGKILL)
                rows.append(row)
            report(f"{name}, a worker killed after {early} rows", lasting(rows), plain, of_cells)
    for name, how in ways.items():
        path = folder / f"{name}.jsonl"
        resumed(f"{name}, the client", how, grid, path, plain, of_cells)


def report(
    what: str, rows: list[dict[str, Any]], plain: list[dict[str, Any]], of_cells: set[str]
) -> None:
    """Print one line of counts. Small plays before workers start, which compile, are no cell's."""
    differ = sum(one != other for one, other in zip(rows, plain, strict=False))
    twice = len(rows) - len({row["address"] for row in rows})
    made = [each for each in plays() if each in of_cells]
    print(
        f"{what}: {len(rows):,} rows, {differ} differ, {twice} twice, "
        f"{len(of_cells - set(made))} not logged, {len(made) - len(set(made))} plays repeated",
        flush=True,
    )


def resumed(
    what: str,
    how: dict[str, Any],
    grid: dict[str, Any],
    path: Path,
    plain: list[dict[str, Any]],
    of_cells: set[str],
) -> None:
    """Kill the client of a sweep, go on with its rows, and count what is played again."""
    script = (
        "import json, sys; from pathlib import Path\n"
        "from holdfast.sweeps import Experiment, Journal, run, running\n"
        "if __name__ == '__main__':\n"
        "    running.SECONDS_TO_START = 0.0\n"
        "    grid, how = map(json.loads, sys.argv[2:])\n"
        "    with Journal(Path(sys.argv[1])) as journal:\n"
        "        for row in run(Experiment(**grid), journal=journal, **how): pass\n"
    )
    command = [sys.executable, "-c", script, str(path), json.dumps(grid), json.dumps(how)]
    with subprocess.Popen(command) as client:
        while lines(path) < len(plain) * 2 // 5 and client.poll() is None:
            time.sleep(0.02)
        client.send_signal(signal.SIGKILL)
    time.sleep(SECONDS_TO_NOTICE)
    before = plays()
    with Journal(path, resume=True) as journal:
        kept = len(journal.rows)
        rows = lasting(run(Experiment(**grid), journal=journal, **how))
    again = set(plays()) & set(before) & of_cells
    written = [json.loads(line)["address"] for line in path.read_text().splitlines()[1:]]
    print(
        f"{what} killed with -9 when {kept:,} rows were kept, and resumed: {len(rows):,} rows, "
        f"{sum(one != other for one, other in zip(rows, plain, strict=True))} differ, "
        f"{len(written) - len(set(written))} twice, {len(again)} of {len(of_cells):,} logged cells "
        "played again, which were under way or not yet reported",
        flush=True,
    )


def overhead() -> None:
    """Print what the runner adds to the attacks' own time.

    The first play of each, which loads kernels, is not counted; plays alone and the runner take
    turns, so that whatever slows the machine slows both, and the median turn counts.
    """
    os.environ["HOLDFAST_THREADS"] = "1"
    for grid, cells, turns in TURNS:
        warm_up = Experiment(**grid)
        bare_plays(warm_up)
        list(run(warm_up))
        ratios, own = [], 0.0
        for turn in range(turns):
            experiment = Experiment(**grid, seeds=range(turn * cells, (turn + 1) * cells))
            alone = bare_plays(experiment)
            start = time.process_time()
            for _ in run(experiment):
                pass
            ratios.append((time.process_time() - start) / alone)
            own += alone / (turns * cells)
        low, middle, high = (100 * (np.quantile(ratios, at) - 1) for at in (0.0, 0.5, 1.0))
        print(
            f"runner: {middle:.1f} % more processor time than plays of {1e3 * own:.0f} ms alone "
            f"({low:.1f} to {high:.1f} % in {turns} turns of {cells}; goal: below 10 %)",
            flush=True,
        )


def times(address: str) -> None:
    """Print the two ratios of wall times; every process has one thread, as workers have anyway.

    The three take turns, so that whatever slows the machine slows all, and the median turn counts.
    """
    os.environ["HOLDFAST_THREADS"] = "1"
    list(run(Experiment(**LONG)))
    ways: dict[str, dict[str, Any]] = {
        "one process": {"processes": 1},
        "two processes": {"processes": 2},
        "Dask": {"cluster": address},
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(WALL_TURNS):
        long = Experiment(**LONG, seeds=range(turn * WALL_CELLS, (turn + 1) * WALL_CELLS))
        for name, how in ways.items():
            start = time.perf_counter()
            rows = list(run(long, **how))
            seconds[name].append(time.perf_counter() - start)
            median = float(np.median([row["seconds"] for row in rows]))
            print(
                f"{name}: {seconds[name][-1]:.1f} s for {len(rows)} cells of {median:.2f} s",
                flush=True,
            )
    one, two, dask = (np.array(seconds[name]) for name in ways)
    print(f"two processes are {_spread(one / two)} times as fast as one (goal: 1.7)")
    print(f"Dask is {_spread(two / dask)} times as fast as two processes (goal: 0.85)")


def _spread(ratios: np.ndarray) -> str:
    low, middle, high = np.quantile(ratios, (0.0, 0.5, 1.0))
    return f"{middle:.2f} ({low:.2f} to {high:.2f} in {len(ratios)} turns)"


def bare_plays(experiment: Experiment) -> float:
    """Return the processor seconds of the attacks' plays alone, on labels that are there."""
    total = 0.0
    for cell in experiment:
        problem = Problem(*cell.problem)
        rng = np.random.default_rng(cell.seed)
        labels = hidden_labels("uniform", *problem[:2], rng)
        attack: Any = find_attack(cell.attack)
        oracle = LabelOracle(labels, problem=problem)
        start = time.process_time()
        play(attack(problem, rng=rng), oracle)
        total += time.process_time() - start
    return total


def lasting(rows: Any) -> list[dict[str, Any]]:
    """Return what a second run gives again."""
    return [{name: row[name] for name in row if name not in MEASURED} for row in rows]


def plays() -> list[str]:
    """Return the plays that were logged since the last call."""
    path = Path(os.environ[LOG])
    found = path.read_text(encoding="utf-8").split()
    path.write_text("", encoding="utf-8")
    return found


def lines(path: Path) -> int:
    """Return how many lines a file has; 0: it is not there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


if __name__ == "__main__":
    main()
