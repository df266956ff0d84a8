"""Attacks through a metric by what they say of themselves: a reader is one class and one import."""

import numpy as np
import pytest

from holdfast import metrics, oracles, play
from holdfast.attacks import through_metrics
from holdfast.attacks.description import MOST_SUMMARY_WORDS
from holdfast.attacks.through_metrics.covered import check_covered
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    MetricEstimate,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.registry import metric_attacks, readers_of
from holdfast.errors import NotSupported
from holdfast.mechanisms import parse_mechanism
from holdfast.metrics.registry import metric_classes
from holdfast.planner import metric_plan
from holdfast.problem import Problem

EXACT = parse_mechanism("exact")


class OneScore(ThroughMetric):
    """A toy: it submits one example above all others, and believes that it is positive."""

    summary = "tries one example"

    def __init__(self, problem):
        self.problem, self._asked = problem, False

    @classmethod
    def reads_metric(cls, metric, n_classes):
        return isinstance(metric, metrics.AveragePrecision) and n_classes == 2

    @classmethod
    def on_board(cls, problem, board, *, rng):
        return cls(problem)

    @classmethod
    def forecast_on(cls, problem, board):
        return MetricEstimate.of_proved(1, problem.n_examples, "one label per look", problem)

    def ask(self):
        if self._asked:
            return None
        self._asked = True
        return self.predict()

    def tell(self, answer):
        self.answer = answer

    def predict(self):
        return np.r_[1.0, np.zeros(self.problem.n_examples - 1)]


def test_every_attack_through_a_metric_has_a_name_and_six_words():
    every = metric_attacks()
    assert {cls.__name__ for cls in every} == set(through_metrics.__all__)
    for cls in every:
        assert 1 <= len(cls.summary.split()) <= MOST_SUMMARY_WORDS, cls.name


def test_a_reader_is_covered_planned_and_played_by_what_its_class_says(monkeypatch):
    metric, problem = metrics.AveragePrecision(), Problem(40, 2, 3)
    with pytest.raises(NotSupported, match="no attack here reads"):
        check_covered(metric, problem)
    monkeypatch.setattr(through_metrics, "OneScore", OneScore, raising=False)
    check_covered(metric, problem)
    found = metric_plan(metric, EXACT, problem)
    assert (found.attack, found.certain, found.gain) == ("one-score", 1, 0.5)
    hidden = np.random.default_rng(0).integers(2, size=40)
    board = oracles.MetricOracle(hidden, metric, n_queries=3)
    [reader] = readers_of(metric, 2)
    attack = reader.on_board(problem, MetricBoard(metric), rng=np.random.default_rng(1))
    assert play(attack, board).tolist() == attack.predict().tolist()
    assert board.looks == 1


def test_an_attack_that_needs_another_reads_nothing_by_itself():
    assert not any(
        cls.reads_metric(each(), 2)
        for cls in (through_metrics.CountReader, through_metrics.ByGroup)
        for each in (metrics.F1, metrics.LogLoss, metrics.RocAuc)
    )
    with pytest.raises(TypeError, match="CountReader reads no metric by itself"):
        through_metrics.CountReader.forecast_on(Problem(9, 2, 1), MetricBoard(metrics.F1()))


def test_no_metric_has_two_readers():
    """Sweeps play the first; a second one would need a choice by forecast there, too."""
    names = {cls.__name__: cls for cls in metric_classes()}
    single = [cls() for name, cls in names.items() if name != "TopKAccuracy"]
    assert all(len(readers_of(metric, m)) <= 1 for metric in single for m in (2, 10))
