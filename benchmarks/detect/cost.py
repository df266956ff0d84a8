"""Processor time and memory of the detector, look by look.

    python -m benchmarks.detect.cost [--rows 10000] [--looks 200000]

Made-up models with errors in common, a panel of nine. Times are medians of processor time for one
look, as it comes: the bit and the evidence. Memory is what grows between the first thousand looks
and the last.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from holdfast.detect import Evidence, Panel, Watch
from holdfast.labels import Labels, label_dtype

CLASSES, MEMBERS, TIMED = (2, 10, 26, 1000), 9, 300


def model_maker(rng: np.random.Generator, rows: int, n_classes: int) -> Callable[[], Labels]:
    """Return what makes models: a row's difficulty says how many get it wrong."""
    truth = rng.integers(n_classes, size=rows)
    wrong = rng.integers(n_classes, size=rows)
    hard: NDArray[np.float64] = rng.beta(0.4, 1.6, size=rows)
    dtype = label_dtype(n_classes)
    return lambda: np.where(rng.random(rows) < hard, wrong, truth).astype(dtype)


def milliseconds(rows: int, n_classes: int) -> dict[str, float]:
    """Return the median time of a look that is a model, a probe from a model, and a guess."""
    rng = np.random.default_rng(n_classes)
    model = model_maker(rng, rows, n_classes)
    panel, base, other = Panel(np.array([model() for _ in range(MEMBERS)])), model(), model()

    def probe() -> Labels:
        return np.where(rng.random(rows) < 0.5, base, other)

    def guess() -> Labels:
        return rng.integers(n_classes, size=rows).astype(base.dtype)

    found = {}
    for name, make in (("model", model), ("probe", probe), ("guess", guess)):
        watch, evidence, times = Watch(panel), Evidence(0.1), []
        for look in [make() for _ in range(TIMED)]:
            began = time.process_time()
            evidence.add(watch.look(look).bit)
            times.append(time.process_time() - began)
        found[name] = 1e3 * float(np.median(times))
    return found


def kilobytes(rows: int, looks: int) -> float:
    """Return by how much memory grows from the first thousand looks of a team to the last."""
    rng = np.random.default_rng(1)
    model = model_maker(rng, rows, 10)
    panel, some = Panel(np.array([model() for _ in range(MEMBERS)])), [model() for _ in range(40)]
    watch, evidence = Watch(panel), Evidence(0.1)
    tracemalloc.start()
    before = 0
    for at in range(looks):
        evidence.add(watch.look(some[at % 40]).bit)
        if at == 1000:
            before = tracemalloc.get_traced_memory()[0]
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--looks", type=int, default=200_000)
    given = parser.parse_args()
    print("| classes | model, ms | probe, ms | guess, ms |\n|--:|--:|--:|--:|")
    for n_classes in CLASSES:
        found = milliseconds(given.rows, n_classes)
        print(f"| {n_classes} | " + " | ".join(f"{ms:.2f}" for ms in found.values()) + " |")
    grown = kilobytes(1000, given.looks)
    print(f"Memory grows by {grown:.0f} KB over {given.looks:,} looks of 1,000 rows.")


if __name__ == "__main__":
    main()
