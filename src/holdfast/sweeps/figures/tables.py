"""Tables of a sweep: all means, and exponents of the gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.experiments.regression import exponents
from holdfast.experiments.summary import Mean
from holdfast.metrics import Accuracy
from holdfast.sweeps.figures.costs import CLOCK_TICK
from holdfast.sweeps.figures.latex import latex_table
from holdfast.sweeps.figures.style import grouped
from holdfast.sweeps.summary import Place

__all__ = ["write_tables"]

HEAD = ("| attack | rule | exponent of k | of n | of m |", "|---|---|---|---|---|")

NOT_FITTED = (
    "Left out are places whose mean gain is not above zero, which has no logarithm, or whose",
    "standard error is zero or not known. Gains that are above zero by luck stay, so that an",
    "exponent with many places left out tells of luck:",
)


def write_tables(places: Sequence[Place], folder: Path) -> list[tuple[Path, str]]:
    """Write all means as LaTeX, and the exponents where n, m and k all vary."""
    found = _costs(places, folder)
    path = folder / "gains.tex"
    path.write_text(latex_table(places), encoding="utf-8")
    found.append((path, "all mean gains, as a LaTeX table"))
    lines, left_out = list(HEAD), []
    for (attack, rule), group in grouped(
        [p for p in places if (p.prior, p.metric) == ("none", Accuracy.name)],
        lambda p: (p.attack, p.rule),
    ):
        points = [
            {
                "n_examples": place.n_examples,
                "n_classes": place.n_classes,
                "n_queries": place.n_queries,
                "bias": place.gain,
            }
            for place in group
            if place.gain is not None and place.gain.mean > 0 and place.gain.stderr > 0
        ]
        fits = _can_fit(points)
        if fits:
            shown = " | ".join(_exponent(part) for part in exponents(points))
            lines.append(f"| {attack} | {rule} | {shown} |")
        if len(points) < len(group):
            out = len(group) - len(points)
            left = "" if fits else ", and too few are left"
            left_out.append(f"- {attack}, {rule}: {out} of {len(group)} places{left}")
    if len(lines) > len(HEAD):
        path = folder / "exponents.md"
        said = ["", *NOT_FITTED, "", *left_out] if left_out else []
        path.write_text("\n".join([*lines, *said]) + "\n", encoding="utf-8")
        found.append((path, "exponents of the gain in k, n and m, by regression"))
    return found


def _costs(places: Sequence[Place], folder: Path) -> list[tuple[Path, str]]:
    """Write the exponents of processor seconds where n, m and k all vary."""
    lines = list(HEAD)
    for (attack, rule), group in grouped(places, lambda p: (p.attack, p.rule)):
        points = [
            {
                "n_examples": place.n_examples,
                "n_classes": place.n_classes,
                "n_queries": place.n_queries,
                "bias": Mean(max(place.seconds, CLOCK_TICK), 0.0),
            }
            for place in group
        ]
        if _can_fit(points):
            shown = " | ".join(_exponent(part) for part in exponents(points))
            lines.append(f"| {attack} | {rule} | {shown} |")
    if len(lines) == len(HEAD):
        return []
    path = folder / "cost.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [(path, "exponents of processor seconds in k, n and m, by regression")]


def _can_fit(points: Sequence[dict[str, Any]]) -> bool:
    """Tell whether k, n and m all vary, and not together."""
    names = ("n_queries", "n_examples", "n_classes")
    design = [[1.0, *(math.log(point[name]) for name in names)] for point in points]
    return len(points) > len(names) + 1 and int(np.linalg.matrix_rank(design)) == len(names) + 1


def _exponent(part: Mean) -> str:
    return f"{part.mean:.3f} ±{part.stderr:.3f}"
