"""Measuring gains: scenarios played against rules, and those that may be the strongest once more.

A scenario's gain is the mean over a few trials with their own seeds. The largest of many such means
lies above what its attack really gains, the more so the more scenarios there are and the fewer the
trials: the winner's curse. A few trials also miss the strongest one: of twenty scenarios measured
four times each, the best lay behind another in one board of three. So it is done in three stages.

1. Every scenario plays a few trials, 0 .. t - 1: they choose who comes further.
2. Contenders, the strongest five and others whose interval reaches the best mean, play fresh
   trials, so many that chance is small beside the gap if that is affordable. The largest *upper*
   end of their intervals says who is reported, and bounds what any of them gains.
3. What is reported is measured by trials that had no part in either choice, and is unbiased.

Trials are numbered, and a number is a seed: all scenarios that are compared meet the same trial
numbers, and two audits that ask for the same play get the same one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from holdfast.audit.inputs.disclosure import NORMAL_95
from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import AttackGain, Interval, Knowledge
from holdfast.audit.scenarios.plays import AnyJob, Players
from holdfast.audit.scenarios.suite import AnyScenario
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.summary import Mean
from holdfast.rules import Rule

__all__ = [
    "Measured",
    "Measurer",
    "OnPlay",
    "PlayBudget",
    "Strongest",
    "gain_of",
    "play_budget_for",
    "reason_of",
    "strongest_first",
    "unread",
]

# Labels handled by one play; beyond it fewer looks are played than the policy grants.
MOST_WORK = 5 * 10**7

# With so many classes a steered attack keeps several labels of each example in play, and a play of
# so many labels takes eight seconds: one play of each comparison, then, and one more of the best.
MANY_CLASSES, DEAR_WORK = 50, 5 * 10**6

# Contenders: so many at least, and at most; and at most if the best is above the gap beyond doubt.
FEWEST_CONTENDERS, MOST_CONTENDERS, MOST_BEYOND_DOUBT = 5, 9, 3
# Plays of a contender: until the 95 % half-width is this share of the gap, within limits of plays
# and of labels that they handle.
SHARE_OF_GAP = 0.125
MOST_TRIALS = 64
# Fresh plays after which it is asked whether the answer is known already.
PILOT = 16
MOST_LABELS = 2 * 10**6

OnPlay: TypeAlias = Callable[[AnyJob, Played], None]
AskedScenario: TypeAlias = tuple[AnyScenario, Rule, int]


@dataclass(frozen=True)
class PlayBudget:
    """How much is played: trials of the suite and of comparisons, and looks at most."""

    trials: int
    fewer: int
    looks: int


@dataclass(frozen=True)
class Measured:
    """What came of one scenario: its mean gain in the metric's own values, or why it can't play.

    `points` is the same in the audit's unit with its interval, rounded.
    """

    scenario: AnyScenario
    rule: Rule
    looks: int
    trials: int
    gain: Mean | None
    points: Interval | None
    reason: str | None

    @property
    def mean(self) -> float:
        """The mean gain; of what can't play less than any."""
        return -math.inf if self.gain is None else self.gain.mean

    @property
    def upper(self) -> float:
        """The upper end of the interval in the audit's unit, or the gain of a single play."""
        return -math.inf if self.points is None else self.points.upper


