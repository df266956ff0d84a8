"""Players: attacks through what a board shows, made for its release rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from holdfast.attacks.description import Described, Reads
from holdfast.attacks.registry import attack_types
from holdfast.attacks.through_metrics import (
    ByGroup,
    CountReader,
    Digits,
    Graded,
    TargetDigits,
    TopK,
)
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.experiments.suite import attack_on
from holdfast.mechanisms import Rule
from holdfast.metrics import (
    Accuracy,
    BalancedAccuracy,
    Clipped,
    LabelMetric,
    Metric,
    RocAuc,
    TopKAccuracy,
)
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.planner import Auto, decimals_of
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Player", "players"]

Make: TypeAlias = Callable[..., Any]
Shares: TypeAlias = tuple[float, ...] | None


class Player(NamedTuple):
    """An attack through one of the numbers that a board shows.

    `make(problem, rng=, rule=)` returns what asks, is told and predicts; `hears` is the place of
    the number that it is told, None for all of them.
    """

    name: str
    reads: str
    make: Make
    hears: int | None = 0


def players(asked: MetricRequest, show: str) -> list[Player]:
    """Return the attacks through a show: the metric, its groups, or a column beside it."""
    metric = asked.metric
    if show == TOTAL:
        return _through(asked, metric)
    if asked.groups is not None and show == list(asked.shows)[1]:
        return [
            Player(f"{each.name}, by group", f"{metric} of each {asked.breakdown}", make, None)
            for each in _through(asked, metric)
            if (make := partial(_by_group, groups=asked.groups, inner=each.make))
        ]
    return [
        each._replace(hears=1 + at)
        for at, other in enumerate(asked.also)
        for each in _through(asked, other)
    ]


def _through(asked: MetricRequest, metric: Metric) -> list[Player]:
    """Return the attacks that read one value of a metric."""
    shares, m = asked.request.baseline.shares, asked.request.problem.n_classes
    if isinstance(metric, Clipped):
        return [each._replace(reads=str(metric)) for each in _through(asked, metric.inner)]
    if isinstance(metric, Accuracy):
        known = [Player(name, str(metric), make) for name, make in _on_counts(shares)]
        # Without class shares the planned attack climbs where that is best.
        return known if shares is None else known + _climbers(metric, shares)
    if isinstance(metric, LabelMetric):
        return _counting_players(metric, metric, m, shares) + _climbers(metric, shares)
    if isinstance(metric, TopKAccuracy):
        return [Player("top-k", str(metric), partial(_top_k, k=metric.k))]
    if isinstance(metric, RocAuc):
        # With two scores only, the area under the curve is the balanced accuracy.
        labels = _counting_players(metric, BalancedAccuracy(), m, shares)
        return [Player("graded", str(metric), _graded), *labels, *_climbers(metric, shares)]
    if isinstance(metric, ProbabilityMetric):
        return [Player("digits", str(metric), partial(_digits, metric=metric))]
    assert isinstance(metric, SQUARED)
    low, high = int(asked.hidden.min()), int(asked.hidden.max())
    make = partial(_targets, metric=metric, low=low, high=high)
    return [Player("target-digits", str(metric), make)]


def _on_counts(shares: Shares) -> list[tuple[str, Make]]:
    """Return the attacks on match counts: the planned one, or all that start from class shares."""
    if shares is None:
        return [(Auto.name, _planned)]
    informed = [
        cls
        for cls in attack_types()
        if cls.takes_prior and cls.needs is None and Reads.SCORES in cls.strongest_on
        if cls.reads is Reads.SCORES
    ]
    return [(cls.name, partial(_informed, cls=cls, shares=shares)) for cls in informed]


def _counting_players(
    shown: Metric, metric: LabelMetric, n_classes: int, shares: Shares
) -> list[Player]:
    """Return the attacks on match counts, each told the counts behind the metric's values."""
    if n_classes > 2:
        return []
    return [
        Player(f"count-reader, {name}", str(shown), partial(_counting, metric=metric, inner=make))
        for name, make in _on_counts(shares)
    ]


def _climbers(metric: Metric, shares: Shares) -> list[Player]:
    """Return the attacks that need to know no more than which look was the best."""
    return [
        Player(cls.name, f"{metric}, as it rises", partial(_informed, cls=cls, shares=shares))
        for cls in attack_types()
        if cls.reads is Reads.NEW_BEST and cls.needs is None and cls.strongest_on
    ]


def _planned(problem: Problem, *, rng: np.random.Generator, rule: Rule) -> Any:
    return Auto(problem, rng=rng, answers=rule.board_model(problem))


def _informed(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    cls: type[Described],
    shares: Shares,
) -> Any:
    known = None
    if shares is not None and cls.takes_prior:
        known = Prior.dense(np.tile(shares, (problem.n_examples, 1)))
    return attack_on(cls, problem, rng, rule, prior=known)


def _counting(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, metric: LabelMetric, inner: Make
) -> Any:
    # A value that is rounded tells the middle of several counts: about as a rounded accuracy does.
    make = partial(inner, rule=rule)
    return CountReader(problem, make, rng=rng, metric=metric, decimals=decimals_of(rule))


def _top_k(problem: Problem, *, rng: np.random.Generator, rule: Rule, k: int) -> Any:
    return TopK(problem, k, partial(_planned, rule=rule), rng=rng)


def _graded(problem: Problem, *, rng: np.random.Generator, rule: Rule) -> Any:
    return Graded(problem, rng=rng, decimals=decimals_of(rule))


def _digits(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, metric: ProbabilityMetric
) -> Any:
    return Digits(problem, rng=rng, metric=metric, decimals=decimals_of(rule))


def _targets(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, metric: Metric, low: int, high: int
) -> Any:
    n, _, k = problem
    return TargetDigits(
        n, k, low=low, high=high, rng=rng, metric=metric, decimals=decimals_of(rule)
    )


def _by_group(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, groups: Any, inner: Make
) -> Any:
    return ByGroup(problem, groups, partial(inner, rule=rule), rng=rng)
