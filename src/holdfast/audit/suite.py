"""The attack suite of the matrix against this policy, on these very labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.audit import closed_forms
from holdfast.audit.grain import Grain
from holdfast.audit.plays import MODEL_ATTACKS, NO_FEATURES_ATTACKS, Job, Play
from holdfast.audit.request import Request
from holdfast.audit.result import Gain, Setting
from holdfast.experiments.suite import SUITE, entry_named
from holdfast.experiments.summary import Mean, mean_of
from holdfast.problem import Problem

__all__ = ["Effort", "Measured", "OnPlay", "Worst", "effort_for", "measure", "suite", "worst"]

# Labels handled by one play; beyond it fewer looks are played than the policy grants.
MOST_WORK = 5 * 10**7

OnPlay: TypeAlias = Callable[[int], None]


@dataclass(frozen=True)
class Effort:
    """How much is played: trials of the suite and of comparisons, and looks at most."""

    trials: int
    fewer: int
    looks: int


@dataclass(frozen=True)
class Measured:
    """What came of one attack: its mean gain as an accuracy, or the reason why it can't play."""

    setting: Setting
    attack: str
    bias: Mean | None
    reason: str | None


@dataclass(frozen=True)
class Worst:
    """The strongest attack, measured again with fresh randomness."""

    setting: Setting
    attack: str
    bias: Mean
    trials: int


def effort_for(request: Request) -> Effort:
    """Return an effort that keeps an audit within about a minute on two cores."""
    n, _, k = request.problem
    looks = max(1, min(k, MOST_WORK // n))
    work = n * looks
    return Effort(
        trials=6 if work <= 10**6 else 3 if work <= 2 * 10**7 else 2,
        fewer=4 if work <= 10**6 else 2,
        looks=looks,
    )


def n_jobs(request: Request, effort: Effort) -> int:
    """Return how many plays the suite takes, the second measurement included."""
    return (len(_attacks(request, effort.looks)) + 1) * effort.trials


def _attacks(request: Request, looks: int) -> list[tuple[Setting, str]]:
    able: list[tuple[Setting, str]] = [
        ("features", entry.name) for entry in SUITE if entry.n_accounts(looks) <= request.histories
    ]
    able += [("no features", name) for name in NO_FEATURES_ATTACKS]
    if request.predictions:
        able += [("model", name) for name in MODEL_ATTACKS]
    return able


def measure(
    attacks: Sequence[tuple[Setting, str]],
    rule: str,
    looks: int,
    trials: range,
    play: Play,
    on_play: OnPlay | None = None,
) -> list[Measured]:
    """Play every attack in every trial and gather the plays of each."""
    jobs = [Job(*attack[:1], rule, attack[1], looks, t) for attack in attacks for t in trials]
    results = []
    for played in play(jobs):
        results.append(played)
        if on_play is not None:
            on_play(1)
    measured = []
    for at, (setting, attack) in enumerate(attacks):
        mine = results[at * len(trials) : (at + 1) * len(trials)]
        reason = next((each.reason for each in mine if each.reason is not None), None)
        bias = None if reason else mean_of(each.bias for each in mine)
        measured.append(Measured(setting, attack, bias, reason))
    return measured


def worst(measured: Sequence[Measured]) -> Measured:
    """Return the attack with the largest mean gain."""
    able = [each for each in measured if each.bias is not None]
    return max(able, key=lambda each: -math.inf if each.bias is None else each.bias.mean)


def suite(
    request: Request, effort: Effort, grain: Grain, play: Play, on_play: OnPlay | None = None
) -> tuple[tuple[Gain, ...], Worst, list[Measured]]:
    """Play the whole suite under the policy; measure the strongest attack once more.

    Returns
    -------
    A gain for every attack; the strongest with fresh randomness, because choosing the maximum
    must not flatter it; and the first measurement.
    """
    rule, looks = request.release, effort.looks
    attacks = _attacks(request, looks)
    measured = measure(attacks, rule, looks, range(effort.trials), play, on_play)
    first = worst(measured)
    fresh = range(effort.trials, 2 * effort.trials)
    again = measure([(first.setting, first.attack)], rule, looks, fresh, play, on_play)[0]
    assert again.bias is not None
    gains = tuple(_gain(request, effort, grain, each) for each in measured)
    return gains, Worst(first.setting, first.attack, again.bias, effort.trials), measured


def _gain(request: Request, effort: Effort, grain: Grain, each: Measured) -> Gain:
    features = each.setting == "features"
    accounts = entry_named(each.attack).n_accounts(effort.looks) if features else 1
    n, m, _ = request.problem
    problem = Problem(n, m, effort.looks)
    return Gain(
        attack=each.attack,
        setting=each.setting,
        accounts=accounts,
        looks=effort.looks,
        trials=effort.trials,
        points=None if each.bias is None else grain.interval(each.bias, effort.trials),
        # The bound is on the gain over guessing: it does not cover a start from a model.
        allowed=None
        if each.setting == "model"
        else closed_forms.allowed(request.rule, problem, accounts),
        reason=each.reason,
    )
