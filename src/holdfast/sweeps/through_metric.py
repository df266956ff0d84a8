"""Plays through another metric than one accuracy: who plays how, and what it gains in its unit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from holdfast.attacks.description import Described, Reads
from holdfast.attacks.through_metrics.description import MetricBoard, OnCounts, Told
from holdfast.attacks.through_metrics.registry import AttackOnBoard, attacks_on
from holdfast.errors import NotSupported
from holdfast.experiments.suite import attack_on
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.metrics import LabelMetric, Metric, RocAuc, TopKAccuracy
from holdfast.oracles import MetricOracle
from holdfast.planner import Auto, board_under, by_forecast, rule_told
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["MetricPlay", "play_through"]


class MetricPlay:
    """What came of a play: the final submission, its value, the gain, and the looks it took."""

    def __init__(self, guess: Any, value: float, gain: float, looks: int) -> None:
        self.guess, self.value, self.gain, self.looks = guess, value, gain, looks


def play_through(
    metric: Metric,
    cls: type[Described],
    problem: Problem,
    labels: Labels,
    rule: Rule,
    prior: Prior | None,
    *,
    rng: np.random.Generator,
    rule_rng: np.random.Generator,
) -> MetricPlay:
    """Let an attack play where a metric is shown.

    The gain is that of the final submission over the best one that needs no look: a constant, where
    class shares are taken for known, or the model's labels. A loss that falls is a gain, too.

    Raises
    ------
    NotSupported
        If the attack does not fit the metric, or the rule does not work on it.
    """
    _, m, looks = problem
    board = MetricOracle(labels, metric, n_queries=looks, mechanism=rule, rng=rule_rng, n_classes=m)
    guess = play(_fitting(metric, cls, problem, labels, rule, prior, rng), board)
    value = metric.score(labels, guess)
    better = value - _start(metric, labels, m, prior)
    return MetricPlay(guess, value, better if metric.higher_is_better else -better, board.looks)


def _fitting(
    metric: Metric,
    cls: type[Described],
    problem: Problem,
    labels: Labels,
    rule: Rule,
    prior: Prior | None,
    rng: np.random.Generator,
) -> Any:
    """Return the attack as it plays through the metric: `auto` is whichever has the best forecast.

    Attacks are told the class sizes where they need them.
    """
    m = problem.n_classes
    sizes = tuple(np.bincount(labels, minlength=m).tolist())
    low, high = int(labels.min()), int(labels.max())
    board = board_under(rule, MetricBoard(metric, low=low, high=high, sizes=sizes))
    on_counts = OnCounts(cls.name, cls.summary, partial(_inner, cls=cls, rule=rule, prior=prior))
    able = attacks_on(
        board,
        m,
        from_nothing=[on_counts] if prior is None else [],
        informed=[] if prior is None else [on_counts],
        from_model=prior is not None,
    )
    if cls is Auto and prior is None and able:
        return _first_able([each for each, _ in by_forecast(able, problem, rule)], problem, rng)
    if cls.reads is Reads.NEW_BEST and isinstance(metric, LabelMetric | RocAuc):
        return attack_on(cls, problem, rng, rule, prior=prior)
    around = [each for each in able if each.inner is not None]
    if not around:
        raise NotSupported(_why_not(metric, cls))
    return around[0].make(problem, rng=rng)


def _first_able(attacks: list[AttackOnBoard], problem: Problem, rng: np.random.Generator) -> Any:
    """Make the first attack that can play; where none can, the first one says why."""
    refused = None
    for each in attacks:
        try:
            return each.make(problem, rng=rng)
        except NotSupported as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _why_not(metric: Metric, cls: type[Described]) -> str:
    """Return why an attack on match counts does not play through a metric."""
    if isinstance(metric, TopKAccuracy):
        return f"a model's labels are not blocks of labels, which {metric} takes."
    if isinstance(metric, LabelMetric):
        return (
            f"a value of {metric} belongs to several numbers of matches: each class has a "
            "denominator of its own."
        )
    return (
        f"{cls.name} submits labels, which {metric} does not score; {Auto.name}, without a model, "
        "plays metrics of probabilities."
    )


def _inner(
    problem: Problem,
    *,
    rng: np.random.Generator,
    told: Told,
    cls: type[Described],
    rule: Rule,
    prior: Prior | None,
) -> Any:
    """Return the attack on match counts, which knows how they reach it."""
    return attack_on(cls, problem, rng, rule_told(rule, told), prior=prior)


def _start(metric: Metric, labels: Labels, m: int, prior: Prior | None) -> float:
    """Return the value of the best submission that needs no look."""
    n = labels.size
    if prior is not None:
        return metric.score(labels, prior.top())
    if isinstance(metric, LabelMetric):
        scores = [metric.score(labels, np.full(n, label)) for label in range(m)]
    elif isinstance(metric, TopKAccuracy):
        common = np.argsort(-np.bincount(labels, minlength=m), kind="stable")[: metric.k]
        scores = [metric.score(labels, np.tile(common, (n, 1)))]
    else:
        shares = np.bincount(labels, minlength=m) / n
        scores = [metric.score(labels, np.tile(shares, (n, 1)) if m > 2 else np.full(n, shares[1]))]
    return max(scores) if metric.higher_is_better else min(scores)
