"""The page of an audit of a metric.

The same frame as that of accuracies (`render`), with other contents: gains have a unit, a board may
show a metric alone, by groups or beside others, and each of these *shows* is a line of the chart
and a row of its table. There is no what-if panel, since no formulas cover every metric.
"""

from __future__ import annotations

from typing import Any

from holdfast.audit.metrics import MetricAudit
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.page.charts import POSSIBLE, SOLID, metric_point
from holdfast.audit.page.lines import ChartLine, Marker, line_chart
from holdfast.audit.page.ranked import split_by_rank
from holdfast.audit.page.templates import drawing, filled, json_for_script
from holdfast.audit.page.tiles import scale_of

__all__ = ["render_metric"]


def render_metric(audit: MetricAudit) -> str:
    """Return the page of one audit of a metric, as one text without outside parts.

    The chart is there three times: drawn, for readers without scripts, and as specifications for
    wide and for narrow screens.
    """
    wide = _chart(audit)
    return filled(
        "metric.html",
        audit=audit,
        contents=[
            ("verdict", "Verdict"),
            ("gain", "Gain against submissions"),
            ("attacks", "Attacks that matter"),
            ("rules", "Release rules"),
            ("limits", "What is certified"),
            ("preflight", "Findings"),
            ("glossary", "Words"),
            ("reproduce", "Reproduce"),
        ],
        facts=audit.header.removeprefix(f"{audit.name}: "),
        scale=scale_of([audit]),
        looks=sorted({each.looks for each in audit.curve}),
        curve=[_row(audit, show) for show in audit.shows],
        attacks=split_by_rank(audit.gains, _gain_of, lambda each: (each.show, each.setting)),
        drawing=drawing(wide),
        charts=json_for_script({"gain": {"wide": wide, "narrow": _chart(audit, narrow=True)}}),
        what_if=json_for_script({}),
    )


def _gain_of(gain: MetricGain) -> float | None:
    return gain.gain


def _row(audit: MetricAudit, show: str) -> dict[str, Any]:
    """Return a show's gain at every number of looks of the chart; None where it was not played."""
    looks = {each.looks: None for each in audit.curve}
    return {
        "show": show,
        "gains": looks | {each.looks: each for each in audit.curve if each.show == show},
    }


def _chart(audit: MetricAudit, *, narrow: bool = False) -> dict[str, Any]:
    """Return the chart of gains against looks, a line for each show; gains of 0 are not drawn."""
    least = audit.rounding_unit / 5.0
    lines = []
    for show, colour in zip(audit.shows, POSSIBLE, strict=False):
        points = tuple(
            metric_point(each, audit)
            for each in audit.curve
            if each.show == show and each.gain is not None and each.gain >= least
        )
        if points:
            lines.append(ChartLine(show, colour, SOLID, (points,)))
    return line_chart(
        lines,
        [Marker(max(each.looks for each in audit.gains), "today")],
        least=least,
        y_title=f"gain, {audit.counted_in}",
        description=f"Gain, {audit.counted_in}, against scored submissions, both axes logarithmic, "
        "a line for each thing that the board may show. The table below has the same numbers.",
        narrow=narrow,
    )
