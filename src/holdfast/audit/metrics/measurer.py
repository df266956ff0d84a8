"""Measuring gains on a board that shows a metric: attacks played, and the likeliest once more.

The counterpart of `scenarios.measurer` for accuracies, with the same two stages and for the same
reason. The largest of many means lies above what its attack really gains, so trials 0 .. t - 1
choose, and trials t .. 2t - 1, which know nothing of the choice, report. Here up to three attacks
are measured again, not one: through a metric the strongest often tie (two that prove every label
both gain all there is), and the fresh trials may put another one first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.plays import MetricJob
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import Unit
from holdfast.audit.scenarios.measurer import reason_of
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.pool import Map
from holdfast.experiments.summary import mean_of
from holdfast.mechanisms import Rule

__all__ = [
    "AskedPlay",
    "MetricMeasurer",
    "OnMetricPlay",
    "OnStep",
    "places_of",
    "strongest_first",
    "through",
    "unread",
]

# So many attacks that may be the strongest are measured once more.
MOST_AGAIN = 3

OnMetricPlay: TypeAlias = Callable[[MetricJob, Played], None]
OnStep: TypeAlias = Callable[[str], None]


class AskedPlay(NamedTuple):
    """What is measured: an attack by its place among those through a show, a rule, and looks."""

    show: str
    scenario: int
    rule: Rule
    looks: int


@dataclass(frozen=True, eq=False)
class MetricMeasurer:
    """Measures gains in an audit of a metric.

    Parameters
    ----------
    asked
        What is audited.
    unit
        What gains are counted in and rounded to.
    play
        Who plays jobs.
    looks
        How many are played; fewer than the policy grants where all would take too long.
    trials
        Plays that each mean is of.
    on_step
        Called with what is being done, before its first play.
    on_play
        Called with every play and what came of it, as soon as it is done.
    """

    asked: MetricRequest
    unit: Unit
    play: Map[MetricJob, Played]
    looks: int
    trials: int
    on_step: OnStep | None = None
    on_play: OnMetricPlay | None = None

    def measure(self, wanted: Sequence[AskedPlay], first: int = 0) -> list[MetricGain]:
        """Play everything that is wanted in trials `first` .. `first + trials - 1`.

        Returns
        -------
        list of MetricGain
            In the order of `wanted`: the mean gain above what the attack starts from, in the
            audit's unit, with its 95 % interval; or the reason why one of its plays could not be
            had, which is the same in every trial.
        """
        trials = range(first, first + self.trials)
        jobs = [MetricJob(*each, trial) for each in wanted for trial in trials]
        results = list(self.play(jobs, self.on_play))
        return [
            self._gain(each, results[at * self.trials : (at + 1) * self.trials])
            for at, each in enumerate(wanted)
        ]

    def suite(self, what: str, rule: Rule, looks: int) -> list[MetricGain]:
        """Play every attack through every show against a rule, and say `what` that is for."""
        if self.on_step is not None:
            self.on_step(what)
        return self.measure(
            [AskedPlay(show, at, rule, looks) for show, at in places_of(self.asked)]
        )

    def again(self, gains: Iterable[MetricGain], rule: Rule, looks: int) -> list[MetricGain]:
        """Measure the same attacks through the same shows with fresh randomness."""
        return self.measure([self._asked(each, rule, looks) for each in gains], self.trials)

    def confirmed(self, gains: Sequence[MetricGain], rule: Rule, looks: int) -> list[MetricGain]:
        """Return gains with the likeliest measured once more, the strongest first.

        Those whose interval reaches the largest mean may be the strongest. Their first means took
        part in the choice and are dropped; the others keep theirs, which nothing rests on.
        """
        found = strongest_first(gains)
        most = found[0].gain or 0.0
        likely = [each for each in found if each.upper >= most][:MOST_AGAIN]
        fresh = self.again(likely, rule, looks)
        return strongest_first([*fresh, *(each for each in found if each not in likely)])

    def _gain(self, each: AskedPlay, plays: Sequence[Played]) -> MetricGain:
        """Return what came of one attack's plays: their mean and interval, or a reason."""
        scenario = metric_scenarios(self.asked, each.show)[each.scenario]
        reason = reason_of(plays)
        gain, low, high = (
            (None, None, None)
            if reason
            else self.unit.interval(mean_of(one.bias for one in plays), len(plays))
        )
        return MetricGain(
            show=each.show,
            attack=scenario.name,
            reads=scenario.reads,
            looks=each.looks,
            trials=self.trials,
            gain=gain,
            low=low,
            high=high,
            reason=reason,
            setting=scenario.start.setting,
            does=scenario.does,
        )

    def _asked(self, gain: MetricGain, rule: Rule, looks: int) -> AskedPlay:
        """Return what to measure for the same attack; one on the total plays whatever is shown."""
        for show in dict.fromkeys((gain.show, TOTAL)):
            for at, each in enumerate(metric_scenarios(self.asked, show)):
                found = (each.name, each.reads, each.start.setting)
                if found == (gain.attack, gain.reads, gain.setting):
                    return AskedPlay(show, at, rule, looks)
        raise AssertionError("a gain was measured by an attack that does not play its show")


def places_of(asked: MetricRequest) -> list[tuple[str, int]]:
    """Return every attack through every show, by the show and the attack's place."""
    return [(show, at) for show in asked.shows for at in range(len(metric_scenarios(asked, show)))]


def unread(gains: Iterable[MetricGain], shows: Iterable[str], rule: Rule) -> bool:
    """Tell whether under a rule that releases values no attack read those of some show.

    Climbers hear one bit of a look. Where a rule says no more than that they are all there is to
    play; where it releases values, what they gained is too little.
    """
    if rule.tells_best or rule.shows != "scores":
        return False
    read = {each.show for each in gains if each.gain is not None and not each.climbed}
    return not read.issuperset(shows)


def strongest_first(gains: Iterable[MetricGain]) -> list[MetricGain]:
    """Return gains sorted from the largest; attacks that could not play come last."""
    return sorted(gains, key=_order)


def through(gains: Iterable[MetricGain], show: str) -> MetricGain:
    """Return the strongest attack on a board with this show.

    Whatever else is shown, the total is, too: an attack on the total counts for every show.
    """
    able = [each for each in gains if each.show in (show, TOTAL)]
    return replace(min(able, key=_order), show=show)


def _order(gain: MetricGain) -> float:
    return 1.0 if gain.gain is None else -gain.gain
