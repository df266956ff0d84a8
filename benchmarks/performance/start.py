"""Starting: fresh processes against what they can't do without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

from benchmarks.performance.rows import Row, ratio_row
from benchmarks.startup import PAIRS

__all__ = ["start_rows"]

# The first game of a process whose kernels were compiled before: loading them is what it takes.
COLD = (
    "first game of a process",
    "import numpy; from holdfast import Problem, attacks, oracles, play; "
    "p = Problem(1000, 10, 50); r = numpy.random.default_rng(0); "
    "oracle = oracles.LabelOracle(r.integers(10, size=1000), problem=p); "
    "play(attacks.BlockMajority(p, rng=r), oracle)",
    "import numba, scipy",
)


def start_rows(repeats: int = 5) -> Iterator[Callable[[], Row]]:
    """Yield what measures each start."""
    pairs = [*((what, code, against) for what, code, against, _ in PAIRS), COLD]
    for what, code, against in pairs:
        yield lambda what=what, code=code, against=against: ratio_row(  # type: ignore[misc]
            what, "start", f"times `{against}`", _process(code), _process(against), repeats=repeats
        )


def _process(code: str) -> Callable[[], object]:
    command = [sys.executable, "-c", code]
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
