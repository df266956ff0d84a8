"""Allowed and played gains against the looks: docs/images/bounds.svg and two tables.

    python -m benchmarks.generated bounds

plays the attacks that the planner chooses on uniform labels, adaptive or not, a few times each. It
takes some minutes on one core.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.generated_base import Generated
from benchmarks.tables import DATA, ROOT
from holdfast.certificates import certify
from holdfast.experiments import Experiment, mean_of, run
from holdfast.planner import plan
from holdfast.problem import Problem
from holdfast.rules import parse_rule

PICTURE = ROOT / "docs" / "images" / "bounds.svg"
SEED = 1
TRIALS = 8
PANELS = ((10_000, 2), (10_000, 10), (50_000, 1000))
LOOKS = (10, 30, 100, 300, 1000)
# Where the curves are computed: enough for straight pieces to look smooth.
GRID = (1, 2, 3, 5, 7, 10, 14, 20, 30, 45, 70, 100, 150, 200, 300, 450, 700, 1000, 1700, 3000)
# The planner's choice of all attacks, and of those that fix all queries in advance.
PLAYED = {"adaptive": ("#D55E00", "o"), "fixed in advance": ("#0072B2", "s")}
RULES = (
    (899, 10, 1000, "ladder:0.01"),
    (10_000, 10, 1000, "ladder:0.01"),
    (10_000, 10, 1000, "ladder"),
    (10_000, 10, 1000, "round:2"),
    (10_000, 10, 1000, "gaussian:0.01"),
    (10_000, 10, 1000, "improved"),
)


def half_nat(problem: Problem) -> float:
    """Return the gain of a look that is worth half a nat, while gains are small."""
    n, m, k = problem
    return math.sqrt((1.0 - 1.0 / m) * k * n / m)


class Bounds(Generated):
    """The figure and the tables as one set of numbers."""

    name = "bounds"
    command = "python -m benchmarks.generated bounds"
    seed = SEED
    files = (DATA / "bounds.json", PICTURE)

    def content(self) -> dict[str, Any]:
        """Compute what is allowed and play the attacks."""
        names = [
            f"{n} {m} {k} {kind}" for n, m in PANELS for k in GRID for kind in ("any", "fixed")
        ]
        names += [f"{n} {m} {k} {name}" for n, m in PANELS for k in LOOKS for name in PLAYED]
        names += [f"{n} {m} {k} {rule}" for n, m, k, rule in RULES]
        return {"cells": {name: self.measured(name) for name in names}}

    def measured(self, cell: str) -> Any:
        """Return a gain in matches; of a play and its attack, of a rule in points and its bound."""
        n, m, k, what = cell.split(maxsplit=3)
        problem = Problem(int(n), int(m), int(k))
        if what in PLAYED:
            attack = plan(problem, non_adaptive=what != "adaptive").chosen.attack
            rows = run([Experiment(attack, problem, trials=TRIALS, seed=SEED)])
            return [round(mean_of(row["gain_examples"] for row in rows).mean, 3), attack]
        if what in ("any", "fixed"):
            found = certify(problem, fixed_queries=what == "fixed")
            return round(problem.n_examples * found.gain, 3)
        found = certify(problem, parse_rule(what))
        return [round(100 * found.gain, 2), found.bound]

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is quick to compute: all but long games."""

        def quick(cell: str) -> bool:
            n, _, k, what = cell.split(maxsplit=3)
            return what not in PLAYED or int(n) * int(k) <= 300_000

        return {cell: value for cell, value in content["cells"].items() if quick(cell)}

    def draw(self, content: Mapping[str, Any]) -> None:
        """Draw the figure."""
        draw(content["cells"], PICTURE)

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the tables of docs/bounds.md."""
        cells = content["cells"]
        return {"bounds": _gains(cells), "bounds-rules": _rules(cells)}


def draw(cells: dict[str, Any], path: Path) -> None:
    """Draw all panels."""
    with mpl.rc_context({"font.size": 10, "svg.hashsalt": "holdfast", "svg.fonttype": "path"}):
        figure = Figure(figsize=(11.0, 4.4), layout="constrained")
        for axes, (n, m) in zip(figure.subplots(1, 3), PANELS, strict=True):
            for kind, style, name in (
                ("any", "-", "allowed: any analyst"),
                ("fixed", ":", "allowed: queries fixed in advance"),
            ):
                gains = [cells[f"{n} {m} {k} {kind}"] / n for k in GRID]
                axes.plot(GRID, gains, style, color="black", label=name)
            law = [half_nat(Problem(n, m, k)) / n for k in GRID]
            axes.plot(GRID, law, "--", color="0.55", label="half a nat per look (no bound)")
            for name, (colour, marker) in PLAYED.items():
                means = [cells[f"{n} {m} {k} {name}"][0] / n for k in LOOKS]
                axes.plot(LOOKS, means, marker, color=colour, markersize=5, label=f"played: {name}")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylim(0.15 / math.sqrt(m * n), 1.2 * (1.0 - 1.0 / m))
            axes.set_title(f"n = {n:,}, m = {m:,}")
            axes.set_xlabel("looks at exact scores (k)")
            axes.grid(which="major", color="0.9", linewidth=0.7)
            axes.set_axisbelow(True)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        figure.axes[0].set_ylabel("accuracy above guessing (1/m)")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _gains(cells: dict[str, Any]) -> str:
    lines = [
        "| n, m, k | played, adaptive | by | half-nat law | allowed | ratio | played, fixed | by "
        "| allowed, fixed | ratio |",
        "|---|--:|---|--:|--:|--:|--:|---|--:|--:|",
    ]
    for n, m in PANELS:
        for k in LOOKS:
            (best, how), (fixed, fixed_how) = (cells[f"{n} {m} {k} {name}"] for name in PLAYED)
            most, most_fixed = (cells[f"{n} {m} {k} {kind}"] for kind in ("any", "fixed"))
            lines.append(
                f"| {n:,}, {m:,}, {k:,} | {best:.0f} | `{how}` | {half_nat(Problem(n, m, k)):.0f} "
                f"| {most:.0f} | {most / best:.1f} | {fixed:.0f} | `{fixed_how}` "
                f"| {most_fixed:.0f} | {most_fixed / fixed:.1f} |"
            )
    return "\n".join([*lines, ""])


def _rules(cells: dict[str, Any]) -> str:
    lines = ["| n, m, k, rule | allowed, points | by |", "|---|--:|---|"]
    for n, m, k, rule in RULES:
        points, bound = cells[f"{n} {m} {k} {rule}"]
        lines.append(f"| {n:,}, {m}, {k:,}, `{rule}` | {points:.2f} | `{bound}` |")
    return "\n".join([*lines, ""])
