"""Single plays of an audit of a metric, and means of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np

from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import Unit, start_value
from holdfast.errors import HoldfastError
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.pool import Map
from holdfast.experiments.summary import mean_of
from holdfast.loop import play
from holdfast.mechanisms import Rule
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["Asked", "MetricJob", "OnMetricPlay", "board_of", "measured", "play_metric_job"]


class MetricJob(NamedTuple):
    """One play: which attack, through which show, against which rule, with how many looks."""

    show: str
    scenario: int
    rule: Rule
    looks: int
    trial: int


class Asked(NamedTuple):
    """What is measured: an attack, a show, a rule and looks."""

    show: str
    scenario: int
    rule: Rule
    looks: int


OnMetricPlay: TypeAlias = Callable[[MetricJob, Played], None]


def play_metric_job(asked: MetricRequest, job: MetricJob) -> Played:
    """Play one job; the gain is above what the scenario starts from, and may be negative."""
    scenario = metric_scenarios(asked, job.show)[job.scenario]
    metric, hidden, setting = asked.metric, asked.hidden, scenario.start.setting
    named = f"{scenario.name} {scenario.reads} {job.show} {job.rule}"
    key = crc32(f"{named}{' model' if setting == 'model' else ''}".encode())
    own = [asked.request.seed, job.trial, job.looks, key]
    try:
        board = board_of(asked, job, np.random.default_rng([*own, 1]))
        attack = scenario.make(board.problem, rng=np.random.default_rng([*own, 2]), rule=job.rule)
        heard = board if scenario.hears is None else _Heard(board, scenario.hears)
        value = metric.score(hidden, play(attack, heard))
    except HoldfastError as error:
        return Played(0.0, 0, error.reason)
    better = value - start_value(asked, setting)
    return Played(better if metric.higher_is_better else -better, board.looks)


class _Heard:
    """A board of several numbers of which the scenario is told one."""

    def __init__(self, board: MetricOracle, place: int) -> None:
        self._board, self._place = board, place

    @property
    def problem(self) -> Problem:
        return self._board.problem

    def query(self, submission: object) -> Answer:
        answer = self._board.query(submission)
        return answer[self._place] if isinstance(answer, tuple) else answer


def board_of(asked: MetricRequest, job: MetricJob, rng: np.random.Generator) -> MetricOracle:
    """Return the board of one play: where the rule remembers, each account meets it afresh."""
    return MetricOracle(
        asked.hidden,
        asked.shows[job.show],
        n_queries=job.looks,
        mechanism=job.rule,
        rng=rng,
        n_classes=asked.request.problem.n_classes,
        accounts=asked.request.histories if job.rule.keeps_state else 1,
    )


def measured(
    asked: MetricRequest,
    unit: Unit,
    play_all: Map[MetricJob, Played],
    wanted: Sequence[Asked],
    trials: range,
    on_play: OnMetricPlay | None = None,
) -> list[MetricGain]:
    """Play everything that is wanted, in every trial, and return the mean gains, rounded."""
    jobs = [MetricJob(*each, trial) for each in wanted for trial in trials]
    results = list(play_all(jobs, on_play))
    found = []
    for at, each in enumerate(wanted):
        mine = results[at * len(trials) : (at + 1) * len(trials)]
        scenario = metric_scenarios(asked, each.show)[each.scenario]
        reason = next((one.reason for one in mine if one.reason is not None), None)
        gain, low, high = (
            (None, None, None) if reason else unit.interval(mean_of(one.bias for one in mine))
        )
        found.append(
            MetricGain(
                show=each.show,
                attack=scenario.name,
                reads=scenario.reads,
                looks=each.looks,
                trials=len(trials),
                gain=gain,
                low=low,
                high=high,
                reason=reason,
                setting=scenario.start.setting,
                does=scenario.does,
            )
        )
    return found
