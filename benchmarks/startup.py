"""Time to start: `import holdfast` against `import numpy`, commands against typer and rich.

Each is the shortest of several fresh processes, in turns, so that both sides see the same machine;
seconds are those of the processor, which others on the machine lengthen little.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.timing import Comparison, show
from holdfast.cli.app import COMMANDS

# What a command with a file and a number can't do without: typer, which loads pydantic to read
# options, and rich.
A_COMMAND = """
from pathlib import Path
import rich.console, rich.table, typer
app = typer.Typer()
@app.command()
def command(labels: Path, size: int = 1) -> None: pass
app(['--help'], standalone_mode=False)
"""
TYPER_AND_RICH = "a command of typer, and rich"
AGAINST = {TYPER_AND_RICH: A_COMMAND}
PAIRS = (
    ("import holdfast", "import holdfast", "import numpy", "at most 1.3 times as long"),
    (
        "holdfast --help",
        "from holdfast.cli import main; main(['--help'])",
        "import typer, rich",
        "at most 1.5 times as long",
    ),
)
OF_COMMANDS = tuple(
    (
        f"holdfast {' '.join(words)}",
        f"from holdfast.cli import main; main({words})",
        TYPER_AND_RICH,
        "at most 1.3 times as long",
    )
    for words in (*([name, "--help"] for name in COMMANDS), ["audit", "no-such-file.csv"])
)


def main(repeats: int) -> None:
    for what, code, against, goal in (*PAIRS, *OF_COMMANDS):
        mine, theirs = float("inf"), float("inf")
        for _ in range(repeats):
            mine = min(mine, _seconds(code))
            theirs = min(theirs, _seconds(AGAINST.get(against, against)))
        show(Comparison(what, mine, against, theirs, goal))


def _seconds(code: str) -> float:
    """Return what a fresh process takes of the processor."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--repeats", type=int, default=15, help="fresh processes of each")
    main(parser.parse_args().repeats)
