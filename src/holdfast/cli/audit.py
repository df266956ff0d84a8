"""`holdfast audit`: labels and a policy in, one verdict out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.audit_compare import compare
from holdfast.cli.audit_options import Also, Breakdown, Metric, OpenPage, Report
from holdfast.cli.default_command import WithDefault
from holdfast.cli.explained import ExplainedCommand
from holdfast.cli.guarding import IdColumn, LabelColumn
from holdfast.cli.options import (
    AsJson,
    Cluster,
    Encoding,
    Processes,
    Seed,
    check_finite,
    completed_rule,
)
from holdfast.cli.output import print_json
from holdfast.cores import available_cores
from holdfast.errors import InvalidInput, NotSupported
from holdfast.files.csv_lines import check_columns
from holdfast.files.forms import read_as
from holdfast.problem import check_at_least

if TYPE_CHECKING:
    from holdfast.audit import PlayCache, Request

__all__ = ["audit"]

EXIT_ABOVE_LIMIT = 1
# Bytes that take seconds to read, over which nobody should wonder whether anything happens.
LARGE_FILE = 4_000_000
EXIT_NO_POLICY = 1
# Options that decide the numbers, and their defaults.
NUMBER_OPTIONS = {
    "policy": None,
    "mechanism": None,
    "metric": None,
    "breakdown": None,
    "also": None,
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
    "encoding": None,
    "seed": 0,
}


audit = typer.Typer(
    cls=WithDefault,
    help="Tell how many points someone can gain on a test set without learning anything.",
    rich_markup_mode=None,
)


@audit.command("run", cls=ExplainedCommand)
def run_audit(
    labels: Annotated[
        Path | None,
        typer.Argument(
            help="File of hidden labels: CSV, JSON, Parquet or NPY. Default: an embedded example."
        ),
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
            "--rule",
            help="Release rule such as round:3, instead of a policy file.",
            autocompletion=completed_rule,
        ),
    ] = None,
    metric: Metric = None,
    breakdown: Breakdown = None,
    also: Also = None,
    looks: Annotated[
        str | None,
        typer.Option(
            help='Scored submissions (looks) of one account: a number, or a rate such as "5/day". '
            "Default: those of the busiest team of the history, or 1000."
        ),
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
    final: Annotated[str | None, typer.Option(hidden=True)] = None,
    final_choices: Annotated[int | None, typer.Option(hidden=True)] = None,
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
            help="Ranking gap in points, or in a loss's own unit, that the board should be able to "
            "show. Default: the policy's, the history's median gap, or 1."
        ),
    ] = None,
    report: Report = None,
    title: Annotated[
        str | None, typer.Option(help="What the page calls the test set. Default: the file's name.")
    ] = None,
    open_page: OpenPage = False,
    badge: Annotated[
        Path | None, typer.Option(help="Write the verdict as a badge into this SVG file.")
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(help="Write verdict and findings into this SARIF file, for code scanning."),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(help="Write verdict and findings into this JUnit XML file, for CI."),
    ] = None,
    write_policy: Annotated[
        Path | None,
        typer.Option(
            help="Write the recommended policy into this new file: what was audited with the "
            "first fix that a policy can state, or as it is if that is SAFE."
        ),
    ] = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            help="Exit with code 1 if the worst gain found is above so many points, or so much of "
            "a loss."
        ),
    ] = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    encoding: Encoding = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Within seconds: findings, forecast and the four likeliest attacks."
        ),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every attack, not the five strongest alone.")
    ] = False,
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Play everything anew, and keep no plays for next time."),
    ] = False,
    seed: Seed = 0,
    processes: Processes = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Tell how many points someone can gain on a test set without learning anything.

    Plays the attack suite against the policy on these very labels, compares with what bounds
    allow and a history shows, and looks for the cheapest fix. Nothing that is printed or written
    holds a label or an exact score. Exit codes: 0, 1 above --fail-above or without a policy to
    write, 2 bad input.

    holdfast audit compare BEFORE AFTER puts two audits that --json printed side by side.

    Examples
    --------
    holdfast audit labels.csv --rule round:3 --looks 5/day --days 60 --teams 40
    holdfast audit labels.csv --looks 50 --quick
    holdfast audit labels.csv --looks 50 --write-policy policy.toml
    holdfast audit labels.csv --policy policy.toml --report audit.html
    holdfast audit labels.csv --metric f1 --breakdown subject --looks 5/day --days 60
    """
    options = locals()
    if processes is not None:
        check_at_least("processes", processes, 1)
    check_finite("fail_above", fail_above)
    if quick:
        _check_quick(
            {"badge": badge, "sarif": sarif, "junit": junit}
            | {"write_policy": write_policy, "cluster": cluster}
        )
    if labels is not None:
        if policy is None:  # which may name the columns
            with read_as(encoding):
                check_columns(labels, id_column=id_column, label_column=label_column)
        if labels.stat().st_size >= LARGE_FILE:
            typer.echo(
                f"Reading {labels.name}, {labels.stat().st_size / 1e6:,.0f} MB ...", err=True
            )
    # What plays takes a second to load: help and a file that is refused don't wait for it.
    from holdfast import audit as auditing
    from holdfast.cli import audit_files, audit_tables
    from holdfast.cli.audit_asking import asked_breakdown
    from holdfast.cli.audit_progress import watched

    report = audit_files.report_file(report, open_page=open_page)
    audit_files.check_writable(badge=badge, sarif=sarif, junit=junit, write_policy=write_policy)
    if write_policy is not None and write_policy.exists():
        raise InvalidInput(f"write_policy must be a new file, got {write_policy}.")
    read = partial(
        read_as(encoding)(auditing.read_request),
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
        title=title,
        metric=metric,
        also=also or (),
    )
    board = read(breakdown=breakdown)
    board, column = asked_breakdown(board, breakdown)
    if column != breakdown:
        board = read(breakdown=column)
    command = _command({**options, "breakdown": column})
    if quick:
        with _kept(board, wanted=not no_cache) as kept:
            found = auditing.quick_audit(
                board,
                kept=kept,
                on_outlook=None
                if as_json
                else partial(audit_tables.show_outlook, n_looks=board.n_looks, every=every),
            )
        if report is not None:
            audit_files.page_module().write_quick(found, report)
        if as_json:
            print_json(found.as_json())
        else:
            audit_tables.show_quick(found, report)
        if report is not None and open_page:
            audit_files.open_in_browser(report)
        if fail_above is not None and not found.gains and not found.plain:
            raise NotSupported("fail_above has nothing to be compared with: no attack played.")
        if fail_above is not None and found.worst_final_points > fail_above:
            raise typer.Exit(EXIT_ABOVE_LIMIT)
        return
    n_processes = available_cores() if processes is None else processes
    with (
        _kept(board, wanted=not no_cache) as kept,
        watched(board, n_processes, kept) as progress,
    ):
        result = auditing.audit(
            board,
            processes=n_processes,
            cluster=cluster,
            command=command,
            on_event=progress.hear,
            kept=kept,
        )
    if report is not None:
        audit_files.page_module().write(result, report)
    audit_files.write_exports(
        result, badge=badge, sarif=sarif, junit=junit, subject=policy or labels, limit=fail_above
    )
    if as_json:
        print_json(auditing.as_json(result))
    else:
        audit_tables.show(result, report, every=every)
    if report is not None and open_page:
        audit_files.open_in_browser(report)
    if write_policy is not None and not audit_files.write_recommended(board, result, write_policy):
        raise typer.Exit(EXIT_NO_POLICY)
    if fail_above is not None and result.worst > fail_above:
        raise typer.Exit(EXIT_ABOVE_LIMIT)


def _check_quick(files: Mapping[str, object]) -> None:
    for name, value in files.items():
        if value is not None:
            raise InvalidInput(f"{name} must be left out with --quick, which gives no verdict.")


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
                word = "rule" if name == "mechanism" else name.replace("_", "-")
                words += [f"--{word}", text]
    return shlex.join(words)


@contextmanager
def _kept(board: Request, *, wanted: bool) -> Iterator[PlayCache | None]:
    """Open the store of plays, unless it is not wanted."""
    from holdfast.audit import PlayCache, cache_folder

    if not wanted:
        yield None
        return
    beside = () if board.display.plain else board.told_apart_by
    kept = PlayCache(board, cache_folder(), beside)
    try:
        yield kept
    finally:
        kept.close()


audit.command("compare", cls=ExplainedCommand)(compare)
