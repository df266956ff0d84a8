"""Means of a sweep as a LaTeX table."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.sweeps.summary import Place

__all__ = ["latex_table"]

SPECIAL = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "±": r"$\pm$"}


def latex_table(places: Iterable[Place]) -> str:
    """Return a tabular with one line per place: sizes, who plays what, and the gain in points."""
    lines = [
        r"\begin{tabular}{lllrrrllr}",
        r"\hline",
        r"attack & rule & metric & $n$ & $m$ & $k$ & labels & model & gain, points \\",
        r"\hline",
    ]
    for place in places:
        sizes = (f"{each:,}" for each in (place.n_examples, place.n_classes, place.n_queries))
        gain = place.points if place.scale > 1.0 else f"{place.points} of {place.metric}"
        parts = (place.attack, place.rule, place.metric, *sizes, place.labels, place.prior, gain)
        lines.append(" & ".join(_escaped(part) for part in parts) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(each, each) for each in text)
