"""Players: attacks through what a board shows, made for its release rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from holdfast.attacks import GridReader, Lattice
from holdfast.attacks.description import Described, Reads
from holdfast.attacks.registry import attack_types
from holdfast.attacks.through_metrics import (
    ByGroup,
    CountReader,
    Digits,
    Graded,
    PartsInTurn,
    SparseClimb,
    TargetBisection,
    TargetDigits,
    TopK,
)
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.errors import NotSupported
from holdfast.experiments.suite import attack_on
from holdfast.mechanisms import Exact, Rule
from holdfast.metrics import (
    Accuracy,
    BalancedAccuracy,
    Clipped,
    LabelMetric,
    MeanAbsoluteError,
    Metric,
    RocAuc,
    TopKAccuracy,
)
from holdfast.metrics.confusion import two_class_counts
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.planner import Auto, decimals_of
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Player", "players"]

Make: TypeAlias = Callable[..., Any]
Shares: TypeAlias = tuple[float, ...] | None

# A part of fewer examples takes more looks than it has positives.
SMALLEST_PART = 8


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
        reads = f"{metric} of each {asked.breakdown}"
        others: list[Make] = []
        if isinstance(metric, Accuracy):
            others = [make for _, make in reversed(_on_counts(asked.request.baseline.shares))]
        return [
            Player(
                f"{each.name}, by group",
                reads,
                partial(_by_group, groups=asked.groups, able=[each.make, *others]),
                None,
            )
            for each in _through(asked, metric)
        ]
    return [
        each._replace(hears=1 + at)
        for at, other in enumerate(asked.also)
        for each in _through(asked, other)
    ]


def _through(asked: MetricRequest, metric: Metric) -> list[Player]:
    """Return the attacks that read one value of a metric."""
    shares = asked.request.baseline.shares
    if isinstance(metric, Clipped):
        return [each._replace(reads=str(metric)) for each in _through(asked, metric.inner)]
    if isinstance(metric, Accuracy):
        known = [Player(name, str(metric), make) for name, make in _on_counts(shares)]
        # Without class shares the planned attack climbs where that is best.
        return known if shares is None else known + _climbers(asked, metric, None)
    if isinstance(metric, LabelMetric):
        return _counting_players(asked, metric, metric) + _climbers(asked, metric, metric)
    if isinstance(metric, TopKAccuracy):
        return [Player("top-k", str(metric), partial(_top_k, k=metric.k))]
    if isinstance(metric, RocAuc):
        # With two scores only, the area under the curve is the balanced accuracy.
        as_labels = BalancedAccuracy()
        counting = _counting_players(asked, metric, as_labels)
        climbing = _climbers(asked, metric, as_labels)
        return [Player("graded", str(metric), _graded), *counting, *climbing]
    if isinstance(metric, ProbabilityMetric):
        return [Player("digits", str(metric), partial(_digits, metric=metric))]
    low, high = int(asked.hidden.min()), int(asked.hidden.max())
    if isinstance(metric, MeanAbsoluteError):
        return [
            Player("target-bisection", str(metric), partial(_bisecting, low=low, high=high)),
        ]
    assert isinstance(metric, SQUARED)
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


def _counting_players(asked: MetricRequest, shown: Metric, metric: LabelMetric) -> list[Player]:
    """Return the attacks on match counts, each told the counts behind the metric's values."""
    n, m, _ = asked.request.problem
    shares = asked.request.baseline.shares
    if m > 2:
        return []
    positives = int(np.count_nonzero(asked.hidden))
    found = [
        Player(
            f"count-reader, {name}",
            str(shown),
            partial(_counting, metric=metric, inner=make, n=n, positives=positives),
        )
        for name, make in _on_counts(shares)
    ]
    if positives < n / 2:
        make = partial(_in_parts, metric=metric, n=n, positives=positives)
        found.append(Player("count-reader, parts in turn", str(shown), make))
    return found


