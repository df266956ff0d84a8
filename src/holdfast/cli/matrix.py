"""`holdfast matrix`: every attack of the suite against every release rule."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import AsJson, Processes, Seed, completed_rule, looks_option, problem_from
from holdfast.cli.output import human, print_json, progress
from holdfast.cores import available_cores
from holdfast.experiments import Matrix, Mean, RuleSummary, heat_map, n_plays, run_matrix
from holdfast.experiments.heat_map import check_figure
from holdfast.files.label_files import read_labels

__all__ = ["matrix"]


def matrix(
    n_queries: Annotated[int, looks_option("How many looks an attack may take.")],
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
    figure: Annotated[
        Path | None, typer.Option(help="Draw a heat map into this .png, .svg or .pdf file.")
    ] = None,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Judge release rules by the strongest of many attacks.

    Every attack of the suite that can play a rule does. For each rule: the strongest attack and
    what it gains above guessing (measured again on fresh labels), with one account and with as many
    as it likes; the certified bound, which no attack can exceed in expectation that knows nothing
    of the labels; and the price to an honest user, how far an answer may be from the exact
    accuracy. Exit code 1 if a rule's measured gain exceeds its certified bound.

    Examples
    --------
    holdfast matrix --n-examples 1000 --n-classes 10 --looks 100
    holdfast matrix --labels labels.csv --looks 100 --rule exact --rule ladder:0.01
        --figure matrix.png
    """
    if figure is not None:
        check_figure(figure)
    file = None
    if labels is not None:
        file = read_labels(labels, id_column=id_column, label_column=label_column)
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
        f"suite {result['suite']['version']} on {n:,} examples, {m:,} classes, {k:,} looks: "
        f"{result['trials']} trials, seed {result['seed']}"
    )
    table = Table()
    for title in ("release rule", "strongest attack", "strongest with any number of accounts"):
        table.add_column(title, overflow="fold")
    for title in ("bound", "bits", "price"):
        table.add_column(title, justify="right", no_wrap=True)
    summaries: list[RuleSummary] = result["rules"]
    for each in sorted(summaries, key=lambda summary: -summary.bias.mean):
        table.add_row(
            each.rule,
            f"{_gain(each.bias)} {each.strongest}",
            f"{_gain(each.bias_with_accounts)} {each.strongest_with_accounts}",
            f"{each.certified:.3f}" + ("" if each.holds else " EXCEEDED"),
            f"{each.bits_per_look:.1f}",
            f"{each.resolution:.2g}",
        )
    console.print(table)
    console.print(
        f"Accuracy above guessing ({1 / m:.5f}), and what no attack can exceed that knows nothing "
        f"of the labels; bits per look; how far an answer may be from the truth. Took "
        f"{result['seconds']:.1f} s."
    )


def _gain(bias: Mean) -> str:
    return f"{bias.mean:.4f} ±{bias.stderr:.4f}"
