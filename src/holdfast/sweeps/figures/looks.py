"""Gain against looks, a figure for each rule and problem, below what no attack can exceed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from holdfast.experiments.figures import bias_figure
from holdfast.problem import Problem
from holdfast.sweeps.figures.fits import named_with_power
from holdfast.sweeps.figures.style import SIZE, Curve, Line, drawn, grouped, lines_on
from holdfast.sweeps.figures.theory import between, certified_gain
from holdfast.sweeps.figures.words import (
    file_word,
    is_plain,
    labels_said,
    prior_said,
    setting_word,
    uniform,
)
from holdfast.sweeps.summary import Place

__all__ = ["LOOKS", "gains_against_looks"]

LOOKS = "scored submissions (looks)"
LEAST_POINTS = 2
EXACT = "exact"
CERTIFIED = "no attack can exceed"


def gains_against_looks(
    places: Sequence[Place], folder: Path, suffix: str
) -> list[tuple[Path, str]]:
    """Draw gains; with exact scores between guarantees and bounds, else below the certificate."""
    found = []
    played = [place for place in places if place.gain is not None]
    for (n, m, rule, *_), group in grouped(
        played, lambda p: (p.n_examples, p.n_classes, p.rule, p.labels, p.prior, p.metric)
    ):
        first = group[0]
        lines = [
            _line(attack, same, first.scale)
            for (attack,), same in grouped(group, lambda p: (p.attack,))
        ]
        if max(len(line.seen.x) for line in lines) < LEAST_POINTS:
            continue
        where = f"{n:,} examples, {m:,} classes, {labels_said(first.labels)}"
        where += prior_said(first.prior)
        released = "" if rule == EXACT else f"-{file_word(rule)}"
        path = folder / f"gain-{n}-{m}-{setting_word(first)}{released}{suffix}"
        if rule == EXACT and is_plain(first) and uniform(first):
            _between_bounds(group, lines, path)
        else:
            curves = _certified(group)
            title = f"Gain against looks under {rule}: {where}"
            unit = f"gain, {first.unit}"
            drawn(
                path,
                SIZE,
                partial(lines_on, lines=lines, x=LOOKS, y=unit, title=title, curves=curves),
            )
        found.append((path, f"gain in {first.unit} against looks under {rule}: {where}"))
    return found


def _line(attack: str, places: Sequence[Place], scale: float) -> Line:
    gains = [place.gain for place in places if place.gain is not None]
    line = Line(
        attack,
        [place.n_queries for place in places],
        [scale * gain.mean for gain in gains],
        [scale * gain.stderr for gain in gains],
    )
    return line._replace(name=named_with_power(line, "k"))


def _between_bounds(group: Sequence[Place], lines: Sequence[Line], path: Path) -> None:
    attacks = dict.fromkeys(place.attack for place in group)
    first = group[0]
    summaries = [
        {
            "attack": place.attack,
            "n_examples": place.n_examples,
            "n_classes": place.n_classes,
            "n_queries": place.n_queries,
            "bias": place.gain,
        }
        for place in group
    ]
    names = {attack: line.name for attack, line in zip(attacks, lines, strict=True)}
    bias_figure(summaries, first.n_examples, first.n_classes, paths=[path], names=names)


def _certified(group: Sequence[Place]) -> list[Curve]:
    first = group[0]
    gain = certified_gain(first)
    points = [
        (k, first.scale * value)
        for k in between([place.n_queries for place in group])
        if (value := gain(Problem(first.n_examples, first.n_classes, k))) is not None
    ]
    return [Curve(CERTIFIED, [k for k, _ in points], [y for _, y in points])] if points else []
