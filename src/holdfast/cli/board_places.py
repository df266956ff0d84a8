"""Places of boards: the options that name a database and a board, and what is in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput, LedgerMissing
from holdfast.extras import needed_for

if TYPE_CHECKING:
    from holdfast.server.boards import Boards
    from holdfast.server.findings import Findings
    from holdfast.server.gatekeeper import Gatekeeper
    from holdfast.server.records import Board, Phase

__all__ = [
    "DEFAULT",
    "Database",
    "Labels",
    "Name",
    "OpenDatabase",
    "PolicyFile",
    "Yes",
    "ask_before",
    "opened",
]

Database = Annotated[
    str,
    typer.Option(
        envvar="HOLDFAST_BOARD",
        help="The server's database with its ledger: a path or postgresql://...",
    ),
]
DEFAULT = "holdfast-board.db"
Name = Annotated[str, typer.Argument(help="The board's name, as in its address.")]
Labels = Annotated[
    Path, typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking; it can't be undone.")]
PolicyFile = Annotated[Path, typer.Option(help="The policy file; see holdfast policy init.")]


class OpenDatabase:
    """An open database and what is in it."""

    def __init__(self, gatekeeper: Gatekeeper, boards: Boards) -> None:
        self.gatekeeper, self.boards = gatekeeper, boards

    def board(self, name: str) -> tuple[Board, Phase]:
        """Return a board and its phase in force, or the coming one."""
        found = self.boards.get(name)
        if found is None:
            raise InvalidInput(
                f"name must be that of a board, got {name}; see holdfast board list."
            )
        phase = self.boards.phase(found, coming=True)
        assert phase is not None
        return found, phase

    def findings(self) -> Findings:
        """Return what judges a board's looks."""
        from holdfast.server.findings import Findings

        return Findings(self.gatekeeper)

    def change(self, name: str, action: str, value: str, as_json: bool) -> None:
        """Do one of the host's actions, and say what was done."""
        done = self.boards.change(*self.board(name), action, value, "the command line")
        if as_json:
            print_json({"board": name, "done": done.told, "receipt_id": done.receipt_id})
        else:
            human().print(f"{name}: {done.told}.", soft_wrap=True)


def ask_before(what: str, *, yes: bool) -> None:
    """Ask at a terminal before what can't be undone; without one only --yes will do."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"{what} This can't be undone: give --yes to do it.")
    typer.confirm(f"{what} This can't be undone. Go on?", abort=True, err=True)


@contextmanager
def opened(database: str, *, create: bool = False) -> Iterator[OpenDatabase]:
    """Open the boards of a database, and close it afterwards."""
    with needed_for("holdfast board"):
        from holdfast.server.boards import Boards
        from holdfast.server.gatekeeper import Gatekeeper
    try:
        gatekeeper = Gatekeeper(database, create=create)
    except LedgerMissing:
        raise LedgerMissing(
            "database must hold boards, but there is none; make the first one with: "
            "holdfast board init NAME --labels FILE"
        ) from None
    try:
        yield OpenDatabase(gatekeeper, Boards(gatekeeper))
    finally:
        gatekeeper.close()
