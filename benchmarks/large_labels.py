"""Peak memory of plays on a hundred million labels, by stretches, over the size of the labels.

Labels are one byte each: read from a mapped file, or drawn. Each play has a process of its own,
which has played a small game before, so that the peak above that is the play's. Half a minute.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PLAY = """
import sys
from holdfast.sweeps import Experiment, run
from benchmarks.timing import peak_megabytes
import holdfast.sweeps.cells as cells
attack, path, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
large, cells.LARGE = cells.LARGE, 100
list(run(Experiment([attack], problems=[(5000, 10, 101)])))
cells.LARGE = large
before = peak_megabytes()
if path:
    experiment = Experiment([attack], labels=[path], n_queries=[101])
else:
    experiment = Experiment([attack], problems=[(n, 10, 101)])
(row,) = run(experiment)
assert row["error"] is None, row["error"]
print(peak_megabytes() - before, row["seconds"], row["gain"])
"""


def main() -> None:
    """Print a line per attack and source of labels."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n-examples", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=16)
    asked = parser.parse_args()
    n, rng = asked.n_examples, np.random.default_rng(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.npy"
        mapped = np.lib.format.open_memmap(path, "w+", np.uint8, (n,))
        for start in range(0, n, 1 << 20):
            mapped[start : start + (1 << 20)] = rng.integers(
                10, size=min(1 << 20, n - start), dtype=np.uint8
            )
        mapped.flush()
        for attack in ("block-majority", "column-vote"):
            for source in (str(path), ""):
                done = subprocess.run(
                    [sys.executable, "-c", PLAY, attack, source, str(n)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                peak, seconds, gain = map(float, done.stdout.split())
                print(
                    f"{attack}, {n:,} labels {'mapped' if source else 'drawn'}, 101 looks: peak "
                    f"{peak:.0f} MB more, {peak * 2**20 / n:.2f} times the labels (goal: 1.5), "
                    f"{seconds:.1f} s, gain {gain:.2e}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