@dataclass(frozen=True)
class Strongest:
    """The strongest attack, measured with fresh randomness, and its contenders.

    Parameters
    ----------
    measured
        By trials that had no part in any choice.
    contenders
        What was measured in the second stage; empty where only the best was measured again.
    board
        The rule of the board that is judged: another one's attack may be the strongest here, if
        that rule's answers follow from those of this one.
    """

    measured: Measured
    unit: Unit
    contenders: tuple[Measured, ...] = ()
    board: Rule | None = None

    @property
    def scenario(self) -> AnyScenario:
        """Who it is."""
        return self.measured.scenario

    @property
    def setting(self) -> Knowledge:
        """What it knew."""
        return self.scenario.setting

    @property
    def attack(self) -> str:
        """What it is called."""
        name, on = self.scenario.name, self.measured.rule
        return name if on == self.board else f"{name}, which reads scores as {on} has them"

    @property
    def points(self) -> Interval:
        """The gain with its interval, which ends no lower than that of any contender."""
        return self.within(1.0)

    def within(self, times: float) -> Interval:
        """Return the gain with an interval of so many times the half-width, rounded."""
        found = [self._within(each, times) for each in (self.measured, *self.contenders)]
        mean, low, high = found[0].mean, *found[0].ends
        if high is None:
            return found[0]
        return Interval(mean, low, max(each.upper for each in found))

    def _within(self, each: Measured, times: float) -> Interval:
        assert each.gain is not None
        wider = Mean(each.gain.mean, times * each.gain.stderr)
        return self.unit.from_here(self.unit.interval(wider, each.trials))


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
    steps = ((5 * 10**5, 6, 4), (2 * 10**6, 4, 3), (5 * 10**6, 3, 2))
    trials, fewer = next(((t, f) for most, t, f in steps if work <= most), (2, 2))
    return PlayBudget(trials, fewer, looks)


@dataclass(frozen=True, eq=False)
class Measurer:
    """Measures gains in an audit; what was played once is known.

    Parameters
    ----------
    board
        What is audited.
    unit, gap
        What gains are counted in, and the ranking gap that chance shall be small beside.
    budget
        How much is played.
    play
        Who plays jobs.
    on_play
        Called with every play and what came of it, as soon as it is done.
    """

    board: Request
    unit: Unit
    gap: float
    budget: PlayBudget
    play: Players
    on_play: OnPlay | None = None
    known: dict[AnyJob, Played] = field(default_factory=dict)

    def measure(self, asked: Sequence[AskedScenario], trials: range) -> list[Measured]:
        """Play every scenario against its rule, with its looks, in every trial.

        Plays are independent and go to the pool in one batch, sorted so that the long ones begin
        first and none is left over at the end; results come back in the order that was asked.
        """
        jobs = [[each.job(rule, k, trial) for trial in trials] for each, rule, k in asked]
        order = {
            job: (job.trial > trials.start, -job.looks, -scenario.effort)
            for (scenario, _, _), mine in zip(asked, jobs, strict=True)
            for job in mine
            if job not in self.known
        }
        fresh = sorted(order, key=lambda job: order[job])
        self.known.update(zip(fresh, self.play(fresh, self.on_play), strict=True))
        return [
            self._measured(each, [self.known[job] for job in mine])
            for each, mine in zip(asked, jobs, strict=True)
        ]

    def _measured(self, asked: AskedScenario, plays: Sequence[Played]) -> Measured:
        reason = reason_of(plays)
        gain = points = None
        if reason is None:
            gain = self.unit.mean([each.bias for each in plays])
            points = self.unit.interval(gain, len(plays))
        return Measured(*asked, len(plays), gain, points, reason)

    def confirmed(self, measured: Iterable[Measured], hopeless: float = math.inf) -> Strongest:
        """Return the strongest of these scenarios by fresh trials: stages two and three.

        Where the best is above the gap beyond doubt, so that only the number is in question, it
        takes no more trials than the suite. A gain that is `hopeless` beyond doubt after a few
        fresh trials is not measured more closely, either.
        """
        able = [each for each in strongest_first(measured) if each.points is not None]
        best = able[0].points
        assert best is not None
        reaching = [each for each in able if each.upper >= best.mean]
        if best.low is not None and best.low >= self.gap:
            return self.again(reaching[:MOST_BEYOND_DOUBT], self.budget.trials)
        chosen = [*able[:FEWEST_CONTENDERS], *reaching[FEWEST_CONTENDERS:MOST_CONTENDERS]]
        trials, first = self._trials(chosen), self.budget.trials
        if trials > PILOT and math.isfinite(hopeless):
            asked = [(each.scenario, each.rule, each.looks) for each in chosen]
            pilot = self.measure(asked, range(first, first + PILOT))
            lows = (each.points.low for each in pilot if each.points is not None)
            if any(low is not None and low >= hopeless for low in lows):
                trials = PILOT
        return self.again(chosen, trials)

    def again(self, chosen: Sequence[Measured], trials: int) -> Strongest:
        """Measure contenders by so many fresh trials, and the one to report by as many more."""
        first = self.budget.trials
        asked = [(each.scenario, each.rule, each.looks) for each in chosen]
        fresh = self.measure(asked, range(first, first + trials))
        most = max(fresh, key=lambda each: (each.upper, each.mean))
        if len(fresh) == 1:
            return Strongest(most, self.unit, (), self.board.rule)
        last = range(first + trials, first + 2 * trials)
        (alone,) = self.measure([asked[fresh.index(most)]], last)
        return Strongest(alone, self.unit, tuple(fresh), self.board.rule)

    def _trials(self, chosen: Sequence[Measured]) -> int:
        """Return how many plays make chance small beside the gap, as far as time allows.

        The 95 % half-width of a mean of t plays with the standard deviation s shall be an eighth
        of the gap G, so that t = (1.96 * 8 s / G)^2. For 900 examples of ten classes s is about
        one point, and a gap of one point asks for 246; `MOST_TRIALS` and the labels that are
        handled set the limit.
        """
        spread = max(
            each.gain.stderr * math.sqrt(each.trials) for each in chosen if each.gain is not None
        )
        reach = NORMAL_95 * self.unit.scale * (0.0 if math.isnan(spread) else spread)
        wanted = math.ceil((reach / (SHARE_OF_GAP * self.gap)) ** 2)
        affordable = MOST_LABELS // (self.board.labels.size * max(each.looks for each in chosen))
        return max(self.budget.trials, min(wanted, affordable, MOST_TRIALS))


