"""Rendering of one audit, or of two, into the page's text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from holdfast.audit.comparison import Comparison
from holdfast.audit.page.charts import WHAT_IF_HEIGHT, comparison_chart, gain_chart, what_if_chart
from holdfast.audit.page.templates import drawing, filled, json_for_script
from holdfast.audit.result import Audit, Gain

__all__ = ["render", "render_comparison"]

# So many of the strongest attacks are shown unfolded.
STRONGEST = 3
CHANGES_SHOWN = 6


def render(audit: Audit) -> str:
    """Return the page of one audit."""
    wide = gain_chart(audit)
    contents = [
        ("verdict", "Verdict"),
        ("gain", "Gain against submissions"),
        ("attacks", "Attacks that matter"),
        ("limits", "What no attack can exceed"),
        *([("rules", "Release rules")] if audit.rules else []),
        ("what-if", "What if"),
        ("preflight", "Findings"),
        *([("history", "What was observed")] if audit.history else []),
        ("glossary", "Words"),
        ("reproduce", "Reproduce"),
    ]
    return filled(
        "page.html",
        audit=audit,
        contents=contents,
        void=[finding for finding in audit.findings if finding.severity == "void"],
        scale=_scale([audit]),
        attacks=_attacks(audit),
        heat=_heat(audit),
        played_looks=max((gain.looks for gain in audit.gains), default=audit.board.looks),
        curve_rows=_curve_rows(audit),
        drawing=drawing(wide),
        charts=json_for_script(
            {
                "gain": {"wide": wide, "narrow": gain_chart(audit, narrow=True)},
                "whatIf": {
                    "wide": what_if_chart(),
                    "narrow": what_if_chart(narrow=True),
                    "height": WHAT_IF_HEIGHT,
                },
            }
        ),
        what_if=json_for_script({"surfaces": audit.what_if, "start": _start(audit)}),
    )


def render_comparison(comparison: Comparison, *, title: str | None = None) -> str:
    """Return the page of two audits, before and after."""
    before, after = comparison.before, comparison.after
    wide = comparison_chart(comparison)
    return filled(
        "compare.html",
        comparison=comparison,
        before=before,
        after=after,
        name=title or after.board.name,
        contents=[
            ("verdict", "Verdicts"),
            ("settings", "What was changed"),
            ("gain", "Gain against submissions"),
            ("attacks", "Attacks that matter"),
            ("preflight", "Findings"),
            ("glossary", "Words"),
            ("reproduce", "Reproduce"),
        ],
        scale=_scale([before, after]),
        most=CHANGES_SHOWN,
        digits=max(0, math.ceil(-math.log10(min(before.grain, after.grain)) - 1e-9)),
        drawing=drawing(wide),
        charts=json_for_script(
            {"gain": {"wide": wide, "narrow": comparison_chart(comparison, narrow=True)}}
        ),
        what_if=json_for_script({}),
    )


def _scale(audits: Iterable[Audit]) -> float:
    """Return the number of points that fills a tile's bar: the largest of all tiles."""
    shown = [
        value
        for audit in audits
        for verdict in audit.verdicts
        for value in (verdict.points.mean, verdict.allowed, verdict.observed, verdict.gap_points)
    ]
    return max(value for value in shown if value is not None and math.isfinite(value))


def _attacks(audit: Audit) -> dict[str, list[Gain]]:
    """Return the attacks: those that matter, the weaker ones, and those that could not play.

    What matters are the strongest, and the strongest of each kind of knowledge.
    """
    played = [gain for gain in audit.gains if gain.points is not None]
    played.sort(key=lambda gain: -gain.points.mean if gain.points else 0.0)
    first = {gain.setting: gain for gain in reversed(played)}
    chosen = {id(gain) for gain in [*played[:STRONGEST], *first.values()]}
    return {
        "matter": [gain for gain in played if id(gain) in chosen],
        "others": [gain for gain in played if id(gain) not in chosen],
        "unable": [gain for gain in audit.gains if gain.points is None],
    }


def _heat(audit: Audit) -> dict[str, Any]:
    """Return the heat map: a row per rule, a column per attack, and how dark each cell is."""
    # The policy met the whole suite; columns are the attacks that other rules met, too.
    others = {attack for row in audit.rules if not row.is_policy for attack in row.cells}
    attacks = sorted(others or {attack for row in audit.rules for attack in row.cells})
    if audit.board.skewed:
        # Most attacks without a prior end far below the majority class under every rule.
        hopeful = {name for row in audit.rules for name, gain in row.cells.items() if gain > 0.0}
        attacks = [name for name in attacks if name in hopeful] or attacks
    shown = [gain for row in audit.rules for name, gain in row.cells.items() if name in attacks]
    largest = max(shown, default=0.0)
    rows = []
    for row in audit.rules:
        cells = []
        for attack in attacks:
            found = row.cells.get(attack)
            share = 0.0 if found is None or largest <= 0 else max(0.0, found / largest)
            # The square root keeps small gains visible beside the largest; up to 80 % the text
            # stays readable on it, in light and dark.
            cells.append({"attack": attack, "gain": found, "shade": round(80 * share**0.5)})
        rows.append({"rule": row, "cells": cells})
    return {"attacks": attacks, "rows": rows}


def _curve_rows(audit: Audit) -> list[dict[str, Any]]:
    """Return the chart's measured numbers as a table: a row per number of looks."""
    return [
        {
            "looks": looks,
            "today": looks == audit.curve.today,
            "gains": [series.points[index] for series in audit.curve.measured],
        }
        for index, looks in enumerate(audit.curve.looks)
    ]


def _start(audit: Audit) -> dict[str, Any]:
    """Return where the what-if panel stands: at what was audited."""
    return {
        "n_examples": audit.board.n_examples,
        "n_classes": audit.board.n_classes,
        "looks": audit.board.looks_per_account,
        "accounts": audit.board.accounts,
        "rule": audit.board.rule,
    }
