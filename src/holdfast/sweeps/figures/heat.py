"""Heat maps: attacks across, rules down, the gain as colour and number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.metrics import Accuracy
from holdfast.sweeps.figures.style import drawn, grouped
from holdfast.sweeps.figures.words import file_word, labels_said, prior_said
from holdfast.sweeps.summary import SMALL_POINTS, Place

__all__ = ["attacks_against_rules"]

LEAST = 2
# Numbers on darker colours are white.
DARK = 0.6
# In inches, for a title of two lines or three.
LEAST_WIDTH = 6.4


def attacks_against_rules(
    places: Sequence[Place], folder: Path, suffix: str
) -> list[tuple[Path, str]]:
    """Draw a map for each problem on which somebody played; who played nowhere is there, too."""
    found = []
    for (n, m, k, labels, prior, metric), group in grouped(
        places, lambda p: (p.n_examples, p.n_classes, p.n_queries, p.labels, p.prior, p.metric)
    ):
        rules = list(dict.fromkeys(place.rule for place in group))
        attacks = list(dict.fromkeys(place.attack for place in group))
        nobody = all(place.gain is None for place in group)
        if nobody or len(rules) < LEAST or len(attacks) < LEAST:
            continue
        values = np.full((len(rules), len(attacks)), np.nan)
        for place in group:
            if place.gain is not None:
                at = rules.index(place.rule), attacks.index(place.attack)
                values[at] = place.scale * place.gain.mean
        where = f"{n:,} examples, {m:,} classes, {k:,} looks, {labels_said(labels)}"
        title = f"Gain in {group[0].unit}: {where}{prior_said(prior)}"
        shown = "" if metric == Accuracy.name else f"-{file_word(metric)}"
        path = folder / f"rules-{n}-{m}-{k}-{file_word(labels)}-{file_word(prior)}{shown}{suffix}"
        drawn(
            path,
            (max(LEAST_WIDTH, 3.4 + len(attacks)), 2.5 + 0.42 * len(rules)),
            partial(_heat, values=values, rules=rules, attacks=attacks, title=title),
        )
        found.append((path, title))
    return found


def _shown(value: float) -> str:
    """Return a gain as tables show it: two digits behind the point, or two that are not zero.

    >>> _shown(1.234), _shown(0.0012), _shown(-0.00052), _shown(0.0)
    ('1.23', '0.0012', '-0.00052', '0')
    """
    return f"{value:.2f}" if abs(value) >= SMALL_POINTS else f"{value:.2g}"


def _heat(axes: Any, values: Any, rules: Sequence[str], attacks: Sequence[str], title: str) -> None:
    from matplotlib import colormaps

    top = max(float(np.nanmax(values)), 1e-9)
    colours = colormaps["YlOrRd"].with_extremes(bad="#d9d9d9")
    axes.imshow(values, cmap=colours, vmin=0.0, vmax=top, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if math.isnan(value):  # grey like a gain, without colours, but for the words
            axes.text(column, row, "not\nplayed", ha="center", va="center", fontsize=8)
        else:
            colour = "white" if value > DARK * top else "#222222"
            text = _shown(value).replace("-", "\N{MINUS SIGN}")
            axes.text(column, row, text, ha="center", va="center", color=colour)
    axes.set_xticks(range(len(attacks)), attacks, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rules)), rules)
    axes.set_xlabel("attack")
    axes.set_ylabel("release rule")
    axes.set_title(title)
