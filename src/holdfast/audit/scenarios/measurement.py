"""The attack suite of the matrix against this policy, on these very labels.

Measured on the labels themselves, not on random ones of the same size: what an attack gains may
depend on how unequal the classes are, and on models that are right on some examples. What is
reported of them is rounded (`inputs.disclosure`).
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.attacks.description import Reads
from holdfast.attacks.registry import attack_type
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import allowed
from holdfast.audit.result import AttackGain
from holdfast.audit.scenarios.measurer import Measured, Measurer, PlayBudget, StrongestAttack
from holdfast.audit.scenarios.scenarios import Scenario, suite_scenarios
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["n_jobs", "scenarios", "suite", "unread"]


def n_jobs(request: Request, play_budget: PlayBudget) -> int:
    """Return how many plays the suite takes, the second measurement included."""
    return (len(scenarios(request, play_budget.looks)) + 1) * play_budget.trials


def scenarios(request: Request, looks: int) -> list[Scenario]:
    """Return all scenarios that the policy meets."""
    n, m, _ = request.problem
    return suite_scenarios(
        request.rule,
        Problem(n, m, looks),
        request.histories,
        models=bool(request.predictions),
        shares=request.baseline.unequal,
        in_runs=request.in_runs,
    )


def suite(measurer: Measurer) -> tuple[tuple[AttackGain, ...], StrongestAttack, list[Measured]]:
    """Play the whole suite under the policy; measure the strongest attack once more.

    The largest of many measured gains is too large by chance, so the verdict rests on a second
    measurement of that attack alone.

    Returns
    -------
    A gain for every attack; the strongest with fresh randomness; and the first measurement.
    """
    request, trials, looks = measurer.request, measurer.budget.trials, measurer.budget.looks
    asked = [(scenario, request.rule, looks) for scenario in scenarios(request, looks)]
    measured = measurer.measure(asked, range(trials))
    again = measurer.strongest_of([(request.rule, looks, measured)], trials)[0]
    # One number for all: what the policy allows, however many of its looks were played.
    k, model = request.n_looks, measurer.model
    without = allowed(request, request.rule, k)
    with_model = None if model is None else allowed(request, request.rule, k, model=model)
    gains = tuple(
        _gain(measurer, each, with_model if each.scenario.setting == "model" else without)
        for each in measured
    )
    return gains, again, measured


def unread(measured: Sequence[Measured], rule: Rule) -> bool:
    """Tell whether a rule releases values, and no attack that reads values could play."""
    if rule.tells_best or rule.shows != "scores":
        return False
    able = [each.scenario for each in measured if each.bias is not None]
    kinds = (attack_type(each.base, without_features=each.blind) for each in able)
    return all(cls.reads is Reads.NEW_BEST for cls in kinds)


def _gain(measurer: Measurer, each: Measured, most: float | None) -> AttackGain:
    """Return an attack's row; a gain that chance or rounding puts above its bound is cut there."""
    request, trials, scenario = measurer.request, measurer.budget.trials, each.scenario
    job = scenario.job(request.rule, measurer.budget.looks, 0)
    uncut = most is None or request.in_runs  # what is certified is for rows of no order
    points = None if each.bias is None else measurer.rounding_unit.interval(each.bias, trials)
    return AttackGain(
        attack=scenario.name,
        setting=scenario.setting,
        accounts=request.accounts if scenario.accounts == 1 else job.accounts,
        looks=job.looks,
        trials=trials,
        points=points if points is None or uncut else points.at_most(most or 0.0),
        allowed=most,
        reason=each.reason,
    )