def _climbers(asked: MetricRequest, shown: Metric, metric: LabelMetric | None) -> list[Player]:
    """Return the attacks that need to know no more than which look was the best.

    `metric` is one of two classes that rises with the true positives; None: it is an accuracy.
    """
    shares = asked.request.baseline.shares
    reads = f"{shown}, as it rises"
    found = [
        Player(cls.name, reads, partial(_informed, cls=cls, shares=shares))
        for cls in attack_types()
        if cls.reads is Reads.NEW_BEST and cls.needs is None and cls.strongest_on
    ]
    rare = shares is not None and len(shares) == 2 and 0.0 < shares[1] < 0.5
    if metric is not None and rare:
        assert shares is not None
        make = partial(_sparse, metric=metric, share=shares[1])
        found.append(Player("sparse-climb", reads, make))
    return found


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
    step, n = rule.rounds_to, problem.n_examples
    if len(rule.stages) == 1 and step is not None and step * n < 1:
        # Finer than one match, as in a small group: the count is the nearest whole number.
        return GridReader(attack_on(cls, problem, rng, Exact(), prior=known), size=n)
    return attack_on(cls, problem, rng, rule, prior=known)


def _counting(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    metric: LabelMetric,
    inner: Make,
    n: int,
    positives: int,
) -> Any:
    decimals = decimals_of(rule)
    # Values of groups belong to numbers of positives that are not public.
    known = positives if decimals is not None and problem.n_examples == n else None
    # Where decimals tell every count, an attack is told exact counts; else the middle of several,
    # which is about what a rounded accuracy tells.
    if decimals is not None and known is not None and _tells_counts(metric, n, known, n, decimals):
        rule = Exact()
    make = partial(inner, rule=rule)
    return CountReader(problem, make, rng=rng, metric=metric, decimals=decimals, positives=known)


def _in_parts(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    metric: LabelMetric,
    n: int,
    positives: int,
) -> Any:
    decimals = decimals_of(rule)
    if problem.n_examples != n:
        raise NotSupported("it needs the number of positives, and a group's is not public.")
    if decimals is None:
        raise NotSupported("it is made for rounding, and the rule does not round.")
    size = n
    while size >= SMALLEST_PART and not _tells_counts(metric, n, positives, size, decimals):
        size //= 2
    if size < SMALLEST_PART:
        raise NotSupported(f"{decimals} decimals do not show one positive in a small part.")
    return CountReader(
        problem,
        partial(_parts, size=size, positives=positives),
        rng=rng,
        metric=metric,
        decimals=decimals,
        positives=positives,
    )


def _parts(problem: Problem, *, rng: np.random.Generator, size: int, positives: int) -> Any:
    return PartsInTurn(problem, size, _in_part, rng=rng, positives=positives)


def _in_part(problem: Problem, *, rng: np.random.Generator, share: float) -> Any:
    prior = np.tile([1.0 - share, share], (problem.n_examples, 1))
    return Lattice(problem, rng=rng, prior=prior)


def _tells_counts(metric: LabelMetric, n: int, positives: int, called: int, decimals: int) -> bool:
    """Tell whether decimals show one true positive more, with so many called positive or fewer."""
    if positives < 1:
        return False
    for predicted in {called, max(1, called // 2), 1}:
        first = max(0, positives + predicted - n)
        last = min(positives, predicted)
        for both in {first, max(first, last - 1)}:
            if both < last:
                values = [
                    float(metric.from_counts(two_class_counts(n, positives, predicted, hits)))
                    for hits in (both, both + 1)
                ]
                if values[1] - values[0] <= 10.0**-decimals:
                    return False
    return True


def _sparse(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, metric: LabelMetric, share: float
) -> Any:
    step = max(rule.climb_step, float(rule.rounds_to or 0.0))
    return SparseClimb(problem, rng=rng, metric=metric, share=share, step=step)


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


def _bisecting(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, low: int, high: int
) -> Any:
    n, _, k = problem
    return TargetBisection(n, k, low=low, high=high, rng=rng, decimals=decimals_of(rule))


def _by_group(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, groups: Any, able: list[Make]
) -> Any:
    return ByGroup(problem, groups, partial(_first_able, rule=rule, able=able), rng=rng)


def _first_able(problem: Problem, *, rng: np.random.Generator, rule: Rule, able: list[Make]) -> Any:
    """Make the first attack that can play a group: what rounding hides depends on its size."""
    refused = None
    for make in able:
        try:
            return make(problem, rng=rng, rule=rule)
        except NotSupported as error:
            refused = refused or error
    assert refused is not None
    raise refused
