"""Time to start: `import holdfast` against `import numpy`, and the help against typer and rich.

Each is the shortest of several fresh processes, in turns, so that both sides see the same machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.timing import Comparison, best_seconds, show

PAIRS = (
    ("import holdfast", "import holdfast", "import numpy", "at most 1.3 times as long"),
    (
        "holdfast --help",
        "from holdfast.cli import main; main(['--help'])",
        "import typer, rich",
        "at most 1.5 times as long",
    ),
)


def main(repeats: int) -> None:
    for what, code, against, goal in PAIRS:
        mine, theirs = float("inf"), float("inf")
        for _ in range(repeats):
            mine = min(mine, _seconds(code))
            theirs = min(theirs, _seconds(against))
        show(Comparison(what, mine, against, theirs, goal))


def _seconds(code: str) -> float:
    command = [sys.executable, "-c", code]
    return best_seconds(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), repeats=1
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--repeats", type=int, default=15, help="fresh processes of each")
    main(parser.parse_args().repeats)
