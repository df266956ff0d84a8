"""The look of a sweep's figures: vector files, told apart without colour, the same every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.experiments.figures import COLOURS, MARKERS
from holdfast.sweeps.summary import Place

__all__ = ["SIZE", "Line", "drawn", "grouped", "lines_on"]

SIZE = (9.6, 5.4)

SETTINGS: Any = {"font.size": 11, "svg.hashsalt": "holdfast", "svg.fonttype": "path"}
# Marker and dash tell lines apart in grey.
DASHES = ("-", "--", "-.", ":")


class Line(NamedTuple):
    """A named line: where its points are, and their standard errors."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    errors: Sequence[float] | None = None


def grouped(
    places: Sequence[Place], key: Callable[[Place], tuple[Any, ...]]
) -> Iterator[tuple[tuple[Any, ...], list[Place]]]:
    """Yield places that have the same key, in the order in which they first appear."""
    groups: dict[tuple[Any, ...], list[Place]] = {}
    for place in places:
        groups.setdefault(key(place), []).append(place)
    yield from groups.items()


def drawn(path: Path, size: tuple[float, float], draw: Callable[[Any], None]) -> Path:
    """Draw on fresh axes and write the file; the same numbers make the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside right center", frameon=False)
        metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, dpi=150, metadata=metadata.get(path.suffix))
    return path


def lines_on(
    axes: Any, lines: Sequence[Line], *, x: str, y: str, title: str, level: float | None = None
) -> None:
    """Draw lines on logarithmic axes; what is not above zero has no place there.

    A `level` is drawn across, for what lines are compared with.
    """
    if level is not None:
        axes.axhline(level, color="0.4", linewidth=1.0, linestyle=":")
    for at, line in enumerate(lines):
        xs, ys = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
        errors = np.zeros_like(ys) if line.errors is None else np.asarray(line.errors)
        seen = (ys > 0) & (ys > np.nan_to_num(errors))
        axes.errorbar(
            xs[seen],
            ys[seen],
            yerr=None if line.errors is None else np.nan_to_num(errors[seen]),
            color=COLOURS[at % len(COLOURS)],
            marker=MARKERS[at % len(MARKERS)],
            linestyle=DASHES[at % len(DASHES)],
            linewidth=1.3,
            capsize=3,
            label=line.name,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,g}")
        if _decades(axis) < 1:  # then no power of ten may be on it, and the ticks between count
            axis.set_minor_formatter(lambda value, _: f"{value:,g}")
        else:
            axis.set_minor_formatter("")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=11)
    axes.grid(which="major", color="0.88", linewidth=0.8)


def _decades(axis: Any) -> float:
    low, high = axis.get_view_interval()
    return float(np.log10(high / low)) if 0 < low < high else 0.0
