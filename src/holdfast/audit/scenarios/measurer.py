"""Measuring gains: scenarios played against rules, and the strongest of them once more.

A scenario's gain is the mean over a few trials with their own seeds. The largest of many such means
lies above what its attack really gains, the more so the more scenarios there are and the fewer the
trials: the winner's curse. So the strongest scenario is chosen by the first trials and reported by
fresh ones, which know nothing of the choice and are unbiased.

Trials are numbered, and a number is a seed: trials 0 .. t - 1 choose, t .. 2t - 1 report. All
scenarios that are compared meet the same trial numbers, and two audits that ask for the same play
get the same one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.attacks.registry import attack_type
from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.request import Request
from holdfast.audit.result import Interval, Knowledge
from holdfast.audit.scenarios.plays import Job, Play
from holdfast.audit.scenarios.scenarios import Scenario
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.summary import Mean, mean_of
from holdfast.mechanisms import Rule

__all__ = [
    "Measured",
    "Measurer",
    "OnPlay",
    "PlayBudget",
    "StrongestAttack",
    "play_budget_for",
    "reason_of",
    "worst",
]

# Labels handled by one play; beyond it fewer looks are played than the policy grants.
MOST_WORK = 5 * 10**7

# With so many classes a steered attack keeps several labels of each example in play, and a play of
# so many labels takes eight seconds: one play of each comparison, then, and one more of the best.
MANY_CLASSES, DEAR_WORK = 50, 5 * 10**6

OnPlay: TypeAlias = Callable[[Job, Played], None]
AskedScenario: TypeAlias = tuple[Scenario, Rule, int]


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
    """The strongest attack, measured again with fresh randomness.

    `on` is the rule that it was found on if not the one that is judged: one whose answers follow
    from those of that rule.
    """

    scenario: Scenario
    bias: Mean
    trials: int
    on: str | None = None

    @property
    def setting(self) -> Knowledge:
        """What it knew."""
        return self.scenario.setting

    @property
    def attack(self) -> str:
        """What it is called."""
        name = self.scenario.name
        return name if self.on is None else f"{name}, which reads scores as {self.on} has them"

    def points(self, unit: RoundingUnit, *, worth: float = 1.0) -> Interval:
        """Return the gain in points, rounded.

        Above a majority class never less than nothing: who would end below it submits it.
        """
        points = unit.interval(self.bias, self.trials, worth=worth)
        if unit.free is None:
            return points
        low, high = (None if end is None else max(0.0, end) for end in (points.low, points.high))
        return Interval(max(0.0, points.mean), low, high)


def play_budget_for(request: Request) -> PlayBudget:
    """Return an effort that keeps an audit within about a minute on two cores.

    A play's work is about the labels that it handles, examples times looks. Up to 5 * 10^7 all
    looks are played; beyond, fewer, and the audit says so. The larger the work the fewer the
    trials, which costs little: the spread of an accuracy shrinks with the examples, too.
    """
    n, m, k = request.problem
    looks = max(1, min(k, MOST_WORK // n))
    work = n * looks
    if m >= MANY_CLASSES and work >= DEAR_WORK:
        return PlayBudget(trials=2, fewer=1, looks=looks)
    return PlayBudget(
        trials=6
        if work <= 5 * 10**5
        else 4
        if work <= 2 * 10**6
        else 3
        if work <= 5 * 10**6
        else 2,
        fewer=4 if work <= 5 * 10**5 else 3 if work <= 2 * 10**6 else 2,
        looks=looks,
    )


@dataclass(frozen=True, eq=False)
class Measurer:
    """Measures gains in an audit.

    Parameters
    ----------
    request
        What is audited.
    budget
        How much is played.
    play
        Who plays jobs.
    model
        Stated accuracy of the given models; None: there are none.
    on_play
        Called with every play and what came of it, as soon as it is done.
    """

    request: Request
    budget: PlayBudget
    play: Play
    model: float | None = None
    on_play: OnPlay | None = None

    @property
    def rounding_unit(self) -> RoundingUnit:
        """The unit that gains are rounded to."""
        return self.request.baseline.rounding_unit

    def telling(self, on_play: OnPlay) -> Measurer:
        """Return the same measurer with somebody else to tell of plays."""
        return replace(self, on_play=on_play)

    def measure(self, asked: Sequence[AskedScenario], trials: range) -> list[Measured]:
        """Play every scenario against its rule, with its looks, in every trial.

        Plays are independent and go to the pool in one batch, sorted so that the long ones begin
        first and none is left over at the end; results come back in the order that was asked.
        """
        jobs = [scenario.job(rule, k, trial) for scenario, rule, k in asked for trial in trials]
        order = sorted(range(len(jobs)), key=lambda at: _turn(jobs[at], trials))
        played = self.play([jobs[at] for at in order], self.on_play)
        results = dict(zip(order, played, strict=True))
        measured = []
        for at, (scenario, _, _) in enumerate(asked):
            mine = [results[at * len(trials) + trial] for trial in range(len(trials))]
            reason = reason_of(mine)
            bias = None if reason else _mean([each.bias for each in mine])
            measured.append(Measured(scenario, bias, reason))
        return measured

    def strongest_of(
        self, groups: Sequence[tuple[Rule, int, Sequence[Measured]]], trials: int
    ) -> list[StrongestAttack]:
        """Measure the strongest scenario of each group once more, with fresh randomness.

        Choosing the maximum must not flatter it: of twenty equally good attacks whose means have a
        standard error of 0.3 points, the best one's lies 0.6 points too high on average. Trials
        from `trials` on took no part in the choice, and their mean is unbiased.

        Parameters
        ----------
        groups
            A rule, looks, and what was measured there, one for each choice.
        trials
            Fresh plays; those before them, 0 .. trials - 1, may have chosen.
        """
        asked = [(worst(measured).scenario, rule, looks) for rule, looks, measured in groups]
        found = []
        for each in self.measure(asked, range(trials, 2 * trials)):
            assert each.bias is not None
            found.append(StrongestAttack(each.scenario, each.bias, trials))
        return found


def reason_of(plays: Sequence[Played]) -> str | None:
    """Return why one of these plays could not be had; None: all were played."""
    return next((each.reason for each in plays if each.reason is not None), None)


def _mean(values: Sequence[float]) -> Mean:
    """Return the mean; of one play the interval is the binomial one, which is no narrower."""
    return Mean(values[0], 0.0) if len(values) == 1 else mean_of(values)


def _turn(job: Job, trials: range) -> tuple[bool, int, float]:
    """Return what jobs are sorted by: slow ones first, but first of all one play of each attack.

    So the processes compile different kernels after an installation, not the same ones at once.
    """
    base = job.attack.partition(",")[0]
    cls = attack_type(base, without_features=job.setting == "no features")
    return job.trial > trials.start, -job.looks, -cls.effort


def worst(measured: Sequence[Measured]) -> Measured:
    """Return the scenario with the largest mean gain.

    The choice alone. Its mean is the largest of many and lies above what the attack really gains,
    so nothing is reported of it before it has been measured again.
    """
    able = [each for each in measured if each.bias is not None]
    return max(able, key=lambda each: -math.inf if each.bias is None else each.bias.mean)
