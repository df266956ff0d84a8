"""Tables of a sweep: all means, and exponents of the gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.experiments.regression import exponents
from holdfast.experiments.summary import Mean
from holdfast.sweeps.figures.latex import latex_table
from holdfast.sweeps.figures.style import grouped
from holdfast.sweeps.summary import Place

__all__ = ["write_tables"]

HEAD = ("| attack | rule | exponent of k | of n | of m |", "|---|---|---|---|---|")


def write_tables(places: Sequence[Place], folder: Path) -> list[tuple[Path, str]]:
    """Write all means as LaTeX, and the exponents where n, m and k all vary."""
    path = folder / "gains.tex"
    path.write_text(latex_table(places), encoding="utf-8")
    found = [(path, "all mean gains, as a LaTeX table")]
    lines = list(HEAD)
    for (attack, rule), group in grouped(
        [p for p in places if p.prior == "none"], lambda p: (p.attack, p.rule)
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
        if len(points) == len(group) and _can_fit(points):
            shown = " | ".join(_exponent(part) for part in exponents(points))
            lines.append(f"| {attack} | {rule} | {shown} |")
    if len(lines) > len(HEAD):
        path = folder / "exponents.md"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found.append((path, "exponents of the gain in k, n and m, by regression"))
    return found


def _can_fit(points: Sequence[dict[str, Any]]) -> bool:
    """Tell whether k, n and m all vary, and not together."""
    names = ("n_queries", "n_examples", "n_classes")
    design = [[1.0, *(math.log(point[name]) for name in names)] for point in points]
    return len(points) > len(names) + 1 and int(np.linalg.matrix_rank(design)) == len(names) + 1


def _exponent(part: Mean) -> str:
    return f"{part.mean:.3f} ±{part.stderr:.3f}"
