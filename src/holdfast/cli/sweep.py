"""`holdfast sweep`: every cell of an experiment file, stopped and resumed at will."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.default_command import WithDefault
from holdfast.cli.explained import ExplainedCommand
from holdfast.cli.figures import figures
from holdfast.cli.options import AsJson, Cluster, Processes, workers_for
from holdfast.cli.output import human, print_json, progress
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.sweeps.summary import Place

__all__ = ["sweep"]

# Reasons that are shown before "and so on".
MOST_REASONS = 5
# Between two lines of progress where there is no terminal.
SECONDS_PER_LINE = 30.0


sweep = typer.Typer(
    cls=WithDefault,
    help="Play every cell of a grid: attacks x rules x metrics x problems x labels x models x "
    "seeds.",
    rich_markup_mode=None,
)


@sweep.command("run", cls=ExplainedCommand)
def run_sweep(
    file: Annotated[Path, typer.Argument(help="The experiment: a TOML file.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Where rows are kept, a .jsonl file. Default: FILE's name beside it."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the rows that are kept there.")
    ] = False,
    table: Annotated[
        Path | None,
        typer.Option(help="Write all rows into this .csv, .jsonl or .parquet file at the end."),
    ] = None,
    processes: Processes = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Play every cell of a grid: attacks x rules x metrics x problems x labels x models x seeds.

    Rows are kept as they come; a sweep that was stopped, or whose grid has grown, plays only what
    is missing with --resume. A row is the same on one process, on many, and on a Dask cluster. A
    cell that can't be played is a row with its reason, and the sweep goes on. Prints the mean gain
    of every place in the grid in points, with standard errors; fractions in the JSON.

    Examples
    --------
    holdfast sweep experiment.toml --processes 2
    holdfast sweep experiment.toml --resume --cluster tcp://127.0.0.1:8786 --table rows.parquet
    """
    from holdfast.sweeps import Journal, read_experiment, run, write_rows
    from holdfast.sweeps.frames import check_writable
    from holdfast.sweeps.summary import summarised

    if table is not None:
        check_writable(table)
    experiment = read_experiment(file)
    kept = file.with_suffix(".rows.jsonl") if out is None else out
    if kept.suffix != ".jsonl":
        raise InvalidInput(f"--out must end in .jsonl, got {kept.name}.")
    workers = workers_for(processes, cluster)
    start = time.perf_counter()
    with (
        _announced(cluster, workers) as scheduler,
        _told(len(experiment)) as advance,
        Journal(kept, resume=resume) as journal,  # last: whatever fails before leaves no file
    ):
        before = set(journal.rows)
        rows = list(
            run(
                experiment,
                processes=workers,
                cluster=scheduler,
                journal=journal,
                on_rows=advance,
            )
        )
        now = [row for own, row in journal.rows.items() if own not in before]
        played = sum(row["error"] is None for row in now)
    if table is not None:
        write_rows(rows, table)
    summary = summarised(rows)
    result = {
        "file": str(file),
        "rows": str(kept),
        "cells": len(rows),
        "played": played,
        "failed": sum(row["error"] is not None for row in rows),
        "seconds": round(time.perf_counter() - start, 1),
        "places": [place.as_dict() for place in summary],
    }
    if as_json:
        print_json(result)
    else:
        _show(result, summary, rows)


sweep.command("figures", cls=ExplainedCommand)(figures)


@contextmanager
def _announced(cluster: str | None, workers: int) -> Iterator[str | None]:
    """Yield the address of a cluster that runs, and say where it shows its progress."""
    from holdfast.experiments.cluster import dashboard, running_cluster

    if cluster is None:
        yield None
        return
    with running_cluster(cluster, workers) as scheduler:
        where = dashboard(scheduler)
        if where is not None:
            typer.echo(f"Dashboard: {where}", err=True)
        yield scheduler


@contextmanager
def _told(total: int) -> Iterator[Callable[[int], None]]:
    """Yield what shows progress: a bar at a terminal, a line now and then in a log."""
    with progress("sweep", total) as advance:
        yield advance if sys.stderr.isatty() else now_and_then(total)


def now_and_then(total: int) -> Callable[[int], None]:
    """Return what counts rows, and says every half a minute how many there are."""
    start = last = time.monotonic()
    done = 0

    def count(more: int) -> None:
        nonlocal done, last
        done += more
        now = time.monotonic()
        if now - last >= SECONDS_PER_LINE:
            last = now
            typer.echo(f"sweep: {done:,} of {total:,} cells after {now - start:,.0f} s", err=True)

    return count


def _show(result: dict[str, Any], summary: list[Place], rows: list[dict[str, Any]]) -> None:
    from holdfast.metrics import Accuracy

    console = human()
    grid = Table()
    several = len({place.metric for place in summary}) > 1 or summary[0].metric != Accuracy.name
    metric = ("metric",) if several else ()
    for name in ("attack", "rule", *metric, "n_examples", "n_classes", "looks", "labels", "model"):
        grid.add_column(name, overflow="fold")
    for name in ("plays", "gain" if several else "gain, points"):
        grid.add_column(name, justify="right")
    for place in summary:
        gain = "not played" if place.gain is None else place.points
        if several and place.gain is not None:
            gain += f" {place.unit}"
        shown = (place.metric,) if several else ()
        sizes = (f"{place.n_examples:,}", f"{place.n_classes:,}", f"{place.n_queries:,}")
        grid.add_row(
            place.attack,
            place.rule,
            *shown,
            *sizes,
            place.labels,
            place.prior,
            str(place.plays),
            gain,
        )
    console.print(grid)
    reasons = list(dict.fromkeys(row["error"] for row in rows if row["error"] is not None))
    for reason in reasons[:MOST_REASONS]:
        console.print(f"Not played: {reason}")
    if len(reasons) > MOST_REASONS:
        console.print(f"... and {len(reasons) - MOST_REASONS} more reasons, in the rows.")
    console.print(
        f"{result['cells']:,} cells, {result['played']:,} played now, {result['failed']:,} not "
        f"playable, in {result['seconds']:.1f} s. Rows: {result['rows']}"
    )
