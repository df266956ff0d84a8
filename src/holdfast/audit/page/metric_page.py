"""The page of an audit of a metric."""

from __future__ import annotations

from typing import Any

from holdfast.audit.metrics import MetricAudit
from holdfast.audit.page.charts import POSSIBLE, SOLID
from holdfast.audit.page.formats import measured
from holdfast.audit.page.lines import Line, Marker, Point, line_chart
from holdfast.audit.page.templates import drawing, filled, json_for_script

__all__ = ["render_metric"]


def render_metric(audit: MetricAudit) -> str:
    """Return the page of one audit of a metric."""
    wide = _chart(audit)
    looks = sorted({each.looks for each in audit.curve})
    return filled(
        "metric.html",
        audit=audit,
        contents=[
            ("verdict", "Verdict"),
            ("gain", "Gain against submissions"),
            ("attacks", "Attacks"),
            ("rules", "Release rules"),
            ("limits", "What is certified"),
            ("preflight", "Findings"),
            ("glossary", "Words"),
            ("reproduce", "Reproduce"),
        ],
        facts=audit.header.removeprefix(f"{audit.name}: "),
        sentence=_sentence(audit),
        looks=looks,
        curve=[row for show in audit.shows if (row := _row(audit, show, looks))],
        played=[each for each in audit.gains if each.gain is not None],
        unable=[each for each in audit.gains if each.gain is None],
        drawing=drawing(wide),
        charts=json_for_script({"gain": {"wide": wide, "narrow": _chart(audit, narrow=True)}}),
        what_if=json_for_script({}),
    )


def _sentence(audit: MetricAudit) -> str:
    """Return the verdict's sentence without the word, which stands above it."""
    rest = audit.sentence.removeprefix(audit.word).strip()
    return f"{rest[:1].upper()}{rest[1:]}"


def _row(audit: MetricAudit, show: str, looks: list[int]) -> dict[str, Any] | None:
    mine = {each.looks: each for each in audit.curve if each.show == show}
    if not mine:
        return None
    attack = next(iter(mine.values())).attack
    return {"show": show, "attack": attack, "gains": [mine.get(count) for count in looks]}


def _chart(audit: MetricAudit, *, narrow: bool = False) -> dict[str, Any]:
    """Return the chart of gains against looks, a line for each show; gains of 0 are not drawn."""
    least = audit.grain / 5.0
    lines = []
    for show, colour in zip(audit.shows, POSSIBLE, strict=False):
        points = tuple(
            Point(each.looks, each.gain, each.low, each.high, measured(each, audit))
            for each in audit.curve
            if each.show == show and each.gain is not None and each.gain >= least
        )
        if points:
            lines.append(Line(show, colour, SOLID, (points,)))
    return line_chart(
        lines,
        [Marker(max(each.looks for each in audit.gains), "today")],
        least=least,
        y_title=f"gain, {audit.unit}",
        description=f"Gain, {audit.unit}, against scored submissions, both axes logarithmic, a "
        "line for each thing that the board may show. The table below has the same numbers.",
        narrow=narrow,
    )
