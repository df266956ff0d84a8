"""Tables of a sweep in LaTeX, of texts that may hold any character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from holdfast.sweeps.summary import Place

__all__ = ["latex_table", "tabular"]

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "±": r"$\pm$",
}
# A hyphen before a number that no word, path or date goes on with.
MINUS = re.compile(r"(?<![\w.\-/:])-(?=\d)")


def tabular(columns: str, titles: str, rows: Iterable[Sequence[str]]) -> str:
    r"""Return a tabular: what its columns are, its titles as LaTeX, and rows of plain texts.

    >>> print(tabular("lr", r"attack & $k$", [("a_b", "-0.5")]).splitlines()[4])
    a\_b & $-$0.5 \\
    """
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", rf"{titles} \\", r"\hline"]
    lines += [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def latex_table(places: Iterable[Place]) -> str:
    """Return a tabular with one line per place: sizes, who plays what, and the gain in points."""
    rows = []
    for place in places:
        sizes = (f"{each:,}" for each in (place.n_examples, place.n_classes, place.n_queries))
        gain = place.points if place.scale > 1.0 else f"{place.points} of {place.metric}"
        rows.append(
            (place.attack, place.rule, place.metric, *sizes, place.labels, place.prior, gain)
        )
    titles = "attack & rule & metric & $n$ & $m$ & $k$ & labels & model & gain, points"
    return tabular("lllrrrllr", titles, rows)


def _escaped(text: str) -> str:
    minus = "\0"  # no text of a row has it
    marked = MINUS.sub(minus, text)
    return "".join(SPECIAL.get(each, each) for each in marked).replace(minus, "$-$")
