"""The command `holdfast`: one file per subcommand."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from holdfast.extras import remedy

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 for bad input.

    Parameters
    ----------
    arguments
        What follows `holdfast`; None: what this process was started with.
    """
    try:
        from holdfast.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        print(f"error: {remedy('the command line', error.name)}", file=sys.stderr)
        return 2
    return run(arguments)
