"""Gain in points against looks: measured attacks with bands, guarantees and bounds.

Three kinds of lines, never mixed: what attacks did here, at a few numbers of looks up to today's,
with their chance; what theorems guarantee and formulas forecast; and what no attack can exceed. The
last two cost no play and are drawn ten times further than today's looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from holdfast.audit.judgement.allowed import allowed
from holdfast.audit.result import GainCurve, Interval, Series
from holdfast.audit.scenarios.measurer import Measured, Measurer, PlayBudget
from holdfast.problem import Problem

__all__ = ["N_ATTACKS", "curve", "log_spaced"]

N_ATTACKS = 4
N_LOOKS = 5
# The bounds are drawn this many times further than today's looks.
BOUNDS_DRAWN_TO = 10.0
N_BOUNDS = 25


def log_spaced(first: int, last: int, count: int) -> tuple[int, ...]:
    """Return about `count` different numbers of looks, equally spaced on a log axis.

    >>> log_spaced(10, 1000, 5)
    (10, 32, 100, 316, 1000)
    """
    if first >= last or count < 2:
        return (last,)
    ratio = math.log(last / first)
    return tuple(sorted({round(first * math.exp(ratio * at / (count - 1))) for at in range(count)}))


def n_jobs(play_budget: PlayBudget) -> int:
    """Return about how many plays the curve takes."""
    return len(_looks(play_budget)[:-1]) * N_ATTACKS * play_budget.fewer


def _looks(play_budget: PlayBudget) -> tuple[int, ...]:
    """Return the numbers of looks that are played: over two decades, up to today's."""
    return log_spaced(max(2, play_budget.looks // 100), play_budget.looks, N_LOOKS)


def _chosen(measured: Sequence[Measured], first: tuple[str, str]) -> list[Measured]:
    """Return the strongest attacks today, and with them the one that is strongest early.

    Attacks that need many looks overtake late: drawn alone, they would show small gains on the left
    of the chart, where another attack has large ones.
    """
    able = [each for each in measured if each.bias is not None]
    best = sorted(able, key=lambda each: -each.bias.mean if each.bias else 0.0)
    early = [each for each in best if (each.scenario.setting, each.scenario.base) == first][:1]
    chosen = best[: N_ATTACKS - 1]
    return chosen + ([each for each in early if each not in chosen] or best[N_ATTACKS - 1 :][:1])


def curve(measurer: Measurer, measured: Sequence[Measured]) -> GainCurve:
    """Play the strongest attacks at fewer looks; their gains today come from the suite.

    Parameters
    ----------
    measurer
        Plays, with the audit's request and budget.
    measured
        What the suite gained with today's looks: it decides who is drawn.

    Returns
    -------
    GainCurve
        Gains in points. Forecasts are raised to what was measured with as few looks: what was done
        is possible, whatever a formula says.
    """
    request, budget, unit = measurer.request, measurer.budget, measurer.rounding_unit
    forms = request.baseline.formulas
    strongest = _chosen(measured, forms.strongest_with_few_looks)
    looks = _looks(budget)
    asked = [(each.scenario, request.rule, k) for k in looks[:-1] for each in strongest]
    found = measurer.measure(asked, range(budget.fewer))
    columns: list[list[Interval | None]] = [[] for _ in strongest]
    for at, each in enumerate(found):
        points = None if each.bias is None else unit.interval(each.bias, budget.fewer)
        columns[at % len(strongest)].append(points)
    for column, each in zip(columns, strongest, strict=True):
        assert each.bias is not None
        column.append(unit.interval(each.bias, budget.trials))
    n, m, today = request.problem
    last = max(2, int(BOUNDS_DRAWN_TO * today))
    edges = {k for k in forms.regime_edges(n, m) if k <= last}
    further = tuple(sorted(edges.union(log_spaced(1, last, N_BOUNDS))))
    problems = [Problem(n, m, k) for k in further]
    return GainCurve(
        today=today,
        looks=looks,
        measured=tuple(
            Series(each.scenario.name, each.scenario.setting, tuple(column))
            for each, column in zip(strongest, columns, strict=True)
        ),
        bound_looks=further,
        guarantee=tuple(forms.guarantee(each) for each in problems),
        guaranteed_by=tuple(forms.guaranteed_by(each) for each in problems),
        forecast=tuple(
            max(forms.forecast_from_exact(each), _best_until(each.n_queries, looks, columns))
            for each in problems
        ),
        allowed=tuple(allowed(request, request.rule, each.n_queries) for each in problems),
    )


def _best_until(
    most: int, looks: Sequence[int], columns: Sequence[Sequence[Interval | None]]
) -> float:
    """Return the largest gain that was measured with so many looks or fewer."""
    gains = [
        point.mean
        for column in columns
        for k, point in zip(looks, column, strict=True)
        if k <= most and point is not None
    ]
    return max(gains, default=0.0)
