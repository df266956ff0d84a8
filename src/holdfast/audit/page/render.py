"""Rendering of one audit, or of two, into the page's text.

Everything on the page comes from the record, never from the request: a page of a saved audit is the
same, and shows nothing that the record, which may be shared, does not hold. Python arranges rows
and charts; the words stand in the templates beside this file.
"""

from __future__ import annotations

import math
from typing import Any

from holdfast.audit.comparison import Comparison
from holdfast.audit.page.charts import WHAT_IF_HEIGHT, comparison_chart, gain_chart, what_if_chart
from holdfast.audit.page.ranked import split_by_rank
from holdfast.audit.page.templates import drawing, filled, json_for_script
from holdfast.audit.page.tiles import scale_of
from holdfast.audit.quick import QuickAudit
from holdfast.audit.result import Audit

__all__ = ["render", "render_comparison", "render_quick"]

CHANGES_SHOWN = 6


def render(audit: Audit) -> str:
    """Return the page of one audit.

    Sections that have nothing to tell are left out of page and contents: rules where only the
    policy was played, the history where none was given, and the what-if panel where formulas do not
    cover what is shown. What the page's script needs is put into it as JSON: the charts in two
    widths, and the what-if surfaces with the settings where the panel starts.
    """
    wide = gain_chart(audit)
    charts: dict[str, Any] = {"gain": {"wide": wide, "narrow": gain_chart(audit, narrow=True)}}
    if audit.what_if:
        charts["whatIf"] = {
            "wide": what_if_chart(),
            "narrow": what_if_chart(narrow=True),
            "height": WHAT_IF_HEIGHT,
        }
    contents = [
        ("verdict", "Verdict"),
        ("gain", "Gain against submissions"),
        ("attacks", "Attacks that matter"),
        ("limits", "What no attack can exceed" if audit.limits else "What is certified"),
        *([("rules", "Release rules")] if audit.rules else []),
        *([("what-if", "What if")] if audit.what_if else []),
        ("preflight", "Findings"),
        *([("history", "What was observed")] if audit.history else []),
        ("glossary", "Words"),
        ("reproduce", "Reproduce"),
    ]
    start = {"surfaces": audit.what_if, "start": _start(audit)} if audit.what_if else {}
    return filled(
        "page.html",
        audit=audit,
        contents=contents,
        scale=scale_of([audit]),
        attacks=split_by_rank(audit.gains),
        heat=_heat(audit),
        played_looks=max((gain.looks for gain in audit.gains), default=audit.board.looks),
        curve_rows=_curve_rows(audit),
        gained=any(gain and gain.mean for each in audit.curve.measured for gain in each.points),
        drawing=drawing(wide),
        charts=json_for_script(charts),
        what_if=json_for_script(start),
    )


def render_quick(found: QuickAudit) -> str:
    """Return the page of a quick audit: findings and the gains that were played, and no verdict."""
    contents = [
        ("verdict", "No verdict"),
        ("attacks", "Attacks that were played"),
        ("preflight", "Findings"),
        ("glossary", "Words"),
    ]
    return filled(
        "quick.html",
        audit=found,
        contents=contents,
        charts=json_for_script({}),
        what_if=json_for_script({}),
    )


def render_comparison(comparison: Comparison, *, title: str | None = None) -> str:
    """Return the page of two audits, before and after.

    Bars share one scale and the chart one axis, so that lengths can be compared; numbers have the
    digits of the finer of the two rounding units. `title` is the name above; None: the later
    audit's.
    """
    before, after = comparison.before, comparison.after
    wide = comparison_chart(comparison)
    return filled(
        "compare.html",
        audit=after,
        comparison=comparison,
        before=before,
        after=after,
        name=title or after.name,
        contents=[
            ("verdict", "Verdicts"),
            ("settings", "What was changed"),
            ("gain", "Gain against submissions"),
            ("attacks", "Attacks that matter"),
            ("preflight", "Findings"),
            ("glossary", "Words"),
            ("reproduce", "Reproduce"),
        ],
        scale=scale_of([before, after]),
        most=CHANGES_SHOWN,
        digits=max(
            0, math.ceil(-math.log10(min(before.rounding_unit, after.rounding_unit)) - 1e-9)
        ),
        drawing=drawing(wide),
        charts=json_for_script(
            {"gain": {"wide": wide, "narrow": comparison_chart(comparison, narrow=True)}}
        ),
        what_if=json_for_script({}),
    )


def _heat(audit: Audit) -> dict[str, Any]:
    """Return the heat map: a row per rule, a column per attack, and how dark each cell is.

    Shades are relative to the largest gain that is shown. A cell without a play is empty, not
    light: that an attack can't be played against a rule is no gain of 0.
    """
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
            "gains": [
                (series.points[index], series.attack_at(index) if series.attacks else None)
                for series in audit.curve.measured
            ],
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
