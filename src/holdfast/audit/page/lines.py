"""Line charts on logarithmic axes, labelled at the lines' ends, with values under the pointer.

The specifications are Vega-Lite's. Colours are the page's own variables, so that light, dark and
print are one drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import altair as alt

from holdfast.audit.page.end_labels import placed

__all__ = [
    "FONT",
    "HEIGHT",
    "INK",
    "ChartLine",
    "Marker",
    "Point",
    "finished",
    "hover_layer",
    "line_chart",
]

HEIGHT = 400
INK, GROUND, QUIET = "var(--ink)", "var(--ground)", "var(--quiet)"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'
# Pixels between a line's end and its label. The plot makes room for labels at its right by itself.
BESIDE = 9
LOOKS = "scored submissions"


class Point(NamedTuple):
    """A point of a line: the gain in points, its 95 % interval if it has one, and both in words.

    `text` is what stands under the pointer. Points with an interval were measured: they get a dot
    and a band, and between them nothing is read off.
    """

    looks: int
    points: float
    low: float | None
    high: float | None
    text: str


class ChartLine(NamedTuple):
    """A line in parts, between which it breaks.

    `colour` is one of the style sheet's variables, `dash` the lengths of strokes and gaps. Between
    two parts nothing is known, and nothing is read off there.
    """

    name: str
    colour: str
    dash: tuple[int, ...]
    parts: tuple[tuple[Point, ...], ...]


class Marker(NamedTuple):
    """A vertical line at a number of looks."""

    looks: int
    text: str


def line_chart(
    lines: Sequence[ChartLine],
    markers: Sequence[Marker],
    *,
    least: float,
    y_title: str,
    description: str,
    narrow: bool = False,
) -> dict[str, Any]:
    """Return the specification of a chart of gains against looks, both axes logarithmic.

    Parameters
    ----------
    lines
        What is drawn; lines without points are left out.
    markers
        Vertical lines, such as today's number of looks.
    least
        Where the vertical axis begins; ends of bands below it are drawn there.
    y_title, description
        The axis' title, and what a screen reader says of the chart.
    narrow
        With a legend below instead of names at the lines' ends, for which there is no room.
    """
    lines = [line for line in lines if line.parts]
    every = [point for line in lines for part in line.parts for point in part]
    top = 1.15 * max([point.high or point.points for point in every], default=10.0 * least)
    domain = [least, max(top, 2.0 * least)]
    x = alt.X(
        "looks:Q",
        scale=alt.Scale(type="log", nice=False),
        title=f"{LOOKS} (looks)",
        axis=alt.Axis(format="~s", tickCount=6, grid=True, gridOpacity=0.5),
    )
    y = alt.Y(
        "points:Q",
        scale=alt.Scale(type="log", clamp=True, nice=False, domain=domain),
        title=y_title,
        axis=alt.Axis(format="~g", tickCount=6, gridOpacity=0.5),
    )
    data = alt.Data(values=_rows(lines, least))
    colour, dash = _styles(lines, legend=narrow)
    encoded = alt.Chart(data).encode(x=x, color=colour, detail="part:N")
    with_band = alt.FieldOneOfPredicate(field="band", oneOf=[True])
    layers: list[Any] = [
        encoded.mark_area(opacity=0.18, clip=True)
        .encode(y=alt.Y("low:Q"), y2="high:Q")
        .transform_filter(with_band),
        encoded.mark_line(strokeWidth=2, clip=True).encode(y=y, strokeDash=dash),
        encoded.mark_point(size=36, filled=True, opacity=1, clip=True)
        .encode(y=y)
        .transform_filter(with_band),
    ]
    layers += _markers(markers, x)
    if not narrow:
        layers += _labels(lines, x, domain, colour)
    layers.append(_hover(lines))
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT, description=description)
    return finished(chart)


def finished(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    """Return a chart's specification in the page's own look.

    It fills its container's width and has no ground of its own, so that one drawing serves light,
    dark and print.
    """
    # The schema is checked by a test, not for every page: it takes half a second.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    text = {"labelColor": INK, "titleColor": INK, "titleFontWeight": 500}
    spec["config"] = {
        "font": FONT,
        "axis": {
            **text,
            "gridColor": "var(--line)",
            "domainColor": QUIET,
            "tickColor": QUIET,
            "labelFontSize": 12,
            "titleFontSize": 13,
        },
        "legend": {
            **text,
            "labelFontSize": 12,
            "symbolStrokeColor": INK,
            "orient": "bottom",
            "columns": 1,
            "labelLimit": 300,
            "symbolType": "stroke",
            "symbolSize": 700,
            "symbolOpacity": 1,
            "symbolStrokeWidth": 2.5,
        },
        "view": {"stroke": None},
        "rule": {"color": INK},
        "text": {"color": INK, "fontSize": 12},
        "line": {"color": INK},
    }
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["padding"] = {"left": 4, "top": 8, "bottom": 4, "right": 8}
    spec["background"] = "transparent"
    return spec


def _rows(lines: Sequence[ChartLine], least: float) -> list[dict[str, Any]]:
    """Return the data: a row per point; `part` keeps a broken line from being joined.

    Ends of bands below `least` are drawn there, since a logarithmic axis has no place for 0 or
    less; a point without an interval gets one of no width, so that all rows are alike.

    >>> point = Point(looks=10, points=0.5, low=-0.1, high=1.1, text="0.5")
    >>> row = _rows([ChartLine("an attack", INK, (1, 0), ((point,),))], least=0.01)[0]
    >>> row["part"], row["low"], row["high"], row["band"]
    ('an attack 0', 0.01, 1.1, True)
    """
    rows = []
    for line in lines:
        for at, part in enumerate(line.parts):
            for point in part:
                banded = point.low is not None and point.high is not None
                low, high = (point.low, point.high) if banded else (point.points, point.points)
                rows.append(
                    {
                        "line": line.name,
                        "part": f"{line.name} {at}",
                        "looks": point.looks,
                        "points": point.points,
                        "low": max(low or 0.0, least),
                        "high": max(high or 0.0, least),
                        "band": banded,
                    }
                )
    return rows


def _styles(lines: Sequence[ChartLine], *, legend: bool) -> tuple[alt.Color, alt.StrokeDash]:
    """Return colours and dashes by line; with one legend for both, or none."""
    names = [line.name for line in lines]
    key = alt.Legend(title=None) if legend else None
    dashes = [list(line.dash) for line in lines]
    return (
        alt.Color(
            "line:N",
            scale=alt.Scale(domain=names, range=[line.colour for line in lines]),
            legend=key,
        ),
        alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes), legend=key),
    )


def _markers(markers: Sequence[Marker], x: alt.X) -> list[Any]:
    """Return a vertical line for each marker, with its text at the foot."""
    found = alt.Data(values=[marker._asdict() for marker in markers])
    rule = alt.Chart(found).mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x=x)
    # At the foot, right of the line: measured curves end at it, and bounds lie above.
    text = (
        alt.Chart(found)
        .mark_text(align="left", dx=6, dy=-6, baseline="bottom", fontWeight="bold")
        .encode(x=x, y=alt.value(HEIGHT), text="text:N")
    )
    return [rule, text]


def _labels(
    lines: Sequence[ChartLine], x: alt.X, domain: Sequence[float], colour: alt.Color
) -> list[Any]:
    """Return each line's name beside its end, moved apart where they would overlap."""
    ends = [line.parts[-1][-1] for line in lines]
    heights = placed([end.points for end in ends], domain[0], domain[1], HEIGHT)
    values = [
        {"line": line.name, "looks": end.looks, "from": height.end, "to": height.label}
        for line, end, height in zip(lines, ends, heights, strict=True)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(x=x)
    to = alt.Y("to:Q", scale=None)
    text: dict[str, Any] = {"align": "left", "dx": BESIDE + 3, "baseline": "middle"}
    return [
        base.mark_rule(strokeWidth=1.5, xOffset=2, x2Offset=BESIDE).encode(
            x2="looks:Q", y=alt.Y("from:Q", scale=None), y2="to:Q", color=colour
        ),
        # A rim in the ground's colour keeps a name legible where another line runs through it.
        base.mark_text(**text, stroke=GROUND, strokeWidth=4, strokeJoin="round").encode(
            y=to, text="line:N"
        ),
        base.mark_text(**text, fontWeight=500).encode(y=to, text="line:N"),
    ]


def _hover(lines: Sequence[ChartLine]) -> Any:
    """Return what shows the value of every line at the looks where the pointer stands."""
    rows: dict[int, dict[str, Any]] = {}
    for line in lines:
        for part in line.parts:
            for point in part:
                rows.setdefault(point.looks, {LOOKS: point.looks})
    for looks, row in rows.items():
        for line in lines:
            text = _value(line, looks)
            if text is not None:
                row[line.name] = text
    return hover_layer(alt.Data(values=[rows[looks] for looks in sorted(rows)]), LOOKS)


def hover_layer(data: Any, looks: str) -> Any:
    """Return a line that follows the pointer and shows the row of `data` that is nearest to it.

    `looks` is the column that is nearest, and the first name in the box; the other columns are
    shown as they are, so rows hold texts.
    """
    near = alt.selection_point(
        name="near", on="pointermove", clear="pointerout", nearest=True, fields=[looks], empty=False
    )
    return (
        alt.Chart(data)
        .mark_rule(color=QUIET, strokeWidth=1, tooltip={"content": "data"})
        .encode(
            x=alt.X(f"{looks}:Q", scale=alt.Scale(type="log", nice=False)),
            opacity=alt.condition(near, alt.value(0.7), alt.value(0)),
        )
        .add_params(near)
    )


def _value(line: ChartLine, looks: int) -> str | None:
    """Return a line's value in words: what stands there, or what lies between two computed ones.

    Between computed points the value is read off the straight line that is drawn, on two
    logarithmic axes: halfway from 10 looks to 1,000 are 100, and halfway from 1 point to 4 are 2.
    Between measured points nothing is: nobody played there.

    >>> ends = tuple(Point(k, p, None, None, f"{p:g}") for k, p in ((10, 1.0), (1000, 4.0)))
    >>> bound = ChartLine("a bound", INK, (7, 4), (ends,))
    >>> _value(bound, 10), _value(bound, 100), _value(bound, 5)
    ('1', 'about 2.00', None)
    """
    for part in line.parts:
        for point in part:
            if point.looks == looks:
                return point.text
        for low, high in pairwise(part):
            if low.high is None and low.looks < looks < high.looks:
                share = math.log(looks / low.looks) / math.log(high.looks / low.looks)
                return f"about {low.points * (high.points / low.points) ** share:.2f}"
    return None
