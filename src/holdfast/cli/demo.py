"""`holdfast demo`: every attack against one hidden test set, next to the guarantees."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import AsJson, Processes, Seed, output_folder, processes_for
from holdfast.cli.output import human, print_json, progress
from holdfast.experiments import run, summarise
from holdfast.experiments.demonstration import (
    N_CLASSES,
    N_EXAMPLES,
    demo_experiments,
    with_bounds,
)
from holdfast.experiments.figures import bias_figure, check_can_draw

__all__ = ["demo"]

# The table shows these; the figure shows all.
LOOKS_IN_TABLE = (1, 101, 501, 5001, 20_001)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("out"),
    seed: Seed = 0,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Overfit a hidden test set of 10,000 examples and 10 classes with every attack.

    Prints what each attack scored, what the paper guarantees it, and what no attack can exceed;
    draws the same as a figure. Takes less than a minute.

    Examples
    --------
    holdfast demo
    holdfast demo --out figures --seed 7
    """
    check_can_draw()
    out = output_folder(out)
    start = time.perf_counter()
    experiments = demo_experiments(seed)
    trials = sum(experiment.trials for experiment in experiments)
    with progress("playing every attack", trials) as advance:
        rows = run(experiments, processes=processes_for(experiments, processes), on_trials=advance)
    points = [with_bounds(summary) for summary in summarise(rows)]
    paths = [out / "bias.png", out / "bias.svg"]
    bias_figure(points, N_EXAMPLES, N_CLASSES, paths=paths)
    if as_json:
        print_json(
            {
                "n_examples": N_EXAMPLES,
                "n_classes": N_CLASSES,
                "seed": seed,
                "points": [_point(point) for point in points],
                "figures": [str(path) for path in paths],
                "seconds": round(time.perf_counter() - start, 1),
            }
        )
    else:
        _show(points, paths)


def _point(point: dict[str, Any]) -> dict[str, Any]:
    return {
        "attack": point["attack"],
        "n_queries": point["k"],
        "trials": point["trials"],
        "accuracy": point["accuracy"],
        "guarantee": point["guarantee"],
        "upper_bound": point["upper_bound"],
    }


def _show(points: Sequence[dict[str, Any]], paths: list[Path]) -> None:
    console = human()
    console.print(
        f"A hidden test set of {N_EXAMPLES:,} examples and {N_CLASSES} classes. "
        f"Guessing scores {1 / N_CLASSES:.0%}."
    )
    table = Table("looks", "attack", "accuracy", "guaranteed", "no attack exceeds")
    for column in (0, 2, 3, 4):
        table.columns[column].justify = "right"
    for k in LOOKS_IN_TABLE:
        here = sorted((p for p in points if p["k"] == k), key=lambda p: -p["accuracy"].mean)
        for at, point in enumerate(here):
            guarantee = point["guarantee"]
            mean, stderr = point["accuracy"]
            table.add_row(
                f"{k:,}" if at == 0 else "",
                point["attack"],
                f"{mean:7.2%} ± {stderr:.2%}",
                "" if guarantee is None else f"{guarantee:.2%}",
                f"{point['upper_bound']:.2%}" if at == 0 else "",
                end_section=at == len(here) - 1,
            )
    console.print(table)
    console.print("accuracy: mean and standard error over trials with fresh labels and attacks")
    console.print(f"Figure: {' and '.join(map(str, paths))}")