def gain_of(
    each: Measured, request: Request, *, show: str = "", allowed: float | None = None
) -> AttackGain:
    """Return what was measured as a row of the record; of the total it may stand for a show."""
    scenario = each.scenario
    job = scenario.job(each.rule, each.looks, 0)
    return AttackGain(
        attack=scenario.name,
        setting=scenario.setting,
        accounts=request.accounts if job.accounts == 1 else job.accounts,
        looks=job.looks,
        trials=each.trials,
        points=each.points,
        allowed=allowed,
        reason=each.reason,
        show=show or scenario.show,
        reads=scenario.reads,
        does=scenario.does,
    )


def reason_of(plays: Sequence[Played]) -> str | None:
    """Return why none of these plays could be had; None: some were.

    A game that ends an attack is one in which it gains nothing, which is no reason to leave out
    what it gains in others.

    >>> ended, played = Played(0.0, 0, "it was told too little"), Played(0.2, 5)
    >>> reason_of([ended, ended]), reason_of([ended, played])
    ('it was told too little', None)
    """
    reasons = [each.reason for each in plays]
    return None if None in reasons else reasons[0]


def strongest_first(measured: Iterable[Measured]) -> list[Measured]:
    """Return what was measured from the largest gain; attacks that could not play come last."""
    return sorted(measured, key=lambda each: -each.mean)


def unread(measured: Iterable[Measured], shows: Iterable[str], rule: Rule) -> bool:
    """Tell whether under a rule that releases values no attack read those of some show.

    Climbers hear one bit of a look. Where a rule says no more than that they are all there is to
    play; where it releases values, what they gained is too little.
    """
    if rule.tells_best or rule.shows != "scores":
        return False
    read = {
        each.scenario.show
        for each in measured
        if each.gain is not None and not each.scenario.climbs
    }
    return not read.issuperset(shows)
