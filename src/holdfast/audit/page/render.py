"""Rendering of the audit's record into the page's text."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import vl_convert

from holdfast._version import __version__
from holdfast.audit.page.charts import gain_chart, series_name, what_if_chart
from holdfast.audit.result import Audit, Interval, in_digits

__all__ = ["render"]


def render(audit: Audit) -> str:
    """Return the whole page."""
    return (
        _environment()
        .get_template("page.html")
        .render(
            audit=audit,
            version=__version__,
            void=[finding for finding in audit.findings if finding.severity == "void"],
            played=sorted(
                (gain for gain in audit.gains if gain.points is not None),
                key=lambda gain: -gain.points.mean if gain.points else 0.0,
            ),
            unable=[gain for gain in audit.gains if gain.points is None],
            heat=_heat(audit),
            played_looks=max((gain.looks for gain in audit.gains), default=audit.board.looks),
            curve_rows=_curve_rows(audit),
            charts=json_for_script({"gain": gain_chart(audit), "whatIf": what_if_chart()}),
            what_if=json_for_script({"surfaces": audit.what_if, "start": _start(audit)}),
            style=_text("style.css"),
            script=_text("page.js"),
            runtime=_runtime(),
        )
    )


def json_for_script(value: object) -> str:
    """Return JSON that can stand inside a script element: no `</script>` can end it early."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _runtime() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from the library's own wheel.

    The wheel's script has no notices, and a page is a copy of it: they stand at its head.
    """
    # Without a snippet the bundle defines window.vegaEmbed; the stub forgets that it is optional.
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return f"{_notices()}\n{bundle}".replace("</script", "<\\/script")


def _notices() -> str:
    """Return the licence notices that go with the script, as a comment of it."""
    versions = [
        f"Vega {vl_convert.get_vega_version()}",
        f"Vega-Lite {vl_convert.get_vegalite_versions()[-1]}",
        f"Vega-Embed {vl_convert.get_vega_embed_version()}",
    ]
    return f"/*!\n{', '.join(versions)}\n\n{_text('runtime_notices.txt')}*/"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("holdfast.audit.page", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = points
    environment.filters["bound"] = bound
    environment.filters["gain"] = gain
    environment.filters["interval"] = interval
    environment.filters["count"] = lambda value: "" if value is None else f"{value:,}"
    environment.globals["series_name"] = series_name
    return environment


def _text(name: str) -> str:
    return files("holdfast.audit.page").joinpath(name).read_text(encoding="utf-8")


def points(value: float | None, digits: int = 2) -> str:
    """Return a number of points for reading; an absent one as a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def bound(value: float | None) -> str:
    """Return an upper bound for reading: rounded up, so that it still is one."""
    return "–" if value is None else f"{math.ceil(100.0 * value - 1e-9) / 100.0:.2f}"


@jinja2.pass_context
def gain(context: jinja2.runtime.Context, value: float | None) -> str:
    """Return a number that was computed from labels, with no more digits than its grain has."""
    return "–" if value is None else in_digits(value, context["audit"].grain)


@jinja2.pass_context
def interval(context: jinja2.runtime.Context, found: Interval | None) -> str:
    """Return a gain with its 95 % interval."""
    if found is None:
        return "–"
    mean, low, high = (gain(context, value) for value in (found.mean, found.low, found.high))
    if found.low is None or found.high is None or found.low == found.high:
        return mean
    return f"{mean} ({low} to {high})"


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
            cells.append({"gain": found, "shade": round(80 * share**0.5)})
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
    """Return where the sliders of the what-if panel stand: at what was audited."""
    rule, _, setting = audit.board.rule.partition(":")
    return {
        "n_examples": audit.board.n_examples,
        "n_classes": audit.board.n_classes,
        "looks": audit.board.looks_per_account,
        "accounts": audit.board.accounts,
        "rule": rule,
        "decimals": int(setting) if rule == "round" and setting.isdecimal() else None,
        "step": float(setting) if rule == "ladder" and setting else 0.01,
    }
