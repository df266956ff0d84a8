"""`holdfast demo`: the paper's attacks against one hidden test set, next to the guarantees."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import AsJson, Processes, Seed, output_folder, processes_for
from holdfast.cli.output import human, print_json, progress
from holdfast.cli.plain import explained_attack

__all__ = ["demo"]

# The table shows these; the figure shows all.
LOOKS_IN_TABLE = (1, 101, 501, 5001, 20_001)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("out"),
    seed: Seed = 0,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Overfit a hidden test set of 10,000 examples and 10 classes with the paper's attacks.

    Prints what each attack gained above guessing, what the paper guarantees it, and what no attack
    can exceed, in points (fractions in the JSON); draws the same as a figure. Takes less than a
    minute.

    Examples
    --------
    holdfast demo
    holdfast demo --out figures --seed 7
    """
    from holdfast.experiments import run, summarise
    from holdfast.experiments.demonstration import (
        N_CLASSES,
        N_EXAMPLES,
        demo_experiments,
        with_bounds,
    )
    from holdfast.experiments.figures import bias_figure, check_can_draw

    check_can_draw()
    out = output_folder(out)
    start = time.perf_counter()
    experiments = demo_experiments(seed)
    trials = sum(experiment.trials for experiment in experiments)
    with progress("playing the attacks", trials) as advance:
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
        "n_queries": point["n_queries"],
        "trials": point["trials"],
        "accuracy": point["accuracy"],
        "guarantee": point["guarantee"],
        "upper_bound": point["upper_bound"],
    }


def _show(points: Sequence[dict[str, Any]], paths: list[Path]) -> None:
    from holdfast.experiments.demonstration import N_CLASSES, N_EXAMPLES

    console = human()
    console.print(
        f"A hidden test set of {N_EXAMPLES:,} examples and {N_CLASSES} classes. "
        f"Guessing scores {100 / N_CLASSES:.0f} %; a gain is what an attack scores above that, "
        "after so many scored submissions (looks)."
    )
    table = Table()
    table.add_column("looks", justify="right")
    table.add_column("attack", no_wrap=True)
    # Narrow enough that heads fold and rows don't.
    for title, width in (
        ("gain, points", 14),
        ("guaranteed, points", 11),
        ("no attack can exceed, points", 14),
    ):
        table.add_column(title, justify="right", width=width)
    free = 1 / N_CLASSES
    for k in LOOKS_IN_TABLE:
        here = sorted((p for p in points if p["n_queries"] == k), key=lambda p: -p["accuracy"].mean)
        for at, point in enumerate(here):
            guarantee = point["guarantee"]
            mean, stderr = point["bias"]
            table.add_row(
                f"{k:,}" if at == 0 else "",
                explained_attack(point["attack"]),
                f"{100 * mean:.2f} ± {100 * stderr:.2f}",
                "" if guarantee is None else f"{100 * (guarantee - free):.2f}",
                f"{100 * (point['upper_bound'] - free):.2f}" if at == 0 else "",
                end_section=at == len(here) - 1,
            )
    console.print(table)
    console.print("gain: mean and standard error over trials with fresh labels and attacks")
    console.print(f"Figure: {' and '.join(map(str, paths))}")
