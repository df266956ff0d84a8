"""Other release rules beside the policy's: gain, bits per look, and price to an honest user.

Which rule is the weaker one must not depend on which attacks happened to be played on it. If
another rule's answers can be made from this one's (it *refines* the other), what an attack gains
there it gains here; so a rule is judged by the strongest attack found on any rule that it refines.
Its price is how far an honest answer may be from the exact accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.audit.inputs.disclosure import RoundingUnit
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

__all__ = ["RULES", "compare", "compared", "price_points", "rules_beside"]

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
    scenarios = sum(len(compared(request, rule, looks)) + 1 for rule in rules_beside(request))
    return scenarios * play_budget.fewer


def compared(request: Request, rule: Rule, looks: int) -> list[Scenario]:
    """Return the scenarios by which a rule is compared with the policy's, at so many looks.

    Those of attackers without a model, whom every board has. `FixSearch` plays the others, too.
    """
    n, m, _ = request.problem
    baseline = request.baseline
    return compared_scenarios(
        rule,
        Problem(n, m, looks),
        request.histories,
        shares=baseline.unequal,
        head_start=max(0.0, baseline.matches - n / m),
    )


def rules_beside(request: Request) -> list[Rule]:
    """Return the rules that are compared with the policy's."""
    return [rule for rule in RULES if rule != request.rule]


def compare(
    measurer: Measurer, measured: Sequence[Measured], found: StrongestAttack
) -> tuple[dict[Rule, RuleRow], StrongestAttack]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays.

    Every rule is judged by the strongest attack found on any rule that it refines: an attack that
    was played elsewhere and not here is no weaker for that.

    Returns
    -------
    A row for each rule; and the strongest attack on the policy's, found there or elsewhere.
    """
    request, budget = measurer.request, measurer.budget
    looks = budget.looks
    known = [each for each in measured if each.scenario.setting in COMPARED]
    again = found
    if found.setting not in COMPARED:
        first = worst(known)
        assert first.bias is not None
        again = StrongestAttack(first.scenario, first.bias, budget.trials)
    others = rules_beside(request)
    asked = [
        (scenario, rule, looks) for rule in others for scenario in compared(request, rule, looks)
    ]
    played = measurer.measure(asked, range(budget.fewer))
    groups = [
        (rule, looks, [each for one, each in zip(asked, played, strict=True) if one[1] == rule])
        for rule in others
    ]
    strongest = measurer.strongest_of(groups, budget.fewer)
    on_each = {request.rule: again, **dict(zip(others, strongest, strict=True))}
    cells = {request.rule: known, **{rule: group for rule, _, group in groups}}
    n, m, _ = request.problem
    problem = Problem(n, m, looks)
    rows = {}
    for rule, group in cells.items():
        able = [other for other in on_each if rule.refines(other, problem)]
        hardest = max(able, key=lambda other: on_each[other].bias.mean)
        rows[rule] = row(measurer, rule, group, on_each[hardest], hardest)
        if rule == request.rule and on_each[hardest].bias.mean > found.bias.mean:
            found = _stronger(found, on_each[hardest], hardest, measurer.rounding_unit)
    return rows, found


def _stronger(
    own: StrongestAttack, other: StrongestAttack, on: Rule, unit: RoundingUnit
) -> StrongestAttack:
    """Return the attack that was found on another rule, or its gain alone if that is chance.

    A finer rule gains no less, so the larger gain stands in either case. But the name of another
    rule's attack is worth telling only if the two 95 % intervals do not meet; else it is one
    attack measured twice, and the larger mean may be luck.
    """
    here, there = own.points(unit), other.points(unit)
    if here.high is None or there.low is None or there.low <= here.high:
        return replace(own, bias=other.bias, trials=other.trials)
    return replace(other, on=str(on))


def row(
    measurer: Measurer,
    rule: Rule,
    measured: Sequence[Measured],
    strongest: StrongestAttack,
    judged_on: Rule,
) -> RuleRow:
    """Gather one rule's row of the comparison.

    Parameters
    ----------
    measurer
        With the audit's request and budget.
    rule
        The row's.
    measured
        What was played against it: the row's cells, the larger gain where an attack played twice.
    strongest, judged_on
        The attack with the largest gain on any rule that this one refines, and that rule: who knows
        more can play the same.
    """
    request, looks, unit = measurer.request, measurer.budget.looks, measurer.rounding_unit
    n, m, _ = request.problem
    # What is allowed is what the policy's looks allow, however many of them were played.
    certified = certificate(request, rule, request.n_looks)
    allowed = in_points(certified)
    cells: dict[str, float] = {}
    for each in measured:
        if each.bias is not None:
            gain = unit.round(100.0 * each.bias.mean)
            cells[each.scenario.base] = max(gain, cells.get(each.scenario.base, gain))
    return RuleRow(
        rule=str(rule),
        is_policy=str(rule) == request.release,
        attack=strongest.scenario.name,
        judged_on=str(judged_on),
        possible=strongest.points(unit)
        if request.in_runs
        else strongest.points(unit).at_most(allowed),
        allowed=allowed,
        bits_per_look=round(certified.bits_per_look, 3),
        price_points=price_points(rule, Problem(n, m, looks)),
        cells=cells,
    )


def price_points(rule: Rule, problem: Problem) -> float:
    """Return the blur for honest teams: how far an answer may be from the accuracy, in points.

    None at all where an answer tells the number of matches.

    >>> price_points(Exact(), Problem(899, 10, 5)), price_points(Ladder(0.01), Problem(899, 10, 5))
    (0.0, 1.0)
    """
    off = rule.resolution(problem)
    return 0.0 if off * problem.n_examples <= 1.0 else round(100.0 * off, 4)
