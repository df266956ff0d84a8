"""The command-line application: all subcommands, errors and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Annotated

import typer

from holdfast import compiling
from holdfast._version import __version__
from holdfast.cli import EXIT_INTERRUPTED
from holdfast.cli.deprecated import renewed
from holdfast.cli.explained import ExplainedCommand, ExplainedGroup, with_examples
from holdfast.cli.output import notes_on_stderr, report_error
from holdfast.errors import HoldfastError, LedgerError
from holdfast.quoting import listed

__all__ = ["COMMANDS", "TASKS", "build", "run"]

# What typer raises for a bad option is public only through this subclass.
UsageProblem: type[Exception] = typer.BadParameter.__mro__[2]

EXIT_BAD_INPUT = 2
EXIT_NO_LEDGER = 4

# What tells this program that a shell asks how a line could go on, and the line so far: bash's own
# variable, and typer's for the other shells.
COMPLETION = "_HOLDFAST_COMPLETE"
LINES_SO_FAR = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")

# The commands by task, each with the first line of its text, so that the list of commands loads
# none of them: most need scipy and the attacks, which take a second. What most people need comes
# first.
TASKS = {
    "Start here": {
        "audit": "Tell how many points someone can gain on a test set without learning anything.",
        "policy": "Write or check a policy: what is released of a score, and how often.",
        "score": "Score a submission through the ledger and print only what the policy releases.",
        "board": "Make a leaderboard, let teams and hosts in, change its rule, close and check it.",
        "serve": "Serve the boards of a database: pages, and an API for programs.",
        "submit": "Send a file of predictions, or of outcomes of tasks, to a board; print "
        "what is released.",
        "demo": "Overfit a hidden test set of 10,000 examples and 10 classes with the paper's"
        " attacks.",
    },
    "Judge a test set and its rules": {
        "lint": "List the unsafe settings of a host's configuration, with line numbers.",
        "plan": "Predict what every attack would gain and say which one to play, and why.",
        "bounds": "Say what so many scored submissions can reach, and what no attack can exceed.",
        "bench": "Play the versioned suite of fixed problems, and rank attacks and release rules.",
        "attack": "Play an attack against hidden labels and report the accuracy it ends with.",
    },
    "Run a board": {
        "choose": "Name one of a team's scored submissions for the final result; it costs nothing.",
        "close": "Close the board: score each team's final submissions on the private part, "
        "and rank them.",
        "detect": "Find teams whose submissions probe the hidden labels; evidence for a host,"
        " no proof.",
        "gate": "Exit 0 if a candidate improves by more than the scored submissions so far "
        "could have bought.",
        "ledger": "Make a ledger, copy it, verify it, or show what its scored submissions allow.",
        "forwarder": "Write the file with which a host forwards submissions to a board, on stdout.",
        "mcp": "Serve a board to an agent as MCP tools, on standard input and output.",
    },
    "See and reproduce": {
        "sweep": "Play every cell of a grid: attacks x rules x metrics x problems x labels x "
        "models x seeds.",
        "paper": "Play the paper's demo and its Table 1, and list its statements with code and "
        "tests.",
    },
}
# Names that are asked for without their group.
SUBCOMMANDS = {
    "audit": ("compare",),
    "bench": ("matrix",),
    "paper": ("reproduce", "statements"),
    "sweep": ("figures",),
    "policy": ("init", "check"),
    "ledger": ("show", "verify", "backup", "restore", "witness"),
    "board": ("invite", "token", "tokens", "password", "merge", "rotate", "rebuild"),
}
COMMANDS = {name: summary for task in TASKS.values() for name, summary in task.items()}


class CommandsByTask(ExplainedGroup):
    """The list of commands, by task."""

    tasks = {task: tuple(commands) for task, commands in TASKS.items()}  # noqa: RUF012


def build(wanted: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """Return the command line with the wanted commands; of the others, name and first line."""
    app = typer.Typer(
        name="holdfast",
        help=with_examples(
            "How far a hidden test set can be overfit through its score feedback.",
            "holdfast audit labels.csv --rule round:3 --looks 5/day --days 60",
            "holdfast policy init policy.toml --rule ladder:0.01 --looks 5/day --days 60",
        ),
        cls=CommandsByTask,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for name, summary in COMMANDS.items():
        if name not in wanted:
            app.command(name, cls=ExplainedCommand, help=summary)(_not_loaded)
            continue
        # One file per command, which holds a function or a group of its name.
        command = getattr(import_module(f"holdfast.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=ExplainedCommand)(command)
    return app


def _not_loaded() -> None:
    """Stand in the list of commands for one that was not asked for."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    del version


def run(arguments: Sequence[str] | None) -> int:
    """Run a subcommand; turn what it raises on purpose into one line and an exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    # Options of the whole program take no value, so the first other word is the command.
    wanted = [word for word in given or _line_so_far() if not word.startswith("-")][:1]
    if given:
        given, notes = renewed(given, wanted[0] if wanted else "")
        wanted = [word for word in given if not word.startswith("-")][:1]
    else:
        notes = []
    compiling.announce(_say_that_it_compiles)
    try:
        app = build(wanted)
        with notes_on_stderr():
            code = app(args=given or ["--help"], prog_name="holdfast", standalone_mode=False)
    except LedgerError as error:
        report_error(str(error))
        return EXIT_NO_LEDGER
    except HoldfastError as error:
        report_error(str(error))
        return EXIT_BAD_INPUT
    except UsageProblem as problem:
        report_error(_one_line(problem, wanted, given))
        return EXIT_BAD_INPUT
    except MemoryError as error:
        report_error(f"not enough memory for these sizes: {error}")
        return EXIT_BAD_INPUT
    except typer.Exit as stop:
        return stop.exit_code
    except (typer.Abort, KeyboardInterrupt):
        report_error("interrupted.")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe, such as head, has gone; say nothing when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    # Last, and only if all went well: bad input is one line.
    for note in dict.fromkeys(notes):
        print(f"note: {note}", file=sys.stderr)
    if code == EXIT_INTERRUPTED:  # how newer versions of typer report Ctrl-C
        report_error("interrupted.")
    return code if isinstance(code, int) else 0


def _line_so_far() -> list[str]:
    """Return the words after `holdfast` of a line that a shell wants completed."""
    if COMPLETION not in os.environ:
        return []
    return next((os.environ[name] for name in LINES_SO_FAR if name in os.environ), "").split()[1:]


def _missing_options(problem: Exception, given: Sequence[str]) -> list[str]:
    """Return all options that a command lacks, where the problem is that it lacks one."""
    context = getattr(problem, "ctx", None)
    if type(problem).__name__ != "MissingParameter" or context is None:
        return []
    said = {word.partition("=")[0] for word in given}
    return [
        each.opts[0]
        for each in context.command.params
        if each.required and each.param_type_name == "option" and not said.intersection(each.opts)
    ]


def _say_that_it_compiles() -> None:
    print("Compiling what is used for the first time; this takes a while, once.", file=sys.stderr)


def _one_line(problem: Exception, wanted: Collection[str], given: Sequence[str]) -> str:
    if missing := _missing_options(problem, given):
        return f"Missing option{'s' if len(missing) > 1 else ''} {listed(missing)}."
    described = " ".join(str(getattr(problem, "format_message", problem.__str__)()).split())
    for group, subcommands in SUBCOMMANDS.items():
        for word in set(wanted).intersection(subcommands).difference(COMMANDS):
            if described.startswith("No such command"):
                return f"No such command '{word}'. Did you mean 'holdfast {group} {word}'?"
    return described
