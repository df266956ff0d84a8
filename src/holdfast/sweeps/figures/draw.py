"""Every figure that a sweep's rows are enough for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.bounds.binomial import divergence
from holdfast.experiments.figures import bias_figure, check_can_draw
from holdfast.metrics import Accuracy
from holdfast.sweeps.cells import Row
from holdfast.sweeps.figures.costs import cost_figures
from holdfast.sweeps.figures.recovery import recovery_figure
from holdfast.sweeps.figures.style import SIZE, Line, drawn, grouped, lines_on
from holdfast.sweeps.figures.tables import write_tables
from holdfast.sweeps.summary import Place, summarised

__all__ = ["Figure", "draw_all"]

LOOKS = "scored submissions (looks)"
# Fewer points make no line.
LEAST_POINTS = 2


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
    places = sorted(
        (place for place in summarised(rows) if place.gain is not None),
        key=lambda place: (place.n_examples, place.n_classes, place.n_queries),
    )
    found: list[Figure] = []
    for draw in (_gains, _rules, _bits):
        found += draw(places, folder, suffix)
    for also in (recovery_figure, cost_figures):
        found += [Figure(*each) for each in also(places, folder, suffix)]
    found += [Figure(*each) for each in write_tables(places, folder)]
    return found


def _gains(places: Sequence[Place], folder: Path, suffix: str) -> list[Figure]:
    """Gain against looks with exact scores and no model, with guarantees and bounds."""
    found = []
    wanted = ("exact", "none", Accuracy.name)
    plain = [place for place in places if (place.rule, place.prior, place.metric) == wanted]
    for (n, m, labels), group in grouped(
        plain, lambda place: (place.n_examples, place.n_classes, place.labels)
    ):
        if len({place.n_queries for place in group}) < LEAST_POINTS:
            continue
        summaries = [
            {
                "attack": place.attack,
                "n_examples": n,
                "n_classes": m,
                "n_queries": place.n_queries,
                "bias": place.gain,
            }
            for place in group
        ]
        path = folder / f"gain-{n}-{m}-{_word(labels)}{suffix}"
        bias_figure(summaries, n, m, paths=[path])
        found.append(Figure(path, f"gain against looks, {n:,} examples, {m:,} classes, {labels}"))
    return found


def _rules(places: Sequence[Place], folder: Path, suffix: str) -> list[Figure]:
    """Attacks across, rules down, the gain as colour and number."""
    found = []
    for (n, m, k, labels, prior, metric), group in grouped(
        places, lambda p: (p.n_examples, p.n_classes, p.n_queries, p.labels, p.prior, p.metric)
    ):
        rules = list(dict.fromkeys(place.rule for place in group))
        attacks = list(dict.fromkeys(place.attack for place in group))
        if len(rules) < LEAST_POINTS or len(attacks) < LEAST_POINTS:
            continue
        values = np.full((len(rules), len(attacks)), np.nan)
        for place in group:
            if place.gain is not None:
                at = rules.index(place.rule), attacks.index(place.attack)
                values[at] = place.scale * place.gain.mean
        title = f"Gain in {group[0].unit}: {n:,} examples, {m:,} classes, {k:,} looks, {labels}"
        title += "" if prior == "none" else f", {prior}"
        shown = "" if metric == Accuracy.name else f"-{_word(metric)}"
        path = folder / f"rules-{n}-{m}-{k}-{_word(labels)}-{_word(prior)}{shown}{suffix}"
        drawn(
            path,
            (3.2 + 1.0 * len(attacks), 2.2 + 0.42 * len(rules)),
            partial(_heat, values=values, rules=rules, attacks=attacks, title=title),
        )
        found.append(Figure(path, title))
    return found


def _heat(axes: Any, values: Any, rules: Sequence[str], attacks: Sequence[str], title: str) -> None:
    from matplotlib import colormaps

    top = max(float(np.nanmax(values)), 1e-9)
    colours = colormaps["YlOrRd"].with_extremes(bad="#d9d9d9")
    axes.imshow(values, cmap=colours, vmin=0.0, vmax=top, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if math.isnan(value):  # grey like a gain, without colours, but for the words
            axes.text(column, row, "not\nplayed", ha="center", va="center", fontsize=8)
        else:
            colour = "white" if value > 0.6 * top else "#222222"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(attacks)), attacks, rotation=30, ha="right")
    axes.set_yticks(range(len(rules)), rules)
    axes.set_title(title, fontsize=10, loc="left")


def _bits(places: Sequence[Place], folder: Path, suffix: str) -> list[Figure]:
    """Bits that each look told of the labels: the rate of the accuracy reached, per look."""
    found = []
    plain = [p for p in places if (p.prior, p.metric) == ("none", Accuracy.name) and p.looks > 0]
    for (n, m, rule, labels), group in grouped(
        plain, lambda p: (p.n_examples, p.n_classes, p.rule, p.labels)
    ):
        lines = []
        for (attack,), line in grouped(group, lambda p: (p.attack,)):
            gains = [place.gain.mean if place.gain is not None else 0.0 for place in line]
            bits = [
                n * divergence(max(gain, 0.0), m) / math.log(2) / place.looks
                for gain, place in zip(gains, line, strict=True)
            ]
            lines.append(Line(attack, [place.looks for place in line], bits))
        if max(len(line.x) for line in lines) < LEAST_POINTS:
            continue
        title = f"Bits of the labels per look under {rule}: {n:,} examples, {m:,} classes, {labels}"
        path = folder / f"bits-{n}-{m}-{_word(rule)}-{_word(labels)}{suffix}"
        drawn(
            path,
            SIZE,
            partial(lines_on, lines=lines, x=LOOKS, y="bits per look", title=title),
        )
        found.append(Figure(path, title))
    return found


def _word(text: str) -> str:
    """Return text that a file's name may hold."""
    return "".join(each if each.isalnum() else "-" for each in text).strip("-")
