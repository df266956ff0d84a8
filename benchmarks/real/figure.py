"""Pictures of gains on real test sets: against looks, and what a thousand looks are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.real.grid import LOOKS, RULES, hides_nothing
from benchmarks.real.rows import Place, Plays
from benchmarks.real.tables import SHOWN, TITLES, Best, best_of

__all__ = ["draw_gains", "draw_thousand"]

# Rule, who, and how the line is drawn: colour, marker and dash each tell them apart.
LINES = (
    ("exact", "best attack", "#D55E00", "o", "-"),
    ("exact", "best attack from the models", "#CC79A7", "D", "-"),
    ("exact", "best attack, by group", "#E69F00", "^", "-"),
    ("exact", "paper's attacks", "#999999", "x", "--"),
    ("round:2", "best attack", "#0072B2", "s", "--"),
    ("ladder", "best attack", "#009E73", "v", "-."),
    ("ladder:0.01", "best attack", "#56B4E9", "P", ":"),
)
COLUMNS = 3
# Gains up to this many points are drawn to a linear scale, so that those below zero have a place.
LINEAR = 0.1
TICKS = (-1, -0.1, 0, 0.1, 1, 10, 100)
NOTE = (
    "Bars are standard errors over the games.\n"
    f"Between \N{MINUS SIGN}{LINEAR} and {LINEAR} the scale is linear,\nbeyond it logarithmic."
)


def draw_gains(
    places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]], path: Path
) -> None:
    """Draw all sets, with gains that are not above zero where they are."""
    settings: Any = {"svg.hashsalt": "holdfast", "svg.fonttype": "path", "font.size": 9}
    with mpl.rc_context(settings):
        n_rows = -(-(len(sets) + 1) // COLUMNS)
        figure = Figure(figsize=(10.5, 3.4 * n_rows), layout="constrained")
        axes = figure.subplots(n_rows, COLUMNS).ravel()
        handles: dict[str, Any] = {}
        for axis, (name, facts) in zip(axes, sets.items(), strict=False):
            axis.axhline(0.0, color="#555555", linewidth=0.8)
            for rule, way, colour, marker, dash in LINES:
                found = [(k, best_of(places, name, way, rule, k)) for k in LOOKS]
                played = [(k, each) for k, each in found if isinstance(each, Best)]
                if not played:
                    continue
                scale = 100.0 / facts["n_examples"]
                errors = [scale * each.gain.stderr for _, each in played]
                handles[f"{SHOWN.get(rule, rule)}: {way}"] = axis.errorbar(
                    [k for k, _ in played],
                    [scale * each.gain.mean for _, each in played],
                    yerr=[0.0 if math.isnan(error) else error for error in errors],
                    color=colour,
                    marker=marker,
                    linestyle=dash,
                    markersize=4.5,
                    linewidth=1.2,
                    elinewidth=0.8,
                    capsize=2,
                )
            _scales(axis, TITLES[name])
        for axis in axes[::COLUMNS]:
            axis.set_ylabel("gain, points")
        for axis in axes[max(0, len(sets) - COLUMNS) : len(sets)]:
            axis.set_xlabel("looks")
        for axis in axes[len(sets) :]:
            axis.axis("off")
        axes[len(sets)].legend(
            list(handles.values()),
            list(handles),
            loc="upper left",
            frameon=False,
            handlelength=3.6,
        )
        axes[len(sets)].text(0.02, 0.02, NOTE, transform=axes[len(sets)].transAxes)
        figure.savefig(path, metadata={"Date": None})


def _scales(axis: Any, title: str) -> None:
    axis.set_title(title)
    axis.set_xscale("log")
    axis.set_yscale("symlog", linthresh=LINEAR, linscale=0.5)
    axis.set_ylim(-1.0, 120.0)
    axis.set_xticks(LOOKS, [f"{k:,}" for k in LOOKS])
    axis.set_yticks(TICKS, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in TICKS])
    axis.minorticks_off()
    axis.grid(visible=True, color="#dddddd", linewidth=0.6)


# The sets of a talk, and a colour for each rule.
TALK = ("imagenet_val", "cifar10", "mmlu", "mmlu_pro")
BARS = ("#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73")
PANELS = {
    "best attack": "who knows nothing: above guessing",
    "best attack from the models": "who has the models' labels: above their vote",
}


def draw_thousand(
    places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]], path: Path
) -> None:
    """Draw what a thousand looks gain under each rule, a group of bars for each set of `TALK`."""
    settings: Any = {"svg.hashsalt": "holdfast", "svg.fonttype": "path", "font.size": 9}
    names = [name for name in TALK if name in sets]
    with mpl.rc_context(settings):
        figure = Figure(figsize=(9.5, 6.2), layout="constrained")
        for axis, (way, title) in zip(figure.subplots(2), PANELS.items(), strict=True):
            for at, rule in enumerate(RULES):
                heights, errors = [], []
                for name in names:
                    n_examples = sets[name]["n_examples"]
                    same = "exact" if hides_nothing(rule, n_examples) else rule
                    found = best_of(places, name, way, same, 1000)
                    gain = found.gain if isinstance(found, Best) else (math.nan, math.nan)
                    heights.append(100.0 * gain[0] / n_examples)
                    errors.append(100.0 * gain[1] / n_examples)
                where = [each + 0.16 * (at - 2) for each in range(len(names))]
                bars = axis.bar(where, heights, 0.15, color=BARS[at], label=SHOWN.get(rule, rule))
                axis.errorbar(where, heights, yerr=errors, fmt="none", ecolor="#333333", lw=0.8)
                axis.bar_label(bars, [f"{round(each, 1) + 0.0:.1f}" for each in heights], padding=3)
            axis.set_xticks(range(len(names)), [TITLES[name] for name in names])
            axis.set_title(title, loc="left")
            axis.set_ylabel("points gained")
            axis.margins(y=0.15)
            for side in ("top", "right"):
                axis.spines[side].set_visible(False)
        axis.legend(
            ncols=len(RULES), loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False
        )
        figure.savefig(path, metadata={"Date": None})
