"""Single plays of an audit of a metric: one job, for any process or machine.

A play is a pure function of the request and the job. Its two generators, of the board's rule and of
the attack, are seeded by the audit's seed, the trial, the looks, and a checksum of what is played
against what: attack, show and rule. So the same job plays alike whatever else an audit plays, in
any order, and its outcome can be kept for the next one.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

import numpy as np

from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import start_value
from holdfast.audit.scenarios.plays import told_reason
from holdfast.errors import HoldfastError
from holdfast.experiments.matrix_plays import Played
from holdfast.loop import play
from holdfast.mechanisms import Rule
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["MetricJob", "board_of", "play_metric_job"]


class MetricJob(NamedTuple):
    """One play: which attack, through which show, against which rule, with how many looks.

    `scenario` is the attack's place in `metric_scenarios(asked, show)`; `trial` is its seed.
    """

    show: str
    scenario: int
    rule: Rule
    looks: int
    trial: int


def play_metric_job(asked: MetricRequest, job: MetricJob) -> Played:
    """Play one job.

    Returns
    -------
    Played
        `bias` is the gain in the metric's own values, above what the scenario starts from (the best
        constant, or a model if that is better), larger being better for losses, too; it may be
        negative. An attack that can't play this board gains nothing, with the reason.
    """
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
        return Played(0.0, 0, told_reason(error))
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
    """Return the board of one play.

    Accounts that work together share its looks, one account after the other. A rule that keeps
    something between looks meets each account afresh; any other can't tell them apart, and one
    account stands for all.
    """
    return MetricOracle(
        asked.hidden,
        asked.shows[job.show],
        n_queries=job.looks,
        mechanism=job.rule,
        rng=rng,
        n_classes=asked.request.problem.n_classes,
        accounts=asked.request.histories if job.rule.keeps_state else 1,
    )
