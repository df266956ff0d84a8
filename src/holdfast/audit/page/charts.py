"""The page's charts: gain against looks of one audit, of two, and of the what-if panel.

In an audit's chart measured lines are solid and coloured; of what was computed, bounds are dashed,
forecasts dotted, and the paper's guarantee is grey. Nothing is drawn where nothing is known: a line
breaks where a theorem stops to hold, or a number is too small for the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt

from holdfast.audit.comparison import Comparison
from holdfast.audit.page.formats import bound, interval
from holdfast.audit.page.lines import (
    INK,
    ChartLine,
    Marker,
    Point,
    finished,
    hover_layer,
    line_chart,
)
from holdfast.audit.result import Audit, Series

__all__ = [
    "WHAT_IF_HEIGHT",
    "comparison_chart",
    "gain_chart",
    "what_if_chart",
]

# The style sheet's own: Okabe and Ito's palette without black and yellow, which colour-blind
# readers can tell apart, lighter on a dark ground.
POSSIBLE = tuple(f"var(--series-{at})" for at in range(1, 7))
SOLID, DOTTED, DASHED = (1, 0), (2, 3), (7, 4)
# A gain below this many points is not drawn on a logarithmic axis; nor, where labels are few,
# one below a fifth of the unit that measured gains are rounded to.
LEAST_POINTS = 0.01
WHAT_IF_HEIGHT = 280
EXCEED = "no attack can exceed"


def gain_chart(audit: Audit, *, narrow: bool = False) -> dict[str, Any]:
    """Return the chart of gain against looks, both axes logarithmic.

    The strongest attacks as they were played up to today's looks; where the board shows more than
    one accuracy, a line for each thing that it shows. Where formulas cover it, up to ten times as
    many looks: what no attack can exceed, what is forecast for exact scores, and what the paper
    guarantees.
    """
    curve, least, counted = audit.curve, _least(audit), audit.counted_in
    lines = [
        ChartLine(series.name, colour, SOLID, tuple(parts))
        for series, colour in zip(curve.measured, POSSIBLE, strict=False)
        if (parts := list(_parts(_measured(audit, series), least)))
    ]
    lines += [
        _bound(audit, EXCEED, curve.allowed, DASHED, bound),
        _bound(audit, "forecast, exact scores", curve.forecast, DOTTED, _plain),
    ]
    # The paper's theorems say nothing of what lies above a majority.
    if not audit.board.skewed:
        lines.append(_guarantee(audit))
    what = "points of accuracy" if audit.board.plain else counted
    return line_chart(
        [line for line in lines if line.parts],
        [Marker(curve.today, "today")],
        least=least,
        y_title=_gain_title(audit),
        description=f"Gain in {what} against scored submissions, both axes logarithmic: measured "
        "gains with 95 % bands, what formulas forecast and what no attack can exceed where they "
        "cover it, and a line at today's policy. The table below has the same numbers.",
        narrow=narrow,
    )


def comparison_chart(comparison: Comparison, *, narrow: bool = False) -> dict[str, Any]:
    """Return the chart of two audits: the worst gain measured of each, and the bound of each.

    One colour for each side. Where formulas do not cover what is shown, there is no bound at other
    numbers of looks than today's, and its line is left out.
    """
    sides = {"before": comparison.before, "after": comparison.after}
    least = max(_least(audit) for audit in sides.values())
    lines, markers = [], []
    for (side, audit), colour in zip(sides.items(), (POSSIBLE[1], POSSIBLE[0]), strict=True):
        parts = tuple(_parts(_worst(audit), least))
        lines.append(ChartLine(f"{side}: possible", colour, SOLID, parts))
        limit = _bound(audit, f"{side}: {EXCEED}", audit.curve.allowed, DASHED, bound, least)
        lines.append(limit._replace(colour=colour))
        markers.append(Marker(audit.curve.today, side))
    if markers[0].looks == markers[1].looks:
        markers = [Marker(markers[0].looks, "before and after")]
    return line_chart(
        [line for line in lines if line.parts],
        markers,
        least=least,
        y_title=_gain_title(comparison.after),
        description=f"{_gain_title(comparison.after).capitalize()} against scored submissions "
        "before and after the change: the worst gain measured, and what no attack can exceed where "
        "that is known.",
        narrow=narrow,
    )


def what_if_chart(*, narrow: bool = False) -> dict[str, Any]:
    """Return the chart that the what-if panel redraws; its data come from the page's script.

    The script interpolates the surfaces of `judgement.what_if` and fills four named data sets:
    `curves`, `here` (today's looks), `ends` (the lines' names) and `hover`.
    """
    looks = "scored submissions per account"
    names = ["forecast", EXCEED]
    x = alt.X(
        "looks:Q",
        scale=alt.Scale(type="log", nice=False),
        title=f"{looks} (looks)",
        axis=alt.Axis(format="~s", tickCount=6),
    )
    y = alt.Y(
        "points:Q",
        scale=alt.Scale(type="log", clamp=True, nice=False, domain=[LEAST_POINTS, 100]),
        title="gain in points",
        axis=alt.Axis(format="~g", tickCount=6),
    )
    legend = alt.Legend(title=None) if narrow else None
    colour = alt.Color(
        "line:N", legend=legend, scale=alt.Scale(domain=names, range=[POSSIBLE[1], POSSIBLE[0]])
    )
    dash = alt.StrokeDash(
        "line:N", legend=legend, scale=alt.Scale(domain=names, range=[list(SOLID), list(DASHED)])
    )
    line = (
        alt.Chart(alt.NamedData("curves"))
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=colour, strokeDash=dash)
    )
    here = alt.Chart(alt.NamedData("here")).mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x=x)
    names_at_ends = (
        alt.Chart(alt.NamedData("ends"))
        .mark_text(align="left", dx=8, baseline="middle", fontWeight=500)
        .encode(x=x, y=alt.Y("height:Q", scale=None), text="line:N")
    )
    hover = hover_layer(alt.NamedData("hover"), looks)
    labels = [] if narrow else [names_at_ends]
    chart = alt.layer(line, here, *labels, hover).properties(
        width="container",
        height=WHAT_IF_HEIGHT,
        description="Forecast gain in points against looks for the panel's settings.",
    )
    return finished(chart)


def _least(audit: Audit) -> float:
    """Return the smallest gain that is drawn, in the audit's unit: a logarithmic axis has no 0.

    A fifth of the rounding unit: below half of it every measured gain is shown as 0, and bounds
    that low are of no use beside measured lines.
    """
    return max(LEAST_POINTS if audit.board.plain else 0.0, audit.rounding_unit / 5.0)


def _gain_title(audit: Audit) -> str:
    if not audit.board.plain:
        return f"gain, {audit.counted_in}"
    return "points above the majority class" if audit.board.skewed else "gain in points of accuracy"


def _measured(audit: Audit, series: Series) -> list[Point]:
    """Return the points of a measured line, as far as they were played.

    Where a line is no one attack's, the attack stands under the pointer.
    """
    found = []
    for at, (looks, gain) in enumerate(zip(audit.curve.looks, series.points, strict=True)):
        if gain is not None:
            who = f", {series.attack_at(at)}" if series.attacks else ""
            text = f"{interval(gain, audit.rounding_unit)}{who}"
            found.append(Point(looks, gain.mean, gain.low, gain.high, text))
    return found


def _worst(audit: Audit) -> list[Point]:
    """Return at each number of looks the point of the strongest attack there.

    The upper envelope of the measured lines: different attacks may lead at different numbers of
    looks, so each point names its own.
    """
    found: dict[int, Point] = {}
    for series in audit.curve.measured:
        for point in _measured(audit, series):
            known = found.get(point.looks)
            if known is None or point.points > known.points:
                who = "" if series.attacks else f" ({series.attack})"
                found[point.looks] = point._replace(text=f"{point.text}{who}")
    return [found[looks] for looks in sorted(found)]


def _parts(points: Sequence[Point], least: float) -> Iterator[tuple[Point, ...]]:
    """Yield the one part of a measured line that is drawn, if any is."""
    drawn = tuple(point for point in points if point.points >= least)
    if drawn:
        yield drawn


def _bound(
    audit: Audit,
    name: str,
    values: Sequence[float | None],
    dash: tuple[int, ...],
    text: Callable[[float], str],
    least: float | None = None,
) -> ChartLine:
    """Return a line of numbers that were computed, broken where nothing is said."""
    return ChartLine(name, INK, dash, _broken(audit, values, (None,) * len(values), text, least))


def _guarantee(audit: Audit) -> ChartLine:
    """Return what the paper proves; a line breaks where its statement ends, even if another begins.

    It is broken by the statements behind it: between two of them nothing is promised.
    """
    curve = audit.curve
    parts = _broken(audit, curve.guarantee, curve.guaranteed_by, _plain, None)
    return ChartLine("the paper's guarantee", "var(--quiet)", SOLID, parts)


def _broken(
    audit: Audit,
    values: Sequence[float | None],
    sources: Sequence[str | None],
    text: Callable[[float], str],
    least: float | None,
) -> tuple[tuple[Point, ...], ...]:
    """Return the parts of a computed line: a new one at each gap, and where the source changes."""
    least = _least(audit) if least is None else least
    parts: list[list[Point]] = [[]]
    before: str | None = None
    for looks, value, source in zip(audit.curve.bound_looks, values, sources, strict=True):
        drawn = value is not None and value >= least
        if source != before or not drawn:
            parts.append([])
        before = source
        if value is not None and drawn:
            parts[-1].append(Point(looks, value, None, None, text(value)))
    return tuple(tuple(part) for part in parts if part)


def _plain(value: float) -> str:
    return f"{value:.2f}"
