"""Costs: processor seconds of a play against n, m and k, with fitted exponents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from holdfast.sweeps.figures.fits import named_with_power
from holdfast.sweeps.figures.style import SIZE, Line, drawn, grouped, lines_on
from holdfast.sweeps.summary import Place

__all__ = ["SIZES", "cost_figures", "longest"]

# What varies: its name in rows, on the axis, and in the name of the file.
SIZES = (
    ("n_examples", "examples (n)", "n"),
    ("n_classes", "classes (m)", "m"),
    ("n_queries", "scored submissions (looks, k)", "k"),
)
LEAST_POINTS = 2
EXACT = "exact"
# A processor clock may not have moved during a short play.
CLOCK_TICK = 1e-9


def cost_figures(places: Sequence[Place], folder: Path, suffix: str) -> list[tuple[Path, str]]:
    """Draw one figure for each of n, m and k that varies while all else is equal."""
    found = []
    played = [place for place in places if place.plays]
    for field, axis, letter in SIZES:
        lines = [line for each in longest(played, field) if (line := _line(each, field, letter))]
        if lines:
            path = folder / f"cost-{letter}{suffix}"
            title = f"Processor seconds of a play against {axis}, medians"
            drawn(path, SIZE, partial(lines_on, lines=lines, x=axis, y="seconds", title=title))
            found.append((path, f"processor seconds against {axis}, with fitted exponents"))
    return found


def longest(places: Sequence[Place], field: str) -> list[list[Place]]:
    """Return of every attack the places that differ in this size alone, where they are most."""
    others = [name for name, _, _ in SIZES if name != field]
    found = []
    for _, group in grouped(places, lambda p: (p.attack,)):
        alike = grouped(
            group,
            lambda p: (p.rule, p.metric, p.labels, p.prior, *(getattr(p, each) for each in others)),
        )
        # Of equally many those with exact scores, then the largest problem, which tells the most.
        several = reversed([same for _, same in alike])
        found.append(max(several, key=lambda same: (len(same), same[0].rule == EXACT)))
    return found


def _line(places: Sequence[Place], field: str, letter: str) -> Line | None:
    by_size = {getattr(place, field): max(place.seconds, CLOCK_TICK) for place in places}
    if len(by_size) < LEAST_POINTS:
        return None
    sizes, seconds = list(by_size), list(by_size.values())
    fixed = ", ".join(
        f"{short} = {getattr(places[0], name):,}" for name, _, short in SIZES if name != field
    )
    fixed += "" if places[0].rule == EXACT else f", {places[0].rule}"
    line = Line(places[0].attack, sizes, seconds)
    return line._replace(name=f"{named_with_power(line, letter)}\n({fixed})")
