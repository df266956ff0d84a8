"""All subcommands together, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from holdfast._version import __version__
from holdfast.cli.attack import attack
from holdfast.cli.audit import audit
from holdfast.cli.bounds import bounds
from holdfast.cli.demo import demo
from holdfast.cli.gate import gate
from holdfast.cli.ledger import ledger
from holdfast.cli.lint import lint
from holdfast.cli.matrix import matrix
from holdfast.cli.output import report_error
from holdfast.cli.plan import plan
from holdfast.cli.policy import policy
from holdfast.cli.reproduce import reproduce
from holdfast.cli.score import score
from holdfast.cli.statements import statements
from holdfast.errors import HoldfastError, LedgerError

__all__ = ["app", "run"]

# What typer raises for a bad option is public only through this subclass.
UsageProblem: type[Exception] = typer.BadParameter.__mro__[2]

BAD_INPUT = 2
NO_LEDGER = 4
INTERRUPTED = 130

app = typer.Typer(
    name="holdfast",
    help="How far a hidden test set can be overfit through its score feedback.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    del version


for command in (
    attack,
    audit,
    bounds,
    demo,
    gate,
    lint,
    matrix,
    plan,
    reproduce,
    score,
    statements,
):
    app.command()(command)
app.add_typer(ledger, name="ledger")
app.add_typer(policy, name="policy")


def run(arguments: Sequence[str] | None) -> int:
    """Run a subcommand; turn what it raises on purpose into one line and an exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(args=given or ["--help"], prog_name="holdfast", standalone_mode=False)
    except LedgerError as error:
        report_error(str(error))
        return NO_LEDGER
    except HoldfastError as error:
        report_error(str(error))
        return BAD_INPUT
    except UsageProblem as problem:
        report_error(_one_line(problem))
        return BAD_INPUT
    except MemoryError as error:
        report_error(f"not enough memory for these sizes: {error}")
        return BAD_INPUT
    except typer.Exit as stop:
        return stop.exit_code
    except (typer.Abort, KeyboardInterrupt):
        report_error("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe, such as head, has gone; say nothing when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if code == INTERRUPTED:  # how newer versions of typer report Ctrl-C
        report_error("interrupted.")
    return code if isinstance(code, int) else 0


def _one_line(problem: Exception) -> str:
    described = getattr(problem, "format_message", problem.__str__)()
    return " ".join(str(described).split())
