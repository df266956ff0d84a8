"""Gain against examples and against classes, with fitted powers, closed forms and guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from holdfast.problem import Problem
from holdfast.sweeps.figures.costs import SIZES, longest
from holdfast.sweeps.figures.fits import named_with_power
from holdfast.sweeps.figures.style import SIZE, Curve, Line, drawn, grouped, lines_on
from holdfast.sweeps.figures.theory import Gain, between, forecast_gain, guaranteed_gain
from holdfast.sweeps.figures.words import file_word, labels_said, prior_said, setting_word
from holdfast.sweeps.summary import Place

__all__ = ["gains_along_sizes"]

LEAST_POINTS = 2
# Beyond so many lines each attack has one, where most sizes were played.
MOST_LINES = 8
# Against looks there is a figure for each problem already.
ALONG = [size for size in SIZES if size[0] != "n_queries"]
CLOSED_FORM = "thin: closed form"


class _Series(NamedTuple):
    """Places that differ in one size alone."""

    places: list[Place]
    field: str
    letter: str

    @property
    def line(self) -> Line:
        scale = self.places[0].scale
        gains = [place.gain for place in self.places if place.gain is not None]
        fixed = ", ".join(
            f"{short} = {getattr(self.places[0], name):,}"
            for name, _, short in SIZES
            if name != self.field
        )
        line = Line(
            self.places[0].attack,
            [getattr(place, self.field) for place in self.places],
            [scale * gain.mean for gain in gains],
            [scale * gain.stderr for gain in gains],
        )
        return line._replace(name=f"{named_with_power(line, self.letter)}\n({fixed})")

    def curve(self, gain: Gain) -> tuple[list[float], list[float]]:
        """Return where theory says something above zero, and what."""
        first = self.places[0]
        sizes = {name: getattr(first, name) for name, _, _ in SIZES}
        points: list[tuple[float, float]] = []
        for size in between([getattr(place, self.field) for place in self.places]):
            value = gain(Problem(**sizes | {self.field: size}))
            if value is not None and value > 0:
                points.append((size, first.scale * value))
        return [x for x, _ in points], [y for _, y in points]


def gains_along_sizes(places: Sequence[Place], folder: Path, suffix: str) -> list[tuple[Path, str]]:
    """Draw, for each rule, gains against n and against m where these vary."""
    found = []
    played = [place for place in places if place.gain is not None]
    for (rule, *_), group in grouped(played, lambda p: (p.rule, p.labels, p.prior, p.metric)):
        first = group[0]
        for field, axis, letter in ALONG:
            series = _series(group, field, letter)
            if not series:
                continue
            where = f"{labels_said(first.labels)}{prior_said(first.prior)}"
            title = f"Gain against {axis} under {rule}: {where}"
            name = f"gain-against-{letter}-{file_word(rule)}-{setting_word(first)}{suffix}"
            drawn(
                folder / name,
                SIZE,
                partial(
                    lines_on,
                    lines=[each.line for each in series],
                    x=axis,
                    y=f"gain, {first.unit}",
                    title=title,
                    curves=list(_theory(series)),
                ),
            )
            found.append((folder / name, f"{title}, with fitted exponents"))
    return found


def _series(group: Sequence[Place], field: str, letter: str) -> list[_Series]:
    others = [name for name, _, _ in SIZES if name != field]
    several = [
        _Series(same, field, letter)
        for _, same in grouped(group, lambda p: (p.attack, *(getattr(p, each) for each in others)))
    ]
    if len(several) > MOST_LINES:
        several = [_Series(same, field, letter) for same in longest(group, field)]
    return [each for each in several if len(each.line.seen.x) >= LEAST_POINTS]


def _theory(series: Sequence[_Series]) -> Iterator[Curve]:
    """Yield closed forms, thin, and guarantees, dashed; each kind is named once."""
    named: set[str] = set()

    def once(name: str) -> str:
        new = "" if name in named else name
        named.add(name)
        return new

    for at, each in enumerate(series):
        x, y = each.curve(forecast_gain(each.places[0]))
        if x:
            yield Curve(once(CLOSED_FORM), x, y, of_line=at)
        statement, gain = guaranteed_gain(each.places[0])
        x, y = each.curve(gain)
        if x:
            yield Curve(once(f"dashed: {statement}"), x, y, "--", at)
