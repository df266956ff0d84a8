"""Other release rules beside the policy's: gain, bits per look, and price to an honest user."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit.allowed import certificate, in_points
from holdfast.audit.grain import Grain
from holdfast.audit.plays import Play
from holdfast.audit.request import Request
from holdfast.audit.result import RuleRow
from holdfast.audit.suite import Effort, Measured, OnPlay, Worst, measure, strongest_of, worst
from holdfast.audit.ways import Way, compared_ways
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.problem import Problem

__all__ = ["RULES", "compare", "price_points"]

# Rules that a host can switch to, from free to strict.
RULES = ("exact", "round:3", "round:2", "ladder:0.005", "ladder:0.01", "gaussian:0.01", "improved")
# Rules are compared by what attacks can do who have no model.
COMPARED = ("features", "class shares")


def n_jobs(request: Request, effort: Effort) -> int:
    """Return about how many plays the comparison takes."""
    n, m, _ = request.problem
    problem = Problem(n, m, effort.looks)
    ways = sum(len(_ways(request, parse_mechanism(name), problem)) + 1 for name in _others(request))
    return ways * effort.fewer


def _ways(request: Request, rule: Rule, problem: Problem) -> list[Way]:
    return compared_ways(rule, problem, request.histories, shares=request.skew is not None)


def _others(request: Request) -> list[str]:
    return [name for name in RULES if name != request.release]


def compare(
    request: Request,
    effort: Effort,
    grain: Grain,
    measured: Sequence[Measured],
    found: Worst,
    play: Play,
    on_play: OnPlay | None = None,
) -> tuple[RuleRow, ...]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays."""
    n, m, _ = request.problem
    looks = effort.looks
    known = [each for each in measured if each.way.setting in COMPARED]
    again = found
    if found.setting not in COMPARED:
        first = worst(known)
        assert first.bias is not None
        again = Worst(first.way, first.bias, effort.trials)
    rows = [row(request, grain, request.rule, looks, known, again)]
    others = [parse_mechanism(name) for name in _others(request)]
    asked = [
        (way, str(rule), looks)
        for rule in others
        for way in _ways(request, rule, Problem(n, m, looks))
    ]
    played = measure(asked, range(effort.fewer), play, on_play)
    groups = [
        (
            str(rule),
            looks,
            [each for (_, name, _), each in zip(asked, played, strict=True) if name == str(rule)],
        )
        for rule in others
    ]
    strongest = strongest_of(groups, effort.fewer, play, on_play)
    for rule, (_, _, group), best in zip(others, groups, strongest, strict=True):
        rows.append(row(request, grain, rule, looks, group, best))
    return tuple(rows)


def row(
    request: Request,
    grain: Grain,
    rule: Rule,
    looks: int,
    measured: Sequence[Measured],
    strongest: Worst,
) -> RuleRow:
    """Gather one rule's row."""
    n, m, _ = request.problem
    problem, certified = Problem(n, m, looks), certificate(request, rule, looks)
    cells: dict[str, float] = {}
    for each in measured:
        if each.bias is not None:
            gain = grain.round(100.0 * each.bias.mean)
            cells[each.way.base] = max(gain, cells.get(each.way.base, gain))
    return RuleRow(
        rule=str(rule),
        is_policy=str(rule) == request.release,
        attack=strongest.attack,
        possible=strongest.points(grain),
        allowed=in_points(certified),
        bits_per_look=round(certified.bits_per_look, 3),
        price_points=price_points(rule, problem),
        cells=cells,
    )


def price_points(rule: Rule, problem: Problem) -> float:
    """Return how far an answer may be from the exact accuracy, in points."""
    return round(100.0 * rule.resolution(problem), 4)
