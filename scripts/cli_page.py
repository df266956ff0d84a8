"""Write docs/cli.md from the commands themselves.

Run as `python scripts/cli_page.py`; a test fails when the page is stale. The text is taken from the
functions' docstrings and options, not from their help screens, whose layout changes with the
version of typer.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from holdfast.cli.app import TASKS, build
from holdfast.cli.default_command import WithDefault
from holdfast.cli.explained import examples_of, folded, text_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
WIDTH = 96

INTRODUCTION = """\
# The command `holdfast`

<!-- Written by scripts/cli_page.py; change the docstrings and options instead. -->

Every command but `serve` and `forwarder` takes `--json`: then stdout has one JSON document and
nothing else. Bad input is one line on stderr, `error: ...`, and exit code 2; for a ledger that
can't be used it is 4.
Progress goes to stderr, and only to a terminal.
`holdfast --version` prints the version, `holdfast COMMAND --help` explains a command by examples;
`holdfast --install-completion` lets the shell complete commands, options, attacks and rules.
`python -m holdfast` is the same program. Words such as look (a scored submission) and gain are in
the [glossary](glossary.md).
"""


HOW_MANY = """\
## How many there are

Version 0.4 had {} commands with {} options; there are {} with {}, old names that are unlisted
not counted. What came since: outcomes of tasks, `detect`, `mcp`, and `paper demo`, which is `demo`.
Each counts where it is found by now.

| command | commands in 0.4 | now | options in 0.4 | now |
|---|---|---|---|---|
"""
# By the first word as it is now, commands and options of 0.4 (commit 96279a1): `matrix` counts as
# `bench`, `figures` as `sweep`, `reproduce` and `statements` as `paper`.
IN_0_4 = {
    "attack": (1, 17),
    "audit": (2, 34),
    "bench": (2, 21),
    "board": (13, 42),
    "bounds": (1, 5),
    "choose": (1, 10),
    "close": (1, 8),
    "demo": (1, 4),
    "forwarder": (1, 4),
    "gate": (1, 12),
    "ledger": (6, 15),
    "lint": (1, 6),
    "paper": (2, 7),
    "plan": (1, 10),
    "policy": (2, 14),
    "score": (1, 10),
    "serve": (1, 8),
    "submit": (1, 6),
    "sweep": (2, 9),
}


def page() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION]
    found = dict(commands(build()))
    for task, names in TASKS.items():
        parts.append(f"## {task}\n")
        for first in names:
            mine = [name for name in found if name.split()[0] == first]
            parts += [section(name, found[name]) for name in mine]
    parts.append(how_many(found))
    return "\n".join(parts)


def how_many(found: dict[str, Any]) -> str:
    """Return the table of how many commands and options there were, and are."""
    rows = []
    for first in (name for names in TASKS.values() for name in names):
        mine = [parameters(found[name])[1] for name in found if name.split()[0] == first]
        rows.append((first, *IN_0_4.get(first, (0, 0)), len(mine), sum(map(len, mine))))
    before, options_before, now, options = (sum(row[at] for row in rows) for at in range(1, 5))
    lines = [f"| `{row[0]}` | {row[1]} | {row[3]} | {row[2]} | {row[4]} |" for row in rows]
    text = HOW_MANY.format(before, options_before, now, options)
    return text + "".join(f"{line}\n" for line in lines)


def commands(where: typer.Typer, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name, those of groups too."""
    for at, command in enumerate(where.registered_commands):
        name = command.name or command.callback.__name__.replace("_", "-")
        # The first one of such a group runs under the group's own name.
        own = at == 0 and where.info.cls is WithDefault
        yield prefix.rstrip() if own else f"{prefix}{name}", command.callback
    for group in where.registered_groups:
        yield from commands(group.typer_instance, f"{prefix}{group.name} ")


def parameters(function: Any) -> tuple[list[Any], list[Any]]:
    """Return a command's arguments and its listed options, each with all that a row tells."""
    arguments, options = [], []
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        kind, info = described(hints[parameter.name], parameter.default)
        if info.hidden:
            continue
        if isinstance(info, ArgumentInfo):
            arguments.append((parameter.name.upper(), info, parameter.default, kind))
        else:
            # In Annotated, typer keeps the first spelling as the default of the description.
            spelled = [str(name) for name in (info.default, *(info.param_decls or ()))]
            flags = [name for name in spelled if name.startswith("--")]
            flag = flags[0] if flags else f"--{parameter.name.replace('_', '-')}"
            options.append((flag, info, parameter.default, kind))
    return arguments, options


def section(name: str, function: Any) -> str:
    """Return the part of the page about one command."""
    arguments, options = parameters(function)
    usage = " ".join(["holdfast", name, *(argument[0] for argument in arguments), "[OPTIONS]"])
    text = inspect.getdoc(function)
    lines = [f"### `holdfast {name}`\n", f"    {usage}\n", text_of(text), "", "Examples:\n"]
    lines += [f"    {line}" for example in examples_of(text) for line in folded(example, WIDTH)]
    lines.append("")
    if arguments or options:
        lines += ["| option | value | meaning |", "|---|---|---|"]
        lines += [row(*item) for item in arguments + options]
        lines.append("")
    return "\n".join(lines)


def described(hint: Any, default: Any) -> tuple[Any, Any]:
    """Return a parameter's type and typer's description of it."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        for note in notes:
            if isinstance(note, ArgumentInfo | OptionInfo):
                return kind, note
        return kind, default
    return hint, default if isinstance(default, ArgumentInfo | OptionInfo) else OptionInfo()


def row(flag: str, info: Any, default: Any, kind: Any) -> str:
    """Return one line of the table of options."""
    value = "flag" if kind is bool else words(kind)
    meaning = " ".join((info.help or "").split())
    if default is inspect.Parameter.empty or default is ...:
        meaning += " Required."
    elif not (default is None or default is False or isinstance(default, list | tuple)):
        meaning += f" Default: {default}."
    return f"| `{flag}` | {value} | {meaning.strip()} |".replace("<", "&lt;")


def words(kind: Any) -> str:
    """Say a parameter's type in a reader's words."""
    inner = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is list:
        return f"{words(inner[0])}, repeatable"
    if inner:
        return words(inner[0])
    plain = {"str": "text", "int": "integer", "float": "number", "Path": "path"}
    return plain.get(kind.__name__, kind.__name__)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
