"""Plays through another metric than one accuracy: who plays how, and what it gains in its unit."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from holdfast.attacks.description import Described, Reads
from holdfast.attacks.through_metrics import CountReader, MatchReader, TopK
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import readers_of
from holdfast.errors import NotSupported
from holdfast.experiments.suite import attack_on
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.mechanisms import Exact, Gaussian, Rule
from holdfast.metrics import (
    BalancedAccuracy,
    LabelMetric,
    Metric,
    RocAuc,
    TopKAccuracy,
)
from holdfast.oracles import MetricOracle
from holdfast.planner import Auto, decimals_of
from holdfast.priors import Prior
from holdfast.problem import Problem

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
    """Return the attack as it plays through the metric."""
    m = problem.n_classes
    readers = readers_of(metric, m)
    if cls is Auto and prior is None and readers:
        board = MetricBoard(metric, decimals_of(rule), int(labels.min()), int(labels.max()))
        return readers[0].on_board(problem, board, rng=rng)
    inner = partial(_inner, cls=cls, rule=rule, prior=prior)
    if isinstance(metric, TopKAccuracy):
        if prior is not None:
            raise NotSupported(f"a model's labels are not blocks of labels, which {metric} takes.")
        return TopK(problem, metric.k, inner, rng=rng)
    # With two scores only, the area under the curve is the balanced accuracy.
    as_labels = BalancedAccuracy() if isinstance(metric, RocAuc) and m == 2 else metric
    if not isinstance(as_labels, LabelMetric):
        raise NotSupported(
            f"{cls.name} submits labels, which {metric} does not score; {Auto.name}, without a "
            "model, plays metrics of probabilities."
        )
    if cls.reads is Reads.NEW_BEST:
        return attack_on(cls, problem, rng, rule, prior=prior)
    decimals = decimals_of(rule)
    if m == 2:
        positives = int(np.count_nonzero(labels)) if decimals is not None else None
        return CountReader(
            problem, inner, rng=rng, metric=as_labels, decimals=decimals, positives=positives
        )
    sizes = np.bincount(labels, minlength=m)
    return MatchReader(problem, inner, rng=rng, metric=as_labels, sizes=sizes, decimals=decimals)


def _inner(
    problem: Problem,
    *,
    rng: np.random.Generator,
    cls: type[Described],
    rule: Rule,
    prior: Prior | None,
) -> Any:
    """Return the attack on match counts that were read from values.

    Decimals finer than one match leave one count. Of several that coarser ones leave, it is told
    the middle: about what noise as wide as a step of the decimals would do to an accuracy.
    """
    step = rule.rounds_to
    told: Rule = Exact()
    if step is not None and step * problem.n_examples > 1:
        told = Gaussian(float(step) / math.sqrt(12.0))
    return attack_on(cls, problem, rng, told, prior=prior)


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
