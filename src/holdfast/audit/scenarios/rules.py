"""Other release rules beside the policy's: gain, bits per look, and price to an honest user."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import certificate, in_points
from holdfast.audit.result import RuleRow
from holdfast.audit.scenarios.measurement import (
    Measured,
    OnPlay,
    PlayBudget,
    StrongestAttack,
    measure,
    strongest_of,
    worst,
)
from holdfast.audit.scenarios.plays import Play
from holdfast.audit.scenarios.scenarios import Scenario, compared_scenarios
from holdfast.mechanisms import Exact, Gaussian, ImprovedOnly, Ladder, Rounding, Rule
from holdfast.problem import Problem

__all__ = ["RULES", "compare", "price_points"]

# Rules that a host can switch to, from free to strict.
RULES: tuple[Rule, ...] = (
    Exact(),
    Rounding(decimals=3),
    Rounding(decimals=2),
    Ladder(0.005),
    Ladder(0.01),
    Gaussian(0.01),
    ImprovedOnly(),
)
# Rules are compared by what attacks can do who have no model.
COMPARED = ("features", "class shares")


def n_jobs(request: Request, play_budget: PlayBudget) -> int:
    """Return about how many plays the comparison takes."""
    n, m, _ = request.problem
    problem = Problem(n, m, play_budget.looks)
    scenarios = sum(len(_scenarios(request, rule, problem)) + 1 for rule in _others(request))
    return scenarios * play_budget.fewer


def _scenarios(request: Request, rule: Rule, problem: Problem) -> list[Scenario]:
    return compared_scenarios(rule, problem, request.histories, shares=request.skew is not None)


def _others(request: Request) -> list[Rule]:
    return [rule for rule in RULES if rule != request.rule]


def compare(
    request: Request,
    play_budget: PlayBudget,
    grain: RoundingUnit,
    measured: Sequence[Measured],
    found: StrongestAttack,
    play: Play,
    on_play: OnPlay | None = None,
) -> dict[Rule, RuleRow]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays."""
    n, m, _ = request.problem
    looks = play_budget.looks
    known = [each for each in measured if each.scenario.setting in COMPARED]
    again = found
    if found.setting not in COMPARED:
        first = worst(known)
        assert first.bias is not None
        again = StrongestAttack(first.scenario, first.bias, play_budget.trials)
    rows = {request.rule: row(request, grain, request.rule, looks, known, again)}
    others = _others(request)
    asked = [
        (scenario, rule, looks)
        for rule in others
        for scenario in _scenarios(request, rule, Problem(n, m, looks))
    ]
    played = measure(asked, range(play_budget.fewer), play, on_play)
    groups = [
        (rule, looks, [each for one, each in zip(asked, played, strict=True) if one[1] == rule])
        for rule in others
    ]
    strongest = strongest_of(groups, play_budget.fewer, play, on_play)
    for rule, (_, _, group), best in zip(others, groups, strongest, strict=True):
        rows[rule] = row(request, grain, rule, looks, group, best)
    return rows


def row(
    request: Request,
    grain: RoundingUnit,
    rule: Rule,
    looks: int,
    measured: Sequence[Measured],
    strongest: StrongestAttack,
) -> RuleRow:
    """Gather one rule's row."""
    n, m, _ = request.problem
    problem, certified = Problem(n, m, looks), certificate(request, rule, looks)
    cells: dict[str, float] = {}
    for each in measured:
        if each.bias is not None:
            gain = grain.round(100.0 * each.bias.mean)
            cells[each.scenario.base] = max(gain, cells.get(each.scenario.base, gain))
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
