"""Looks for all labels over the information limit, against the number of examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from holdfast.bounds.binomial import entropy
from holdfast.metrics import Accuracy
from holdfast.sweeps.figures.style import SIZE, Line, drawn, grouped, lines_on
from holdfast.sweeps.summary import Place

__all__ = ["looks_over_the_limit", "recovery_figure"]

TITLE = "Looks until every label was right, over the information limit"
LIMIT = (1.0, "the limit for random queries")


def looks_over_the_limit(place: Place) -> float | None:
    """Return the looks of plays that all ended with all labels, over n ln m / H(Bin(n, 1/m)).

    That many nats are in the labels and in an answer to a query with a random label everywhere. An
    adaptive attack may get below 1: the limit that binds it, too, is about half as high.

    None: some play ended with a label wrong.
    """
    if place.accuracy is None or place.accuracy.mean < 1.0 or not place.looks:
        return None
    n, m = place.n_examples, place.n_classes
    return place.looks * entropy(n, m) / (n * math.log(m))


def recovery_figure(places: Sequence[Place], folder: Path, suffix: str) -> list[tuple[Path, str]]:
    """Draw the ratio where labels were recovered without a model, a line per attack and classes."""
    whole = [
        place
        for place in places
        if (place.metric, place.prior) == (Accuracy.name, "none")
        and looks_over_the_limit(place) is not None
    ]
    lines = []
    for (attack, rule, m), group in grouped(whole, lambda p: (p.attack, p.rule, p.n_classes)):
        # Of several budgets that sufficed the one that took the fewest looks.
        fewest = {
            n: min(looks_over_the_limit(place) or 0.0 for place in same)
            for (n,), same in grouped(group, lambda p: (p.n_examples,))
        }
        name = f"{attack}, {m:,} classes" + ("" if rule == "exact" else f", {rule}")
        lines.append(Line(name, list(fewest), list(fewest.values())))
    if not lines:
        return []
    path = folder / f"recovery{suffix}"
    drawn(
        path,
        SIZE,
        partial(lines_on, lines=lines, x="examples", y="looks / limit", title=TITLE, level=LIMIT),
    )
    return [(path, "looks for all labels over the information limit")]
