"""Single plays of an audit of a metric, and means of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.players import players
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.metrics.units import Unit, constant_value
from holdfast.errors import HoldfastError
from holdfast.experiments.pool import Map
from holdfast.experiments.summary import mean_of
from holdfast.mechanisms import Rule
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem

__all__ = ["Asked", "MetricJob", "measured", "play_metric_job"]


class MetricJob(NamedTuple):
    """One play: which attack, through which show, against which rule, with how many looks."""

    show: str
    player: int
    rule: Rule
    looks: int
    trial: int


class Asked(NamedTuple):
    """What is measured: an attack, a show, a rule and looks."""

    show: str
    player: int
    rule: Rule
    looks: int


class MetricPlayed(NamedTuple):
    """What came of a play: the improvement of the metric, or the reason why it can't be played."""

    gain: float
    reason: str | None = None


def play_metric_job(asked: MetricRequest, job: MetricJob) -> MetricPlayed:
    """Play one job; the gain is above the best constant submission, and may be negative."""
    player = players(asked, job.show)[job.player]
    metric, hidden = asked.metric, asked.hidden
    key = crc32(f"{player.name} {player.reads} {job.show} {job.rule}".encode())
    own = [asked.request.seed, job.trial, job.looks, key]
    try:
        board = MetricOracle(
            hidden,
            asked.shows[job.show],
            n_queries=job.looks,
            mechanism=job.rule,
            rng=np.random.default_rng([*own, 1]),
        )
        problem = Problem(hidden.size, asked.request.problem.n_classes, job.looks)
        attack = player.make(problem, rng=np.random.default_rng([*own, 2]), rule=job.rule)
        while board.looks_left and (query := attack.ask()) is not None:
            answer: Any = board.query(query)
            heard = answer[player.hears] if _several(answer, player.hears) else answer
            attack.tell(heard)
        value = metric.score(hidden, attack.predict())
    except HoldfastError as error:
        return MetricPlayed(0.0, error.reason)
    better = value - constant_value(asked)
    return MetricPlayed(better if metric.higher_is_better else -better)


def _several(answer: Any, hears: int | None) -> bool:
    return isinstance(answer, tuple) and hears is not None


def measured(
    asked: MetricRequest,
    unit: Unit,
    play: Map[MetricJob, MetricPlayed],
    wanted: Sequence[Asked],
    trials: range,
) -> list[MetricGain]:
    """Play everything that is wanted, in every trial, and return the mean gains, rounded."""
    jobs = [MetricJob(*each, trial) for each in wanted for trial in trials]
    results = list(play(jobs))
    found = []
    for at, each in enumerate(wanted):
        mine = results[at * len(trials) : (at + 1) * len(trials)]
        player = players(asked, each.show)[each.player]
        reason = next((one.reason for one in mine if one.reason is not None), None)
        gain, low, high = (
            (None, None, None) if reason else unit.interval(mean_of(one.gain for one in mine))
        )
        found.append(
            MetricGain(
                show=each.show,
                attack=player.name,
                reads=player.reads,
                looks=each.looks,
                trials=len(trials),
                gain=gain,
                low=low,
                high=high,
                reason=reason,
            )
        )
    return found
