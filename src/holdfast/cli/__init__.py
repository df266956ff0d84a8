"""The command `holdfast`: one file per subcommand."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from holdfast.extras import remedy
from holdfast.interrupts import noted_interrupts

__all__ = ["main"]

# As shells have it: 128 and the number of SIGINT.
EXIT_INTERRUPTED = 130
# How a look ends that is not answered: it can't be scored, none is left, there is no ledger.
INVALID, REFUSED, NO_LEDGER = 1, 3, 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 for bad input.

    Parameters
    ----------
    arguments
        What follows `holdfast`; None: what this process was started with.
    """
    with noted_interrupts() as noted:
        try:
            return _run(arguments)
        except BaseException:
            # Ctrl-C while modules are imported: Python may wrap it in another error.
            if not noted:
                raise
        print("error: interrupted.", file=sys.stderr)
        return EXIT_INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    try:
        from holdfast.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        print(f"error: {remedy('the command line', error.name)}", file=sys.stderr)
        return 2
    return run(arguments)
