"""The look of a sweep's figures: vector files, told apart without colour, the same every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from holdfast.experiments.figures import COLOURS, DASHES, HANDLE_LENGTH, MARKERS, stands_out
from holdfast.sweeps.figures.ticks import set_ticks
from holdfast.sweeps.summary import Place

__all__ = ["SIZE", "Curve", "Line", "drawn", "grouped", "lines_on"]

SIZE = (9.6, 5.4)

HIDDEN = "not above chance"
# Of a title: its size in points, and at most what a letter and a line of it take, in inches.
TITLE_SIZE, A_LETTER, A_LINE = 11, 0.092, 0.2
SETTINGS: Any = {"font.size": 11, "svg.hashsalt": "holdfast", "svg.fonttype": "path"}


class Line(NamedTuple):
    """A named line: where its points are, and their standard errors.

    Where errors are known, points count that chance does not explain; `chosen` says that others
    have been left out already.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    errors: Sequence[float] | None = None
    chosen: bool = False

    @property
    def seen(self) -> Line:
        """The points that have a place on a logarithmic axis, by their size."""
        errors = [0.0] * len(self.x) if self.errors is None else self.errors
        points = sorted(
            (x, y, float(np.nan_to_num(error)))
            for x, y, error in zip(self.x, self.y, errors, strict=True)
            if y > 0 and (self.chosen or stands_out(y, error))
        )
        x, y, known = ([point[part] for point in points] for part in range(3))
        return Line(self.name, x, y, known, self.chosen)


class Curve(NamedTuple):
    """What theory says: black, or in the colour of the line that it is about.

    A curve without a name is in no legend.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    dash: str = "-"
    of_line: int | None = None


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
        _head(figure, axes)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            figure.legend(
                loc="outside right center", frameon=False, handlelength=HANDLE_LENGTH, fontsize=10
            )
        metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, dpi=150, metadata=metadata.get(path.suffix))
    return path


def _head(figure: Any, axes: Any) -> None:
    """Let the title go over the whole figure, in as many lines as it needs.

    Over the axes alone, which a long legend leaves little of, both its ends were cut off.
    """
    title = axes.get_title() or axes.get_title(loc="left")
    width, height = figure.get_size_inches()
    lines = wrap(title, max(20, int(width / A_LETTER)))
    axes.set_title("")
    axes.set_title("", loc="left")
    figure.set_size_inches(width, height + A_LINE * (len(lines) - 1))
    figure.suptitle("\n".join(lines), fontsize=TITLE_SIZE)


def lines_on(
    axes: Any,
    lines: Sequence[Line],
    *,
    x: str,
    y: str,
    title: str,
    level: tuple[float, str] | None = None,
    curves: Sequence[Curve] = (),
) -> None:
    """Draw lines on logarithmic axes; what does not stand out from zero has no place there.

    A named `level` is drawn across, for what lines are compared with; `curves` are what theory
    says.
    """
    if level is not None:
        at, name = level
        axes.axhline(at, color="0.4", linewidth=1.2, linestyle=":", label=name)
    for at, line in enumerate(lines):
        seen = line.seen
        axes.errorbar(
            seen.x,
            seen.y,
            yerr=None if line.errors is None else seen.errors,
            color=COLOURS[at % len(COLOURS)],
            marker=MARKERS[at % len(MARKERS)],
            linestyle=DASHES[at % len(DASHES)],
            linewidth=1.3,
            capsize=3,
            label=line.name if seen.x else f"{line.name}: {HIDDEN}",
        )
    # A curve is no reason to look at places where nothing was measured.
    axes.set_xscale("log")
    axes.set_yscale("log")
    limits = axes.get_xlim()
    for curve in curves:
        colour = "black" if curve.of_line is None else COLOURS[curve.of_line % len(COLOURS)]
        axes.plot(
            curve.x,
            curve.y,
            color=colour,
            linestyle=curve.dash,
            linewidth=1.6 if curve.of_line is None else 0.9,
            label=curve.name or "_",
        )
    axes.set_xlim(limits)
    set_ticks(axes.xaxis, [each for line in lines for each in line.seen.x])
    set_ticks(axes.yaxis)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    axes.grid(which="major", color="0.88", linewidth=0.8)
