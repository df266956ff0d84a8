"""Tables of a sweep: all means, and exponents of the gain and of the cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.experiments.regression import NO_ERROR, exponents
from holdfast.experiments.summary import Mean
from holdfast.metrics import Accuracy
from holdfast.sweeps.figures.costs import CLOCK_TICK
from holdfast.sweeps.figures.latex import latex_table, tabular
from holdfast.sweeps.figures.style import grouped
from holdfast.sweeps.summary import Place

__all__ = ["write_tables"]

TITLES = ("attack", "rule", "metric", "labels", "model", "exponent of k", "of n", "of m")
LATEX_TITLES = "attack & rule & metric & labels & model & exponent of $k$ & of $n$ & of $m$"

NOT_FITTED = (
    "Left out are places whose mean gain is not above zero, which has no logarithm, or whose",
    "standard error is not known. Gains that are above zero by luck stay, so that an exponent",
    "with many places left out tells of luck:",
)


class _Fits(NamedTuple):
    rows: list[tuple[str, ...]]
    left_out: list[str]


def write_tables(places: Sequence[Place], folder: Path) -> list[tuple[Path, str]]:
    """Write all means as LaTeX, and exponents where n, m and k all vary."""
    cost = "exponents of processor seconds in k, n and m, by regression"
    found = _written(folder, "cost", cost, _fits(places, _seconds).rows)
    path = folder / "gains.tex"
    path.write_text(latex_table(places), encoding="utf-8")
    found.append((path, "all mean gains, as a LaTeX table"))
    fits = _fits(places, _gain)
    said = ["", *NOT_FITTED, "", *fits.left_out] if fits.left_out else []
    gain = "exponents of the gain in k, n and m, by regression"
    return found + _written(folder, "exponents", gain, fits.rows, said)


def _fits(places: Sequence[Place], value: Callable[[Place], Mean | None]) -> _Fits:
    """Fit what has all but its sizes in common: gains of two metrics are no numbers of one law."""
    rows, left_out = [], []
    for names, group in grouped(places, lambda p: (p.attack, p.rule, p.metric, p.labels, p.prior)):
        points = [_point(place, known) for place in group if (known := value(place)) is not None]
        fits = _can_fit(points)
        if fits:
            rows.append((*names, *map(_exponent, exponents(points))))
        if len(points) < len(group):
            out = len(group) - len(points)
            left = "" if fits else ", and too few are left"
            left_out.append(f"- {', '.join(names)}: {out} of {len(group)} places{left}")
    return _Fits(rows, left_out)


def _written(
    folder: Path, name: str, shows: str, rows: list[tuple[str, ...]], said: Iterable[str] = ()
) -> list[tuple[Path, str]]:
    if not rows:
        return []
    markdown, latex = folder / f"{name}.md", folder / f"{name}.tex"
    lines = [TITLES, ("---",) * 5 + ("--:",) * 3, *rows]
    table = ["| " + " | ".join(each.replace("|", "\\|") for each in line) + " |" for line in lines]
    markdown.write_text("\n".join([*table, *said]) + "\n", encoding="utf-8")
    latex.write_text(tabular("lllllrrr", LATEX_TITLES, rows), encoding="utf-8")
    return [(markdown, shows), (latex, f"{shows}, as a LaTeX table")]


def _seconds(place: Place) -> Mean | None:
    """Return the seconds as an exact number: the scatter about the law tells the error."""
    return Mean(max(place.seconds, CLOCK_TICK), 0.0) if place.plays else None


def _gain(place: Place) -> Mean | None:
    """Return a gain with the least error that it can have; None: it can't be fitted.

    The seeds may agree by chance, and a fit would take them for certain. Where hits are counted,
    the share of hits on other labels would differ by the binomial deviation at least.
    """
    if place.gain is None or not place.gain.mean > 0 or math.isnan(place.gain.stderr):
        return None
    least = 0.0
    if place.metric == Accuracy.name and place.accuracy is not None:
        tries = place.n_examples * place.plays
        # With a hit and a miss more, so that all hits are not certain either.
        share = (place.accuracy.mean * tries + 1.0) / (tries + 2.0)
        least = math.sqrt(share * (1.0 - share) / tries)
    error = max(place.gain.stderr, least)
    return Mean(place.gain.mean, error) if error > NO_ERROR * place.gain.mean else None


def _point(place: Place, value: Mean) -> dict[str, Any]:
    return {
        "n_examples": place.n_examples,
        "n_classes": place.n_classes,
        "n_queries": place.n_queries,
        "bias": value,
    }


def _can_fit(points: Sequence[dict[str, Any]]) -> bool:
    """Tell whether k, n and m all vary, and not together."""
    names = ("n_queries", "n_examples", "n_classes")
    design = [[1.0, *(math.log(point[name]) for name in names)] for point in points]
    return len(points) > len(names) + 1 and int(np.linalg.matrix_rank(design)) == len(names) + 1


def _exponent(part: Mean) -> str:
    return f"{part.mean:.3f} ±{part.stderr:.3f}"
