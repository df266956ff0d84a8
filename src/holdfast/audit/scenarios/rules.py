"""Other release rules beside the policy's: gain, bits per look, and price to an honest user."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import certificate, in_points
from holdfast.audit.result import RuleRow
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    PlayBudget,
    StrongestAttack,
    worst,
)
from holdfast.audit.scenarios.scenarios import Scenario, compared_scenarios
from holdfast.mechanisms import Exact, Gaussian, ImprovedOnly, Ladder, Rounding, Rule
from holdfast.problem import Problem

__all__ = ["RULES", "compare", "compared", "price_points"]

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
    looks = play_budget.looks
    scenarios = sum(len(compared(request, rule, looks)) + 1 for rule in _others(request))
    return scenarios * play_budget.fewer


def compared(request: Request, rule: Rule, looks: int) -> list[Scenario]:
    """Return the scenarios by which a rule is compared with the policy's, at so many looks."""
    n, m, _ = request.problem
    shares = request.baseline.unequal
    return compared_scenarios(rule, Problem(n, m, looks), request.histories, shares=shares)


def _others(request: Request) -> list[Rule]:
    return [rule for rule in RULES if rule != request.rule]


def compare(
    measurer: Measurer, measured: Sequence[Measured], found: StrongestAttack
) -> dict[Rule, RuleRow]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays."""
    request, budget = measurer.request, measurer.budget
    looks = budget.looks
    known = [each for each in measured if each.scenario.setting in COMPARED]
    again = found
    if found.setting not in COMPARED:
        first = worst(known)
        assert first.bias is not None
        again = StrongestAttack(first.scenario, first.bias, budget.trials)
    rows = {request.rule: row(measurer, request.rule, known, again)}
    others = _others(request)
    asked = [
        (scenario, rule, looks) for rule in others for scenario in compared(request, rule, looks)
    ]
    played = measurer.measure(asked, range(budget.fewer))
    groups = [
        (rule, looks, [each for one, each in zip(asked, played, strict=True) if one[1] == rule])
        for rule in others
    ]
    strongest = measurer.strongest_of(groups, budget.fewer)
    for rule, (_, _, group), best in zip(others, groups, strongest, strict=True):
        rows[rule] = row(measurer, rule, group, best)
    return rows


def row(
    measurer: Measurer, rule: Rule, measured: Sequence[Measured], strongest: StrongestAttack
) -> RuleRow:
    """Gather one rule's row."""
    request, looks, grain = measurer.request, measurer.budget.looks, measurer.grain
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
