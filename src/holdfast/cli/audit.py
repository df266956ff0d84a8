"""`holdfast audit`: labels and a policy in, one verdict out."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from holdfast import audit as auditing
from holdfast.cli.audit_tables import show
from holdfast.cli.options import AsJson, Processes, Seed, completed_rule
from holdfast.cli.output import print_json
from holdfast.cores import available_cores
from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.problem import check_at_least

__all__ = ["audit"]

EXIT_ABOVE_LIMIT = 1
# Options that decide the numbers, and their defaults.
NUMBER_OPTIONS = {
    "policy": None,
    "mechanism": None,
    "looks": None,
    "days": None,
    "teams": None,
    "accounts": 1,
    "final": None,
    "final_choices": None,
    "predictions": None,
    "history": None,
    "gap": None,
    "id_column": None,
    "label_column": None,
    "seed": 0,
}


def audit(
    labels: Annotated[
        Path | None,
        typer.Argument(help="CSV or NPY file of hidden labels. Default: an embedded example."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            help="Policy file; with days, teams and classes in it, nothing else is needed."
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="Release rule such as round:3, instead of a policy file.",
            autocompletion=completed_rule,
        ),
    ] = None,
    looks: Annotated[
        str | None, typer.Option(help='Looks of one account: a number, or a rate such as "5/day".')
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            help="How many days the board runs, for a rate or a window. Default: the policy's."
        ),
    ] = None,
    teams: Annotated[
        int | None, typer.Option(help="Teams on the board. Default: the policy's, or 1.")
    ] = None,
    accounts: Annotated[int, typer.Option(help="Accounts that work together.")] = 1,
    final: Annotated[
        str | None,
        typer.Option(
            help="What decides the final ranking: private, all or public. Default: the private "
            "part if the labels have one."
        ),
    ] = None,
    final_choices: Annotated[
        int | None,
        typer.Option(
            help="Submissions a team may name for the final result; 0: the best of all counts."
        ),
    ] = None,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(help="A model's predicted labels, CSV or NPY; repeat for more models."),
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="CSV of past submissions: team, time, score[, private].")
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option(
            help="Ranking gap in points that the board should be able to show. Default: the "
            "policy's, the history's median gap, or 1."
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write the page into this HTML file.")] = None,
    fail_above: Annotated[
        float | None,
        typer.Option(help="Exit with code 1 if the worst gain found is above so many points."),
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="The CSV file's column of ids.")] = None,
    label_column: Annotated[
        str | None, typer.Option(help="The CSV file's column of labels.")
    ] = None,
    seed: Seed = 0,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Tell how many points someone can gain on a test set without learning anything.

    Plays the attack suite against the policy on these very labels, compares with what bounds
    allow and a history shows, and looks for the cheapest fix. Nothing that is printed or written
    holds a label or an exact score. Exit codes: 0, 1 above --fail-above, 2 bad input.

    Examples
    --------
    holdfast audit labels.csv --mechanism round:3 --looks 5/day --days 60 --teams 40
    holdfast audit labels.csv --policy policy.toml --report audit.html
    """
    command = _command(locals())
    if processes is not None:
        check_at_least("processes", processes, 1)
    if report is not None:
        _check_report(report)
    request = auditing.read_request(
        labels,
        policy=policy,
        mechanism=mechanism,
        looks=looks,
        days=days,
        teams=teams,
        accounts=accounts,
        final=final,
        final_choices=final_choices,
        predictions=predictions or (),
        history=history,
        gap=gap,
        id_column=id_column,
        label_column=label_column,
        seed=seed,
    )
    with _progress(auditing.n_plays(request)) as on_step:
        result = auditing.audit(
            request,
            processes=available_cores() if processes is None else processes,
            command=command,
            on_step=on_step,
        )
    if report is not None:
        _write(result, report)
    if as_json:
        print_json(auditing.as_json(result))
    else:
        show(result, report)
    if fail_above is not None and result.verdict.points.mean > fail_above:
        raise typer.Exit(EXIT_ABOVE_LIMIT)


def _check_report(path: Path) -> None:
    """Refuse a page that can't be written before anything is played."""
    _page()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"report must be a file that can be written: {error}.") from None
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"report must be a file that can be written, got {path}.")


def _page() -> Any:
    with needed_for("the page"):
        return importlib.import_module("holdfast.audit.page")


def _write(result: auditing.Audit, path: Path) -> None:
    _page().write(result, path)


def _command(options: Mapping[str, Any]) -> str:
    """Return the command that gives the same numbers: files by name only, defaults left out."""
    words = ["holdfast", "audit"]
    if options["labels"] is not None:
        words.append(options["labels"].name)
    for name in NUMBER_OPTIONS:
        value = options[name]
        for each in value if isinstance(value, list) else [value]:
            if each is not None and each != NUMBER_OPTIONS[name]:
                text = each.name if isinstance(each, Path) else str(each)
                words += [f"--{name.replace('_', '-')}", text]
    return shlex.join(words)


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Show on stderr what is being done: a bar on a terminal, one line per step otherwise."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:<20}"),
        BarColumn(),
        TextColumn("{task.completed:>4.0f} plays"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("audit", total=total)
        said: list[str] = []

        def on_step(what: str, count: int) -> None:
            if not said or said[-1] != what:
                said.append(what)
                if not console.is_terminal:
                    print(f"{what} ...", file=sys.stderr, flush=True)
            bar.update(task, description=what, advance=count)

        yield on_step
