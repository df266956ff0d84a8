"""`python -m tests.power.record [--write] [part of a name]`: what attacks gain, and what was kept.

Without `--write` nothing is changed: each cell is played, and printed with its recorded figure.
With it, records of the cells named are renewed, or made.
"""

import argparse

import benchmarks  # noqa: F401 - first: it settles how numpy multiplies matrices

from tests.power.cells import CELLS
from tests.power.records import kept, read, write


def main() -> None:
    """Play the cells that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.power.record", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the records")
    parser.add_argument("part", nargs="?", default="", help="only cells with this in their name")
    options = parser.parse_args()
    old = read()
    new = {name: old[name] for name in CELLS if name in old}
    for name, cell in CELLS.items():
        if options.part in name:
            found = cell.played()
            before = f"was {old[name]['mean']:g}" if name in old else "new"
            print(f"{name}: {found.mean:g} ± {found.stderr:.2g} ({before})", flush=True)
            new[name] = kept(found)
    if options.write:
        write({name: new[name] for name in CELLS if name in new})


if __name__ == "__main__":
    main()
