"""The attack suite of the matrix against this policy, on these very labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.audit.allowed import allowed
from holdfast.audit.grain import Grain
from holdfast.audit.plays import Job, Play
from holdfast.audit.request import Request
from holdfast.audit.result import Gain, Interval, Setting
from holdfast.audit.ways import Way, suite_ways
from holdfast.experiments.summary import Mean, mean_of
from holdfast.problem import Problem

__all__ = [
    "Effort",
    "Measured",
    "OnPlay",
    "Worst",
    "effort_for",
    "measure",
    "strongest_of",
    "suite",
    "worst",
]

# Labels handled by one play; beyond it fewer looks are played than the policy grants.
MOST_WORK = 5 * 10**7
# Attacks that take longest: they begin first, so that no process waits for the other's last one.
SLOW = (
    "champion-challenger",
    "boundary-challenger",
    "message-passing",
    "label-subset",
    "random-climb",
    "lattice",
)

OnPlay: TypeAlias = Callable[[int], None]


@dataclass(frozen=True)
class Effort:
    """How much is played: trials of the suite and of comparisons, and looks at most."""

    trials: int
    fewer: int
    looks: int


@dataclass(frozen=True)
class Measured:
    """What came of one way: its mean gain as an accuracy, or the reason why it can't play."""

    way: Way
    bias: Mean | None
    reason: str | None


@dataclass(frozen=True)
class Worst:
    """The strongest attack, measured again with fresh randomness."""

    way: Way
    bias: Mean
    trials: int

    @property
    def setting(self) -> Setting:
        """What it knew."""
        return self.way.setting

    @property
    def attack(self) -> str:
        """What it is called."""
        return self.way.name

    def points(self, grain: Grain, *, worth: float = 1.0) -> Interval:
        """Return the gain in points, rounded.

        Above a majority class never less than nothing: who would end below it submits it.
        """
        points = grain.interval(self.bias, self.trials, worth=worth)
        if grain.free is None:
            return points
        low, high = (None if end is None else max(0.0, end) for end in (points.low, points.high))
        return Interval(max(0.0, points.mean), low, high)


def effort_for(request: Request) -> Effort:
    """Return an effort that keeps an audit within about a minute on two cores."""
    n, _, k = request.problem
    looks = max(1, min(k, MOST_WORK // n))
    work = n * looks
    return Effort(
        trials=6 if work <= 5 * 10**5 else 4 if work <= 2 * 10**6 else 3 if work <= 10**7 else 2,
        fewer=4 if work <= 5 * 10**5 else 3 if work <= 2 * 10**6 else 2,
        looks=looks,
    )


def n_jobs(request: Request, effort: Effort) -> int:
    """Return how many plays the suite takes, the second measurement included."""
    return (len(_ways(request, effort.looks)) + 1) * effort.trials


def _ways(request: Request, looks: int) -> list[Way]:
    n, m, _ = request.problem
    return suite_ways(
        request.rule,
        Problem(n, m, looks),
        request.histories,
        models=bool(request.predictions),
        shares=request.skew is not None,
    )


Asked: TypeAlias = tuple[Way, str, int]


def measure(
    asked: Sequence[Asked], trials: range, play: Play, on_play: OnPlay | None = None
) -> list[Measured]:
    """Play every way against its rule, with its looks, in every trial."""
    jobs = [way.job(rule, looks, trial) for way, rule, looks in asked for trial in trials]
    order = sorted(range(len(jobs)), key=lambda at: _turn(jobs[at], trials))
    results = {}
    for at, played in zip(order, play([jobs[at] for at in order]), strict=True):
        results[at] = played
        if on_play is not None:
            on_play(1)
    measured = []
    for at, (way, _, _) in enumerate(asked):
        mine = [results[at * len(trials) + trial] for trial in range(len(trials))]
        reason = next((each.reason for each in mine if each.reason is not None), None)
        bias = None if reason else mean_of(each.bias for each in mine)
        measured.append(Measured(way, bias, reason))
    return measured


def _turn(job: Job, trials: range) -> tuple[bool, int, int]:
    """Return what jobs are sorted by: slow ones first, but first of all one play of each attack.

    So the processes compile different kernels after an installation, not the same ones at once.
    """
    base = job.attack.partition(",")[0]
    rank = SLOW.index(base) if base in SLOW else len(SLOW)
    return job.trial > trials.start, -job.looks, rank


def worst(measured: Sequence[Measured]) -> Measured:
    """Return the way with the largest mean gain."""
    able = [each for each in measured if each.bias is not None]
    return max(able, key=lambda each: -math.inf if each.bias is None else each.bias.mean)


def strongest_of(
    groups: Sequence[tuple[str, int, Sequence[Measured]]],
    trials: int,
    play: Play,
    on_play: OnPlay | None = None,
) -> list[Worst]:
    """Measure the strongest way of each group once more, with fresh randomness.

    Choosing the maximum must not flatter it. A group is a rule, looks, and what was measured.
    """
    chosen = [worst(measured).way for _, _, measured in groups]
    asked = [(way, rule, looks) for way, (rule, looks, _) in zip(chosen, groups, strict=True)]
    fresh = range(trials, 2 * trials)
    found = []
    for each in measure(asked, fresh, play, on_play):
        assert each.bias is not None
        found.append(Worst(each.way, each.bias, trials))
    return found


def suite(
    request: Request,
    effort: Effort,
    grain: Grain,
    play: Play,
    on_play: OnPlay | None = None,
    *,
    model: float | None = None,
) -> tuple[tuple[Gain, ...], Worst, list[Measured]]:
    """Play the whole suite under the policy; measure the strongest attack once more.

    `model` is the stated accuracy of the given models.

    Returns
    -------
    A gain for every attack; the strongest with fresh randomness; and the first measurement.
    """
    rule, looks = request.release, effort.looks
    asked = [(way, rule, looks) for way in _ways(request, looks)]
    measured = measure(asked, range(effort.trials), play, on_play)
    again = strongest_of([(rule, looks, measured)], effort.trials, play, on_play)[0]
    gains = tuple(_gain(request, effort, grain, each, model) for each in measured)
    return gains, again, measured


def _gain(
    request: Request, effort: Effort, grain: Grain, each: Measured, model: float | None
) -> Gain:
    way, job = each.way, each.way.job(request.release, effort.looks, 0)
    return Gain(
        attack=way.name,
        setting=way.setting,
        accounts=request.accounts if way.accounts == 1 else job.accounts,
        looks=job.looks,
        trials=effort.trials,
        points=None if each.bias is None else grain.interval(each.bias, effort.trials),
        # For a start from a model: the bound for the worst models of that accuracy.
        allowed=allowed(
            request,
            request.rule,
            job.looks,
            accounts=job.accounts,
            model=model if way.setting == "model" else None,
        ),
        reason=None if each.reason is None else _plainly(each.reason),
    )


def _plainly(reason: str) -> str:
    """Return why an attack can't play in words for people who don't read its code."""
    if reason.startswith("n_queries must be at most"):
        return "it can't use so many looks."
    if reason.startswith("n_classes must be 2"):
        return "it is for two classes."
    needs = re.match(r"\w+ needs \w+, got \w+(?:\([^)]*\))?: (.*)", reason, flags=re.DOTALL)
    return f"it needs exact scores: {needs[1]}" if needs else reason
