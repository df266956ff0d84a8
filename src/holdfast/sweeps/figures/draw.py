"""Every figure that a sweep's rows are enough for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from holdfast.experiments.figures import check_can_draw
from holdfast.sweeps.cells import Row
from holdfast.sweeps.figures.along import gains_along_sizes
from holdfast.sweeps.figures.bits import bits_per_look
from holdfast.sweeps.figures.costs import cost_figures
from holdfast.sweeps.figures.heat import attacks_against_rules
from holdfast.sweeps.figures.left_out import write_left_out
from holdfast.sweeps.figures.looks import gains_against_looks
from holdfast.sweeps.figures.recovery import recovery_figure
from holdfast.sweeps.figures.tables import write_tables
from holdfast.sweeps.summary import Place, summarised

__all__ = ["Figure", "draw_all"]

Draw: TypeAlias = Callable[[Sequence[Place], Path, str], list[tuple[Path, str]]]

KINDS: tuple[Draw, ...] = (
    gains_against_looks,
    gains_along_sizes,
    attacks_against_rules,
    bits_per_look,
    recovery_figure,
    cost_figures,
)


class Figure(NamedTuple):
    """A file that was written, and what it shows."""

    path: Path
    shows: str


def draw_all(rows: Iterable[Row], folder: Path, *, suffix: str = ".svg") -> list[Figure]:
    """Draw what the rows are enough for; write tables as Markdown and LaTeX beside it.

    Parameters
    ----------
    rows
        Rows of a sweep.
    folder
        Where to write; it is made.
    suffix
        .svg, .pdf or .png.
    """
    check_can_draw()
    folder.mkdir(parents=True, exist_ok=True)
    known = list(rows)
    everywhere = sorted(
        summarised(known), key=lambda place: (place.n_examples, place.n_classes, place.n_queries)
    )
    found: list[tuple[Path, str]] = []
    for draw in KINDS:
        found += draw(everywhere, folder, suffix)
    found += write_tables([place for place in everywhere if place.gain is not None], folder)
    found += write_left_out(known, everywhere, folder)
    return [Figure(*each) for each in found]
