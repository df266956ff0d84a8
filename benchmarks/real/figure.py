"""The picture of gains on real test sets: points against looks, a panel for each set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.real.grid import LOOKS
from benchmarks.real.rows import Place, Plays
from benchmarks.real.tables import TITLES, Best, best_of

__all__ = ["draw_gains"]

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
COLUMNS, LEAST = 3, 0.01


def draw_gains(
    places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]], path: Path
) -> None:
    """Draw all sets; gains below a hundredth of a point are drawn at the lower edge."""
    settings: Any = {"svg.hashsalt": "holdfast", "svg.fonttype": "path", "font.size": 9}
    with mpl.rc_context(settings):
        n_rows = -(-(len(sets) + 1) // COLUMNS)
        figure = Figure(figsize=(10.5, 3.0 * n_rows), layout="constrained")
        axes = figure.subplots(n_rows, COLUMNS).ravel()
        handles: dict[str, Any] = {}
        for axis, (name, facts) in zip(axes, sets.items(), strict=False):
            for rule, way, colour, marker, dash in LINES:
                found = [(k, best_of(places, name, way, rule, k)) for k in LOOKS]
                played = [(k, each) for k, each in found if isinstance(each, Best)]
                if not played:
                    continue
                scale = 100.0 / facts["n_examples"]
                (handles[f"{rule}: {way}"],) = axis.plot(
                    [k for k, _ in played],
                    [max(LEAST, scale * each.gain.mean) for _, each in played],
                    color=colour,
                    marker=marker,
                    linestyle=dash,
                    markersize=5,
                )
            axis.set(xscale="log", yscale="log", ylim=(LEAST * 0.8, 120), title=TITLES[name])
            axis.set_xticks(LOOKS, [f"{k:,}" for k in LOOKS])
            axis.minorticks_off()
            axis.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
            axis.grid(visible=True, color="#dddddd", linewidth=0.6)
        for axis in axes[::COLUMNS]:
            axis.set_ylabel("gain, points")
        for axis in axes[max(0, len(sets) - COLUMNS) : len(sets)]:
            axis.set_xlabel("looks")
        for axis in axes[len(sets) :]:
            axis.axis("off")
        axes[len(sets)].legend(list(handles.values()), list(handles), loc="center", frameon=False)
        figure.savefig(path, metadata={"Date": None})
