"""Tiles of a verdict: its numbers in large type, with bars in one scale.

Four words, always in this order, which the whole audit keeps apart: what is *possible*, since an
attack did it; what *no attack can exceed*, since it is proved; what was *observed*, or is had
without a look; and the *gap* that the ranking must be able to show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.audit.any_audit import AnyAudit
from holdfast.audit.metrics.record import MetricAudit
from holdfast.audit.page.formats import bound
from holdfast.audit.result import Audit, Verdict, in_digits

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


def tiles(verdict: Verdict, audit: AnyAudit) -> list[Tile]:
    """Return the tiles of one verdict of an audit.

    That of the final ranking, or of the public board. A verdict carries neither unit nor history;
    these come from its audit.
    """
    if isinstance(audit, Audit):
        return _of_accuracy(verdict, audit)
    return _of_metric(verdict, audit)


def scale_of(audits: Iterable[AnyAudit]) -> float:
    """Return the number that fills a tile's bar: the largest of all tiles.

    Of two audits on one page the scale is common. A bound that says nothing is infinite and does
    not count.
    """
    shown = [
        tile.value for audit in audits for each in audit.verdicts for tile in tiles(each, audit)
    ]
    return max(value for value in shown if value is not None and math.isfinite(value))


def _of_accuracy(verdict: Verdict, audit: Audit) -> list[Tile]:
    """Return the tiles in points: the third is the mean public score minus the private one."""
    mean, seen, most = verdict.points.mean, verdict.observed, verdict.allowed or 0.0
    known = "points, certified without a model"
    observed = "nothing to compare" if audit.history else "no history given"
    if seen is not None:
        observed = "points, mean public − private"
    return [
        _possible(mean, verdict.attack, audit),
        Tile(
            "no attack can exceed",
            f"+{bound(most)}",
            known if most > 0 else "points, certified for everybody",
            most,
            "allowed",
        ),
        Tile(
            "observed in the history",
            "–"
            if seen is None
            else f"{'+' if seen > 0 else ''}{in_digits(seen, audit.rounding_unit)}",
            observed,
            seen,
            "observed",
        ),
        _gap(verdict.gap_points, audit),
    ]


def _of_metric(verdict: Verdict, audit: MetricAudit) -> list[Tile]:
    """Return the tiles in the metric's unit: the third is the value that gains are counted from."""
    free = in_digits(audit.constant if audit.model is None else audit.model, audit.rounding_unit)
    who = "the best constant submission" if audit.model is None else "the given models"
    return [
        _possible(verdict.points.mean, verdict.attack, audit),
        _allowed(verdict, audit),
        Tile("without a look", free, f"{audit.counted_in}, {who}", None, "observed"),
        _gap(verdict.gap_points, audit),
    ]


def _allowed(verdict: Verdict, audit: MetricAudit) -> Tile:
    """Return the certified gain, or the labels that are right where only these have a bound."""
    row = next(row for row in audit.rules if row.is_policy)
    if row.allowed is not None:
        share = 1.0 if verdict.about == "public board" else audit.final_share
        most = share * row.allowed
        note = f"{audit.counted_in}, certified without a model"
        shown = in_digits(most, audit.rounding_unit) if share == 1.0 else f"{most:.3g}"
        return Tile("no attack can exceed", f"+{shown}", note, most, "allowed")
    if row.labels_right is not None:
        note = "certified without a model"
        return Tile("labels right at most", f"{row.labels_right:g} %", note, None, "allowed")
    return Tile("no attack can exceed", "–", "nothing is proved for so many looks", None, "allowed")


def _possible(gain: float, attack: str, audit: AnyAudit) -> Tile:
    by = f", {attack}" if gain > 0 else ""
    shown = f"+{in_digits(gain, audit.rounding_unit)}"
    return Tile("possible: an attack did it", shown, f"{audit.counted_in}{by}", gain, "possible")


def _gap(gap: float, audit: AnyAudit) -> Tile:
    return Tile("gap that must hold", f"{gap:g}", f"{audit.counted_in} between ranks", gap, "gap")
