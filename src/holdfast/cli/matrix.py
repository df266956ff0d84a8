"""`holdfast bench matrix`: every attack of the suite against every release rule."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import (
    AsJson,
    Cluster,
    Encoding,
    Processes,
    Seed,
    completed_rule,
    looks_option,
    problem_from,
)
from holdfast.cli.output import human, print_json, progress
from holdfast.cli.plain import blur, explained_attack, percent, scored_submissions
from holdfast.cores import available_cores

if TYPE_CHECKING:
    from holdfast.experiments import Mean, RuleSummary

__all__ = ["matrix"]


def matrix(
    n_queries: Annotated[
        int, looks_option("How many scored submissions (looks) an attack may take.")
    ],
    n_examples: Annotated[
        int | None, typer.Option(help="Size of the test set. Default: that of --labels.")
    ] = None,
    n_classes: Annotated[
        int | None, typer.Option(help="Number of classes. Default: those in --labels.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="A release rule such as ladder:0.01; repeat for more. Default: all kinds.",
            autocompletion=completed_rule,
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="How often each attack plays each rule.")] = 4,
    seed: Seed = 0,
    labels: Annotated[
        Path | None, typer.Option(help="Play on the labels of this CSV or NPY file.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="The CSV file's column of ids.")] = None,
    label_column: Annotated[
        str | None, typer.Option(help="The CSV file's column of labels.")
    ] = None,
    encoding: Encoding = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw a heat map into this .png, .svg or .pdf file.")
    ] = None,
    processes: Processes = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Judge release rules by the strongest of many attacks.

    Every attack of the suite that can play a rule does. For each rule: the strongest attack and
    what it gains above guessing (measured again on fresh labels), with one account and with as many
    as it likes; the certified bound, which no attack can exceed in expectation that knows nothing
    of the labels; and the blur for honest teams, how far an answer may be from the exact accuracy.
    In points; fractions in the JSON. Exit code 1 if a rule's measured gain exceeds its certified
    bound.

    Examples
    --------
    holdfast bench matrix --n-examples 1000 --n-classes 10 --looks 100
    holdfast bench matrix --labels labels.csv --looks 100 --rule exact --rule ladder:0.01
        --figure matrix.png
    """
    from holdfast.experiments import Matrix, heat_map, n_plays, run_matrix
    from holdfast.experiments.heat_map import check_figure
    from holdfast.files.forms import read_as
    from holdfast.files.label_files import read_labels

    if figure is not None:
        check_figure(figure)
    file = None
    if labels is not None:
        reading = read_as(encoding)(read_labels)
        file = reading(labels, id_column=id_column, label_column=label_column)
    plan = Matrix(
        problem_from(n_examples, n_classes, n_queries, file, labels),
        trials=trials,
        seed=seed,
        rules=rule or None,
        labels=None if file is None else file.labels,
    )
    start = time.perf_counter()
    with progress("matrix", n_plays(plan)) as advance:
        result = run_matrix(
            plan,
            processes=available_cores() if processes is None else processes,
            cluster=cluster,
            on_plays=advance,
        )
    result["seconds"] = round(time.perf_counter() - start, 1)
    if figure is not None:
        heat_map(result, figure)
    if as_json:
        print_json(result)
    else:
        _show(result)
    if not all(summary.holds for summary in result["rules"]):
        raise typer.Exit(1)


def _show(result: dict[str, Any]) -> None:
    n, m, k = result["problem"]
    console = human()
    console.print(
        f"suite {result['suite']['version']} on {n:,} examples, {m:,} classes, "
        f"{scored_submissions(k)}: {result['trials']} trials, seed {result['seed']}"
    )
    table = Table()
    table.add_column("release rule", no_wrap=True)
    for title in (
        "gain of the strongest attack, points",
        "gain of the strongest with any number of accounts, points",
    ):
        table.add_column(title, overflow="fold")
    for title, width in (
        ("no attack can exceed, points", 14),
        ("bits per look", 8),
        ("blur for honest teams, points", 10),
    ):
        table.add_column(title, justify="right", width=width)
    summaries: list[RuleSummary] = result["rules"]
    for each in sorted(summaries, key=lambda summary: -summary.bias.mean):
        table.add_row(
            each.rule,
            f"{_gain(each.bias)} {explained_attack(each.strongest)}",
            "the same"
            if each.strongest_with_accounts == each.strongest
            else f"{_gain(each.bias_with_accounts)} "
            f"{explained_attack(each.strongest_with_accounts)}",
            _bound(each),
            f"{each.bits_per_look:.1f}",
            blur(each.resolution),
        )
    console.print(table)
    console.print(
        f"Gains are accuracy above guessing, which scores {percent(1 / m)} %. No attack can "
        "exceed: in expectation, if it knows nothing of the labels. Blur: how far an answer may be "
        f"from the truth. Took {result['seconds']:.1f} s."
    )


def _bound(each: RuleSummary) -> str:
    """Return the bound of one account and, if that differs, of any number of them."""
    one, many = (f"{100 * gain:.1f}" for gain in (each.certified, each.certified_with_accounts))
    shown = one if one == many else f"{one}; with accounts {many}"
    return shown if each.holds else f"{shown} EXCEEDED"


def _gain(bias: Mean) -> str:
    return f"{100 * bias.mean:.2f} ±{100 * bias.stderr:.2f}"
