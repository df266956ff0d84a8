"""The attack suite of the matrix against this policy, on these very labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.attacks.registry import attack_type
from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import allowed
from holdfast.audit.result import Gain, Interval, Knowledge
from holdfast.audit.scenarios.plays import Job, Play
from holdfast.audit.scenarios.scenarios import Scenario, suite_scenarios
from holdfast.experiments.summary import Mean, mean_of
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = [
    "Measured",
    "OnPlay",
    "PlayBudget",
    "StrongestAttack",
    "measure",
    "play_budget_for",
    "strongest_of",
    "suite",
    "worst",
]

# Labels handled by one play; beyond it fewer looks are played than the policy grants.
MOST_WORK = 5 * 10**7

OnPlay: TypeAlias = Callable[[int], None]


@dataclass(frozen=True)
class PlayBudget:
    """How much is played: trials of the suite and of comparisons, and looks at most."""

    trials: int
    fewer: int
    looks: int


@dataclass(frozen=True)
class Measured:
    """What came of one scenario: its mean gain as an accuracy, or the reason why it can't play."""

    scenario: Scenario
    bias: Mean | None
    reason: str | None


@dataclass(frozen=True)
class StrongestAttack:
    """The strongest attack, measured again with fresh randomness."""

    scenario: Scenario
    bias: Mean
    trials: int

    @property
    def setting(self) -> Knowledge:
        """What it knew."""
        return self.scenario.setting

    @property
    def attack(self) -> str:
        """What it is called."""
        return self.scenario.name

    def points(self, grain: RoundingUnit, *, worth: float = 1.0) -> Interval:
        """Return the gain in points, rounded.

        Above a majority class never less than nothing: who would end below it submits it.
        """
        points = grain.interval(self.bias, self.trials, worth=worth)
        if grain.free is None:
            return points
        low, high = (None if end is None else max(0.0, end) for end in (points.low, points.high))
        return Interval(max(0.0, points.mean), low, high)


def play_budget_for(request: Request) -> PlayBudget:
    """Return an effort that keeps an audit within about a minute on two cores."""
    n, _, k = request.problem
    looks = max(1, min(k, MOST_WORK // n))
    work = n * looks
    return PlayBudget(
        trials=6 if work <= 5 * 10**5 else 4 if work <= 2 * 10**6 else 3 if work <= 10**7 else 2,
        fewer=4 if work <= 5 * 10**5 else 3 if work <= 2 * 10**6 else 2,
        looks=looks,
    )


def n_jobs(request: Request, play_budget: PlayBudget) -> int:
    """Return how many plays the suite takes, the second measurement included."""
    return (len(_scenarios(request, play_budget.looks)) + 1) * play_budget.trials


def _scenarios(request: Request, looks: int) -> list[Scenario]:
    n, m, _ = request.problem
    return suite_scenarios(
        request.rule,
        Problem(n, m, looks),
        request.histories,
        models=bool(request.predictions),
        shares=request.skew is not None,
    )


Asked: TypeAlias = tuple[Scenario, Rule, int]


def measure(
    asked: Sequence[Asked], trials: range, play: Play, on_play: OnPlay | None = None
) -> list[Measured]:
    """Play every way against its rule, with its looks, in every trial."""
    jobs = [scenario.job(rule, looks, trial) for scenario, rule, looks in asked for trial in trials]
    order = sorted(range(len(jobs)), key=lambda at: _turn(jobs[at], trials))
    results = {}
    for at, played in zip(order, play([jobs[at] for at in order]), strict=True):
        results[at] = played
        if on_play is not None:
            on_play(1)
    measured = []
    for at, (scenario, _, _) in enumerate(asked):
        mine = [results[at * len(trials) + trial] for trial in range(len(trials))]
        reason = next((each.reason for each in mine if each.reason is not None), None)
        bias = None if reason else mean_of(each.bias for each in mine)
        measured.append(Measured(scenario, bias, reason))
    return measured


def _turn(job: Job, trials: range) -> tuple[bool, int, float]:
    """Return what jobs are sorted by: slow ones first, but first of all one play of each attack.

    So the processes compile different kernels after an installation, not the same ones at once.
    """
    base = job.attack.partition(",")[0]
    cls = attack_type(base, without_features=job.setting == "no features")
    return job.trial > trials.start, -job.looks, -cls.effort


def worst(measured: Sequence[Measured]) -> Measured:
    """Return the way with the largest mean gain."""
    able = [each for each in measured if each.bias is not None]
    return max(able, key=lambda each: -math.inf if each.bias is None else each.bias.mean)


def strongest_of(
    groups: Sequence[tuple[Rule, int, Sequence[Measured]]],
    trials: int,
    play: Play,
    on_play: OnPlay | None = None,
) -> list[StrongestAttack]:
    """Measure the strongest way of each group once more, with fresh randomness.

    Choosing the maximum must not flatter it. A group is a rule, looks, and what was measured.
    """
    chosen = [worst(measured).scenario for _, _, measured in groups]
    asked = [
        (scenario, rule, looks) for scenario, (rule, looks, _) in zip(chosen, groups, strict=True)
    ]
    fresh = range(trials, 2 * trials)
    found = []
    for each in measure(asked, fresh, play, on_play):
        assert each.bias is not None
        found.append(StrongestAttack(each.scenario, each.bias, trials))
    return found


def suite(
    request: Request,
    play_budget: PlayBudget,
    grain: RoundingUnit,
    play: Play,
    on_play: OnPlay | None = None,
    *,
    model: float | None = None,
) -> tuple[tuple[Gain, ...], StrongestAttack, list[Measured]]:
    """Play the whole suite under the policy; measure the strongest attack once more.

    `model` is the stated accuracy of the given models.

    Returns
    -------
    A gain for every attack; the strongest with fresh randomness; and the first measurement.
    """
    rule, looks = request.rule, play_budget.looks
    asked = [(scenario, rule, looks) for scenario in _scenarios(request, looks)]
    measured = measure(asked, range(play_budget.trials), play, on_play)
    again = strongest_of([(rule, looks, measured)], play_budget.trials, play, on_play)[0]
    gains = tuple(_gain(request, play_budget, grain, each, model) for each in measured)
    return gains, again, measured


def _gain(
    request: Request,
    play_budget: PlayBudget,
    grain: RoundingUnit,
    each: Measured,
    model: float | None,
) -> Gain:
    scenario, job = each.scenario, each.scenario.job(request.rule, play_budget.looks, 0)
    return Gain(
        attack=scenario.name,
        setting=scenario.setting,
        accounts=request.accounts if scenario.accounts == 1 else job.accounts,
        looks=job.looks,
        trials=play_budget.trials,
        points=None if each.bias is None else grain.interval(each.bias, play_budget.trials),
        # For a start from a model: the bound for the worst models of that accuracy.
        allowed=allowed(
            request,
            request.rule,
            job.looks,
            accounts=job.accounts,
            model=model if scenario.setting == "model" else None,
        ),
        reason=each.reason,
    )
