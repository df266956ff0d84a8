"""`holdfast paper reproduce`: the paper's Table 1, measured."""

from __future__ import annotations

import csv
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.options import (
    AsJson,
    Processes,
    Seed,
    check_finite,
    output_folder,
    processes_for,
)
from holdfast.cli.output import human, print_json, progress
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.experiments import Mean, Row
    from holdfast.experiments.reproduce import MeasuredRow

__all__ = ["reproduce"]


def reproduce(
    out: Annotated[Path, typer.Option(help="Folder for the figure and the rows.")] = Path("out"),
    seed: Seed = 0,
    effort: Annotated[
        float, typer.Option(help="Multiply the number of trials; less is faster and less exact.")
    ] = 1.0,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Measure the paper's Table 1: how the bias grows with k, n and m.

    Plays the paper's attacks and Feldman, Frostig and Hardt's over grids of sizes, and reads the
    exponents off by weighted regression. Also draws the bias against the number of looks. Takes
    under three minutes on two cores.

    Examples
    --------
    holdfast paper reproduce
    holdfast paper reproduce --effort 0.1 --out figures
    """
    from holdfast.attacks import Exhaustive
    from holdfast.experiments import run, summarise
    from holdfast.experiments.demonstration import (
        LABELS_PER_POINT,
        N_CLASSES,
        N_EXAMPLES,
        demo_experiments,
    )
    from holdfast.experiments.figures import bias_figure, check_can_draw
    from holdfast.experiments.reproduce import doubling_looks, measure, table_experiments

    check_finite("effort", effort)
    if not effort > 0:
        raise InvalidInput(f"effort must be positive, got {effort}.")
    check_can_draw()
    out = output_folder(out)
    start = time.perf_counter()
    for_table = table_experiments(seed, effort=effort)
    for_figure = demo_experiments(seed, labels_per_point=round(effort * LABELS_PER_POINT))
    both = for_table + for_figure
    with progress("measuring Table 1", sum(e.trials for e in both)) as advance:
        rows = run(both, processes=processes_for(both, processes), on_trials=advance)
    split = sum(experiment.trials for experiment in for_table)
    table = measure(rows[:split])
    doubling = doubling_looks(rows[:split], Exhaustive.name)
    figures = bias_figure(
        summarise(rows[split:]), N_EXAMPLES, N_CLASSES, paths=[out / "bias.png", out / "bias.svg"]
    )
    saved = _save(rows, out / "rows.csv")
    seconds = time.perf_counter() - start
    if as_json:
        print_json(
            {
                "seed": seed,
                "table": [_entry(line) for line in table],
                "exhaustive_doubling_looks": doubling,
                "figures": [str(path) for path in figures],
                "rows": str(saved),
                "seconds": round(seconds, 1),
            }
        )
        return
    _show(table, doubling)
    human().print(
        f"Figure: {' and '.join(map(str, figures))}; every trial: {saved}. Took {seconds:.0f} s."
    )


def _entry(line: MeasuredRow) -> dict[str, Any]:
    row = line.row
    return {
        "attack": row.attack,
        "regime": row.regime,
        "work": row.work,
        "grid": row.grid,
        "exponents": {
            name: {
                "theory": theory,
                "measured": getattr(line.measured, name),
                "closed_form": None if line.expected is None else getattr(line.expected, name).mean,
            }
            for name, theory in zip("knm", row.theory, strict=True)
        },
        "seconds_per_trial": line.seconds_per_trial,
    }


def _show(table: Sequence[MeasuredRow], doubling: Mean) -> None:
    from holdfast.attacks import ColumnVote

    console = human()
    console.print("Table 1, measured: bias grows like k^a n^b m^c")
    shown = Table("regime", "attack", "by", "exponent of", "theory", "measured", "closed form")
    for column in (4, 5, 6):
        shown.columns[column].justify = "right"
    for line in table:
        for at, name in enumerate("knm"):
            mean, stderr = getattr(line.measured, name)
            expected = "" if line.expected is None else f"{getattr(line.expected, name).mean:.3f}"
            first = (line.row.regime, line.row.attack, line.row.work) if at == 0 else ("", "", "")
            theory = f"{line.row.theory[at]:g}"
            measured = f"{mean:.3f} ± {stderr:.3f}"
            shown.add_row(*first, name, theory, measured, expected, end_section=at == 2)
    console.print(shown)
    console.print(
        "theory: the table's exponents, which leave logarithms out. closed form: the exact or "
        "normal-limit bias fitted over the same grid, logarithms and all."
    )
    slowest = {line.row.attack: line.seconds_per_trial for line in table}
    console.print(
        f"exhaustive doubles its time every {doubling.mean:.2f} ± {doubling.stderr:.2f} looks "
        f"(exp(k)); column-vote takes {slowest[ColumnVote.name]:.2f} s for a trial of up to 8,000."
    )


def _save(rows: Sequence[Row], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
