"""The page's charts as Vega-Lite specifications.

Colours and fonts are not in them: the page applies its own theme, light or dark, when it draws.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from holdfast.audit.result import Audit

__all__ = ["POSSIBLE", "gain_chart", "what_if_chart"]

# Okabe and Ito's palette without black and yellow: told apart by colour-blind readers, and legible
# on white as well as on a dark ground.
POSSIBLE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"]
DASHES = {
    "allowed: certified bound": [1, 0],
    "forecast: best attack on exact scores": [2, 3],
    "the paper's guarantee": [7, 4],
}
# A gain below this many points is not drawn on a logarithmic axis; nor, where labels are few,
# one below a fifth of the grain that measured gains are rounded to.
LEAST_POINTS = 0.01


HEIGHT = 400


def _least(audit: Audit) -> float:
    return max(LEAST_POINTS, audit.grain / 5.0)


def gain_chart(audit: Audit) -> dict[str, Any]:
    """Return the chart of gain in points against looks, both axes logarithmic."""
    x = alt.X(
        "looks:Q",
        scale=alt.Scale(type="log", nice=False),
        title="looks at the score",
        axis=alt.Axis(format="~s", tickCount=6, grid=True, gridOpacity=0.5),
    )
    y = alt.Y(
        "points:Q",
        scale=alt.Scale(type="log", clamp=True, domainMin=_least(audit)),
        title="points above the majority class"
        if audit.board.skewed
        else "gain in points of accuracy",
        axis=alt.Axis(format="~g", tickCount=6, gridOpacity=0.5),
    )
    measured = alt.Data(values=_measured(audit))
    names = sorted({row["attack"] for row in _measured(audit)})
    colour = alt.Color(
        "attack:N",
        title="possible (attack, measured)",
        scale=alt.Scale(domain=names, range=[POSSIBLE[i % 6] for i in range(len(names))]),
        legend=alt.Legend(orient="bottom", symbolType="circle", symbolOpacity=1, labelLimit=260),
    )
    tooltip = [
        alt.Tooltip("attack:N"),
        alt.Tooltip("looks:Q", format=","),
        alt.Tooltip("points:Q", title="gain in points", format=".2f"),
        alt.Tooltip("low:Q", title="95 % from", format=".2f"),
        alt.Tooltip("high:Q", title="to", format=".2f"),
    ]
    band = (
        alt.Chart(measured)
        .mark_area(opacity=0.18, clip=True)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    )
    line = (
        alt.Chart(measured)
        .mark_line(point={"size": 40, "filled": True}, strokeWidth=2, clip=True)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    dashes = {name: dash for name, dash in DASHES.items() if _applies(audit, name)}
    limits = (
        alt.Chart(alt.Data(values=_limits(audit)))
        .mark_line(strokeWidth=1.8, clip=True)
        .encode(
            x=x,
            y=y,
            strokeDash=alt.StrokeDash(
                "line:N",
                title="allowed (bound) and proved",
                scale=alt.Scale(domain=list(dashes), range=list(dashes.values())),
                legend=alt.Legend(
                    orient="bottom", symbolType="stroke", symbolSize=900, labelLimit=260
                ),
            ),
            detail="part:N",
            tooltip=[
                alt.Tooltip("line:N"),
                alt.Tooltip("looks:Q", format=","),
                alt.Tooltip("points:Q", title="points", format=".2f"),
            ],
        )
    )
    today = alt.Data(values=[{"looks": audit.curve.today, "text": "today"}])
    rule = alt.Chart(today).mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x=x)
    text = (
        alt.Chart(today)
        # At the foot, right of the line: measured curves end at it, and bounds lie above.
        .mark_text(align="left", dx=6, dy=-6, baseline="bottom", fontWeight="bold")
        .encode(x=x, y=alt.value(HEIGHT), text="text:N")
    )
    chart = alt.layer(band, line, limits, rule, text).properties(
        width="container",
        height=HEIGHT,
        description="Gain in points of accuracy against looks, both axes logarithmic: measured "
        "attacks with 95 % bands, the paper's guarantee, the certified bound, and a line at "
        "today's policy. The table below the chart has the same numbers.",
    )
    return _spec(chart)


def what_if_chart() -> dict[str, Any]:
    """Return the chart that the sliders redraw; its data come from the page's script."""
    line = (
        alt.Chart(alt.NamedData("curves"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X(
                "looks:Q",
                scale=alt.Scale(type="log", nice=False),
                title="looks per account",
                axis=alt.Axis(format="~s", tickCount=6),
            ),
            y=alt.Y(
                "points:Q",
                scale=alt.Scale(type="log", clamp=True, domain=[LEAST_POINTS, 100]),
                title="gain in points",
                axis=alt.Axis(format="~g", tickCount=6),
            ),
            color=alt.Color(
                "line:N",
                title=None,
                scale=alt.Scale(domain=["possible", "allowed"], range=[POSSIBLE[1], POSSIBLE[0]]),
                legend=alt.Legend(orient="bottom"),
            ),
            strokeDash=alt.StrokeDash(
                "line:N",
                title=None,
                scale=alt.Scale(domain=["possible", "allowed"], range=[[1, 0], [6, 4]]),
                legend=alt.Legend(orient="bottom"),
            ),
        )
    )
    here = (
        alt.Chart(alt.NamedData("here"))
        .mark_rule(strokeWidth=2, strokeDash=[4, 3])
        .encode(x="looks:Q")
    )
    chart = alt.layer(line, here).properties(
        width="container",
        height=280,
        description="Predicted gain in points against looks for the sliders' settings.",
    )
    return _spec(chart)


def _spec(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    # The page themes it; Altair's own look would override that.
    spec.pop("config", None)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["background"] = "transparent"
    return spec


def _measured(audit: Audit) -> list[dict[str, Any]]:
    rows, least = [], _least(audit)
    for series in audit.curve.measured:
        for looks, gain in zip(audit.curve.looks, series.points, strict=True):
            if gain is None or gain.mean < least:
                continue
            low = gain.mean if gain.low is None else gain.low
            high = gain.mean if gain.high is None else gain.high
            rows.append(
                {
                    "attack": series_name(series.attack, series.setting),
                    "looks": looks,
                    "points": gain.mean,
                    "low": max(low, least),
                    "high": max(high, least),
                }
            )
    return rows


def _applies(audit: Audit, line: str) -> bool:
    """Tell whether a line is in the legend: the paper's theorems say nothing above a majority."""
    return not (audit.board.skewed and line == "the paper's guarantee")


def _limits(audit: Audit) -> list[dict[str, Any]]:
    """Return the drawn bounds; a line breaks where its statement ends, even if another begins."""
    curve = audit.curve
    nobody = (None,) * len(curve.bound_looks)
    lines = (
        (curve.allowed, nobody),
        (curve.forecast, nobody),
        (curve.guarantee, curve.guaranteed_by),
    )
    rows = []
    for name, (values, sources) in zip(DASHES, lines, strict=True):
        part, before = 0, None
        for looks, value, source in zip(curve.bound_looks, values, sources, strict=True):
            drawn = value is not None and value >= _least(audit)
            part += source != before or not drawn
            before = source
            if drawn:
                rows.append({"line": name, "part": part, "looks": looks, "points": value})
    return rows


def series_name(attack: str, setting: str) -> str:
    """Return what a series is called: the attack, and what it knew if not just the features."""
    return attack if setting == "features" else f"{attack}, {setting}"
