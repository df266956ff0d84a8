"""Tiles of a verdict: its numbers in large type, with bars in one scale.

Four words, always in this order, which the whole audit keeps apart: what is *possible*, since an
attack did it; what *no attack can exceed*, since it is proved; what was *observed*, if there
is a history, or is had without a look; and the *gap* that the ranking must be able to show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.audit.result import Audit, Verdict, in_digits, up_in_digits

__all__ = ["Tile", "scale_of", "tiles"]


class Tile(NamedTuple):
    """One number of a verdict.

    Parameters
    ----------
    name
        Which of the words it is.
    shown
        The number as text, with no more digits than it has.
    note
        Its unit, and whose it is or why there is none.
    value
        What its bar shows, in the audit's unit; None: no bar.
    kind
        The bar's style: possible, allowed, observed or gap.
    """

    name: str
    shown: str
    note: str
    value: float | None
    kind: str


def tiles(verdict: Verdict, audit: Audit) -> list[Tile]:
    """Return the tiles of one verdict of an audit.

    That of the final ranking, or of the public board. A verdict carries neither unit nor history;
    these come from its audit.
    """
    counted, mean = audit.counted_in, verdict.points.mean
    by = f", {verdict.attack}" if mean > 0 else ""
    shown = f"{'+' if mean > 0 else ''}{in_digits(mean, audit.rounding_unit)}"
    seen = _observed(verdict, audit) if audit.board.plain else _free(audit)
    return [
        Tile("possible: an attack did it", shown, f"{counted}{by}", mean, "possible"),
        _allowed(verdict, audit),
        *([] if seen is None else [seen]),
        Tile(
            "gap that must hold",
            in_digits(verdict.gap_points, audit.rounding_unit),
            f"{counted} between ranks",
            verdict.gap_points,
            "gap",
        ),
    ]


def scale_of(audits: Iterable[Audit]) -> float:
    """Return the number that fills a tile's bar: the largest of all tiles.

    Of two audits on one page the scale is common. A bound that says nothing is infinite and does
    not count.
    """
    shown = [
        tile.value for audit in audits for each in audit.verdicts for tile in tiles(each, audit)
    ]
    return max(value for value in shown if value is not None and math.isfinite(value))


def _allowed(verdict: Verdict, audit: Audit) -> Tile:
    """Return the certified gain, or the labels that are right where only these have a bound."""
    name, without = "no attack can exceed", f"{audit.counted_in}, certified without a model"
    if verdict.allowed is not None:
        who = without if verdict.allowed > 0 else f"{audit.counted_in}, certified for everybody"
        return Tile(name, _most(verdict.allowed, audit), who, verdict.allowed, "allowed")
    row = next(row for row in audit.rules if row.is_policy)
    if row.allowed is not None:
        share = 1.0 if verdict.about == "public board" else audit.board.final_share
        most = share * row.allowed
        return Tile(name, _most(most, audit), without, most, "allowed")
    if row.labels_right is not None:
        right = f"{row.labels_right:g} %"
        return Tile("labels right at most", right, "certified without a model", None, "allowed")
    return Tile(name, "–", "nothing is proved for so many looks", None, "allowed")


def _most(most: float, audit: Audit) -> str:
    """Return a bound in the digits of the gain beside it; one that says nothing as a dash."""
    if not math.isfinite(most):
        return "–"
    return f"{'+' if most > 0 else ''}{up_in_digits(most, audit.rounding_unit)}"


def _observed(verdict: Verdict, audit: Audit) -> Tile | None:
    """Return what the history shows: the mean public score minus the private one."""
    name, seen = "observed in the history", verdict.observed
    if seen is None:
        return Tile(name, "–", "nothing to compare", None, "observed") if audit.history else None
    shown = f"{'+' if seen > 0 else ''}{in_digits(seen, audit.rounding_unit)}"
    return Tile(name, shown, "points, mean public − private", seen, "observed")


def _free(audit: Audit) -> Tile:
    """Return the value that gains are counted from."""
    board = audit.board
    value = board.free if board.model is None else board.model
    who = "the best constant submission" if board.model is None else "the given models"
    shown = in_digits(value, audit.rounding_unit)
    return Tile("without a look", shown, f"{audit.counted_in}, {who}", None, "observed")
