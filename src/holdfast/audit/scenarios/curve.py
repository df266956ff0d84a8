"""Gain against looks: measured attacks with bands, guarantees and bounds.

Three kinds of lines, never mixed: what attacks did here, at a few numbers of looks up to today's,
with their chance; what theorems guarantee and formulas forecast; and what no attack can exceed. The
last two cost no play and are drawn ten times further than today's looks.

On a board that shows one accuracy a line is an attack. On any other it is a show, with whichever
attack is the strongest at each number of looks: through a metric the one that proves labels
overtakes late and suddenly, and no formula covers them all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from holdfast.audit.judgement.limits import allowed
from holdfast.audit.result import GainCurve, Interval, Series
from holdfast.audit.scenarios.measurer import Measured, Measurer, strongest_first
from holdfast.audit.scenarios.rules import through
from holdfast.problem import Problem

__all__ = ["N_ATTACKS", "at_fewer_looks", "curve", "drawn", "fewer_looks", "log_spaced", "rising"]

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


def fewer_looks(looks: int) -> tuple[int, ...]:
    """Return the numbers of looks that are played besides today's, over two decades.

    >>> fewer_looks(1000)
    (10, 32, 100, 316)
    """
    return log_spaced(max(2, looks // 100), looks, N_LOOKS)[:-1]


def drawn(measured: Sequence[Measured], early: tuple[str, str] | None = None) -> list[Measured]:
    """Return the strongest attacks today, and with them the one that is strongest early.

    Attacks that need many looks overtake late: drawn alone, they would show small gains on the left
    of the chart, where another attack has large ones. `early` is what it knows and its name.
    """
    best = [each for each in strongest_first(measured) if each.gain is not None]
    first = [each for each in best if (each.scenario.setting, each.scenario.name) == early][:1]
    chosen = best[: N_ATTACKS - 1]
    return chosen + ([each for each in first if each not in chosen] or best[N_ATTACKS - 1 :][:1])


def at_fewer_looks(measurer: Measurer, chosen: Sequence[Measured]) -> list[list[Measured]]:
    """Return what these attacks gain at each of the fewer looks, in their order."""
    looks, trials = fewer_looks(measurer.budget.looks), range(measurer.budget.fewer)
    asked = [(each.scenario, each.rule, k) for k in looks for each in chosen]
    found, each = measurer.measure(asked, trials), len(chosen)
    return [found[at * each : (at + 1) * each] for at in range(len(looks))]


def rising(
    looks: Sequence[int], at_looks: Sequence[Sequence[Measured]], show: str
) -> list[tuple[int, Measured]]:
    """Return the strongest attack of a show at more and more looks, none below the one before it.

    Who has more looks may leave some unused: a mean that falls is chance, and the attack with fewer
    looks stands in its place. Numbers of looks at which nothing plays are left out.
    """
    found: list[tuple[int, Measured]] = []
    for count, measured in zip(looks, at_looks, strict=True):
        able = [each for each in through(measured, show) if each.gain is not None][:1]
        able += [before for _, before in found[-1:]]
        if able:
            found.append((count, max(able, key=lambda each: each.mean)))
    return found


def curve(
    measurer: Measurer, chosen: Sequence[Measured], fewer: Sequence[Sequence[Measured]]
) -> GainCurve:
    """Return the gains of chosen attacks at fewer looks and today, beside what formulas say.

    Where the board shows something else than one accuracy, each show is a line, and no formula
    covers it.

    Returns
    -------
    GainCurve
        Gains in points. Forecasts are raised to what was measured with as few looks: what was done
        is possible, whatever a formula says.
    """
    board = measurer.board
    forms = board.baseline.formulas
    looks = (*fewer_looks(measurer.budget.looks), measurer.budget.looks)
    if not board.display.plain:
        at_looks = [*fewer, chosen]
        lines = [_line(show, looks, rising(looks, at_looks, show)) for show in board.shows]
        return GainCurve(board.n_looks, looks, tuple(filter(None, lines)), (), (), (), (), ())
    columns = [[each.points for each in attack] for attack in zip(*fewer, chosen, strict=True)]
    n, m, today = board.problem
    last = max(2, int(BOUNDS_DRAWN_TO * today))
    edges = {k for k in forms.regime_edges(n, m) if k <= last}
    further = tuple(sorted(edges.union(log_spaced(1, last, N_BOUNDS))))
    problems = [Problem(n, m, k) for k in further]
    return GainCurve(
        today=today,
        looks=looks,
        measured=tuple(
            Series(each.scenario.name, each.scenario.setting, tuple(column))
            for each, column in zip(chosen, columns, strict=True)
        ),
        bound_looks=further,
        guarantee=tuple(forms.guarantee(each) for each in problems),
        guaranteed_by=tuple(forms.guaranteed_by(each) for each in problems),
        forecast=tuple(
            max(forms.forecast_from_exact(each), _best_until(each.n_queries, looks, columns))
            for each in problems
        ),
        allowed=tuple(allowed(board, board.rule, each.n_queries) for each in problems),
    )


def _line(show: str, looks: Sequence[int], found: Sequence[tuple[int, Measured]]) -> Series | None:
    """Return the line of a show; None: nothing plays, however many looks there are."""
    if not found:
        return None
    at = dict(found)
    able = [at.get(count) for count in looks]
    last = found[-1][1].scenario
    return Series(
        attack=last.name,
        setting=last.setting,
        points=tuple(None if each is None else each.points for each in able),
        show=show,
        attacks=tuple(None if each is None else each.scenario.name for each in able),
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
