"""Draw what is allowed and what attacks gain, against the looks: docs/images/bounds.svg.

    python scripts/bounds_figure.py --seed 1

plays champion-challenger and hadamard-blocks on uniform labels, a few times each, and prints the
table of docs/bounds.md. It takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from holdfast.certificates import certify
from holdfast.experiments import Experiment, Mean, mean_of, run
from holdfast.mechanisms import parse_mechanism
from holdfast.problem import Problem

TARGET = Path(__file__).parents[1] / "docs/images"
PANELS = ((10_000, 2), (10_000, 10), (50_000, 1000))
LOOKS = (10, 30, 100, 300, 1000)
TRIALS = 8
# An adaptive attack, and the best of those that fix all queries in advance.
ATTACKS = {"champion-challenger": ("#D55E00", "o"), "hadamard-blocks": ("#0072B2", "s")}


def half_nat(problem: Problem) -> float:
    """Return the gain of a look that is worth half a nat, while gains are small."""
    n, m, k = problem
    return math.sqrt((1.0 - 1.0 / m) * k * n / m)


def allowed(problem: Problem, *, fixed: bool) -> float:
    """Return the certified gain in matches."""
    return problem.n_examples * certify(problem, fixed_queries=fixed).gain


def played(name: str, problem: Problem, seed: int) -> Mean:
    """Return the measured gain in matches."""
    rows = run([Experiment(name, problem, trials=TRIALS, seed=seed)])
    return mean_of(row["gain"] for row in rows)


def draw(seed: int) -> dict[tuple[str, Problem], Mean]:
    """Draw all panels, and return what was measured."""
    measured = {}
    settings = {"font.size": 10, "svg.hashsalt": "holdfast", "svg.fonttype": "path"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(11.0, 4.4), layout="constrained")
        for axes, (n, m) in zip(figure.subplots(1, 3), PANELS, strict=True):
            grid = np.unique(np.geomspace(1, 3000, 50).astype(int)).tolist()
            problems = [Problem(n, m, k) for k in grid]
            for fixed, style, name in (
                (False, "-", "allowed: any analyst"),
                (True, ":", "allowed: queries fixed in advance"),
            ):
                gains = [allowed(each, fixed=fixed) / n for each in problems]
                axes.plot(grid, gains, style, color="black", label=name)
            law = [half_nat(each) / n for each in problems]
            axes.plot(grid, law, "--", color="0.55", label="half a nat a look (no bound)")
            for name, (colour, marker) in ATTACKS.items():
                for k in LOOKS:
                    measured[name, Problem(n, m, k)] = played(name, Problem(n, m, k), seed)
                means = [measured[name, Problem(n, m, k)].mean / n for k in LOOKS]
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
        figure.savefig(TARGET / "bounds.svg", metadata={"Date": None})
    return measured


def table(measured: dict[tuple[str, Problem], Mean]) -> None:
    """Print the table of docs/bounds.md."""
    print("| n, m, k | played, adaptive | half-nat law | allowed | ratio | ", end="")
    print("played, fixed | allowed, fixed | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for n, m in PANELS:
        for k in LOOKS[::2]:
            problem = Problem(n, m, k)
            best, fixed = (measured[name, problem].mean for name in ATTACKS)
            most, most_fixed = (allowed(problem, fixed=each) for each in (False, True))
            print(
                f"| {n:,}, {m:,}, {k:,} | {best:.0f} | {half_nat(problem):.0f} | {most:.0f} | "
                f"{most / best:.1f} | {fixed:.0f} | {most_fixed:.0f} | {most_fixed / fixed:.1f} |"
            )
    print("\n| n, m, k, rule | allowed, points | by |\n|---|--:|---|")
    for n, m, k, rule in (
        (899, 10, 1000, "ladder:0.01"),
        (10_000, 10, 1000, "ladder:0.01"),
        (10_000, 10, 1000, "ladder"),
        (10_000, 10, 1000, "round:2"),
        (10_000, 10, 1000, "gaussian:0.01"),
        (10_000, 10, 1000, "improved"),
    ):
        found = certify(Problem(n, m, k), parse_mechanism(rule))
        print(f"| {n:,}, {m}, {k:,}, `{rule}` | {100 * found.gain:.2f} | `{found.bound}` |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    table(draw(parser.parse_args().seed))
