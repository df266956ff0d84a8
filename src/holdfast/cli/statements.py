"""`holdfast paper statements`: the map from the paper to the code and its tests."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json

__all__ = ["statements"]


def statements(
    write: Annotated[
        bool, typer.Option("--write", help="Renew the list inside the package (source tree only).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every statement and figure of the paper, its code and its tests.

    Examples
    --------
    holdfast paper statements
    holdfast paper statements --json
    """
    from holdfast import statements as paper

    if write:
        paper.write()
    found = paper.load()
    if as_json:
        print_json({"statements": [vars(statement) for statement in found]})
        return
    console = human()
    for statement in found:
        console.print(f"{statement.title} ({statement.label}): {statement.summary}", style="bold")
        _list(console, "code", [place.removeprefix("src/") for place in statement.files])
        _list(console, "tests", [_counted(path, n) for path, n in _per_file(statement.tests)])


def _list(console: Console, what: str, places: list[str]) -> None:
    for number, place in enumerate(places or ["none"]):
        console.print(f"  {what if number == 0 else '':6}{place}", soft_wrap=True)


def _per_file(tests: list[str]) -> list[tuple[str, int]]:
    return sorted(Counter(test.split("::")[0] for test in tests).items())


def _counted(path: str, tests: int) -> str:
    return f"{path} ({tests} {'test' if tests == 1 else 'tests'})"
