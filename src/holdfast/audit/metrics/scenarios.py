"""Scenarios of an audit of a metric: attacks through what a board shows, made for its rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import GridReader, Lattice
from holdfast.attacks.description import Described, Needs, Reads
from holdfast.attacks.registry import attack_types, summary_of
from holdfast.attacks.through_metrics import (
    ByGroup,
    CountReader,
    JointCounts,
    MatchReader,
    PartsInTurn,
    SparseClimb,
    TopK,
)
from holdfast.attacks.through_metrics.description import MetricBoard, ThroughMetric
from holdfast.attacks.through_metrics.joint_counts import BY_RECALL
from holdfast.attacks.through_metrics.registry import readers_of
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.constant_elsewhere import ConstantElsewhere
from holdfast.audit.metrics.median_in_range import MedianInRange
from holdfast.audit.metrics.starts import Start, group_rows, starts_of
from holdfast.audit.metrics.until_refused import UntilRefused
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
from holdfast.problem import Problem

__all__ = ["MetricScenario", "metric_scenarios"]

Make: TypeAlias = Callable[..., Any]

# A part of fewer examples takes more looks than it has positives.
SMALLEST_PART = 8
# Class shares are compared as counts of so many examples.
SHARES_OF = 1000
# Positives below this share are rare.
RARE = 0.05


class MetricScenario(NamedTuple):
    """An attack through one of the numbers that a board shows.

    `make(problem, rng=, rule=)` returns what asks, is told and predicts; `hears` is the place of
    the number that it is told, None for all of them; `does` says in about six words what it does,
    and `start` is what it knows beforehand.
    """

    name: str
    reads: str
    does: str
    make: Make
    hears: int | None
    start: Start


def metric_scenarios(asked: MetricRequest, show: str) -> list[MetricScenario]:
    """Return the attacks through a show, from everything that may be known beforehand."""
    return [
        MetricScenario(*each, start)
        for start in starts_of(asked)
        for each in _unstarted(asked, show, start)
    ]


class _Unstarted(NamedTuple):
    """A scenario but for what the attacker knows."""

    name: str
    reads: str
    does: str
    make: Make
    hears: int | None = 0


def _unstarted(asked: MetricRequest, show: str, start: Start) -> list[_Unstarted]:
    """Return the attacks through the metric, its groups, or a column beside it."""
    metric = asked.metric
    if show == TOTAL:
        return _through(asked, metric, start)
    if asked.groups is not None and show == list(asked.shows)[1]:
        reads = f"{metric} of each {asked.breakdown}"
        return [
            _Unstarted(
                f"{each.name}, by group",
                reads,
                each.does,
                partial(_by_group, asked=asked, start=start, at=at),
                None,
            )
            for at, each in enumerate(_through(asked, metric, start))
        ]
    return [
        each._replace(hears=1 + at)
        for at, other in enumerate(asked.also)
        for each in _through(asked, other, start)
    ]


def _through(asked: MetricRequest, metric: Metric, start: Start) -> list[_Unstarted]:
    """Return the attacks that read one value of a metric."""
    if isinstance(metric, Clipped):
        return [each._replace(reads=str(metric)) for each in _through(asked, metric.inner, start)]
    if isinstance(metric, Accuracy):
        known = [
            _Unstarted(name, str(metric), summary_of(name), make)
            for name, make in _on_counts(start)
        ]
        # Who knows nothing plays the planned attack, which climbs where that is best.
        return known if start.nothing else known + _climbers(metric, None, start)
    if isinstance(metric, LabelMetric):
        counting = _on_read_counts(asked, metric, metric, start)
        return counting + _climbers(metric, metric, start)
    if isinstance(metric, TopKAccuracy):
        return [_Unstarted(TopK.name, str(metric), TopK.summary, partial(_top_k, k=metric.k))]
    found = [
        _Unstarted(
            cls.name,
            str(metric),
            cls.summary,
            partial(_reading, cls=cls, metric=metric, hidden=asked.hidden, shares=start.shares),
        )
        for cls in readers_of(metric, asked.request.problem.n_classes)
        if not start.model  # they start from nothing, and a model's attack is not one of them
    ]
    if isinstance(metric, RocAuc):
        # With two scores only, the area under the curve is the balanced accuracy.
        as_labels = BalancedAccuracy()
        found += _on_read_counts(asked, metric, as_labels, start)
        found += _climbers(metric, as_labels, start)
    return found


def _on_counts(start: Start) -> list[tuple[str, Make]]:
    """Return the attacks on match counts: the planned one, or all that start from something."""
    if start.nothing:
        return [(Auto.name, _planned)]
    informed = [
        cls
        for cls in attack_types()
        if cls.takes_prior and cls.needs is None and Reads.SCORES in cls.strongest_on
        if cls.reads is Reads.SCORES
    ]
    return [(cls.name, partial(_informed, cls=cls, start=start)) for cls in informed]


def _on_read_counts(
    asked: MetricRequest, shown: Metric, metric: LabelMetric, start: Start
) -> list[_Unstarted]:
    """Return the attacks on match counts, each told the counts behind the metric's values."""
    n, m, _ = asked.request.problem
    if m > 2 and asked.tells_matches(metric):
        return _on_read_matches(asked, shown, metric, start)
    if m > 2:
        # It starts from class sizes alone, which is less than a model knows.
        if start.model or not asked.tells_hits(metric):
            return []
        make = partial(_joint, metric=metric, sizes=asked.class_sizes)
        return [_Unstarted(JointCounts.name, str(shown), JointCounts.summary, make)]
    positives = int(np.count_nonzero(asked.hidden))
    found = [
        _Unstarted(
            f"{CountReader.name}, {name}",
            str(shown),
            f"{CountReader.summary}, {summary_of(name)}",
            partial(_counting, metric=metric, inner=make, n=n, positives=positives),
        )
        for name, make in _on_counts(start)
    ]
    if positives < n / 2 and not start.model:
        make = partial(_in_parts, metric=metric, n=n, positives=positives)
        found.append(
            _Unstarted(
                f"{CountReader.name}, parts in turn", str(shown), "reads hits of small parts", make
            )
        )
    return found


def _on_read_matches(
    asked: MetricRequest, shown: Metric, metric: LabelMetric, start: Start
) -> list[_Unstarted]:
    """Return the attacks on match counts of several classes whose sizes are public."""
    sizes = asked.class_sizes
    return [
        _Unstarted(
            f"{MatchReader.name}, {name}",
            str(shown),
            f"{MatchReader.summary}, {summary_of(name)}",
            partial(_matching, metric=metric, inner=make, sizes=sizes),
        )
        for name, make in _on_counts(start)
    ]


def _climbers(shown: Metric, metric: LabelMetric | None, start: Start) -> list[_Unstarted]:
    """Return the attacks that need to know no more than which look was the best.

    `metric` is one of two classes that rises with the true positives; None: it is an accuracy.
    """
    reads = f"{shown}, as it rises"
    found = [
        _Unstarted(cls.name, reads, cls.summary, partial(_informed, cls=cls, start=start))
        for cls in attack_types()
        if cls.reads is Reads.NEW_BEST and cls.strongest_on
        # From a model alone those that start from one, from anything less those that need none.
        if cls.needs is (Needs.PRIOR if start.model else None)
    ]
    shares = start.shares
    if metric is not None and shares is not None and len(shares) == 2:
        found += _from_constant(metric, reads, shares)
    rare = shares is not None and len(shares) == 2 and 0.0 < shares[1] < 0.5
    if metric is not None and rare:
        assert shares is not None
        make = partial(_sparse, metric=metric, share=shares[1])
        found.append(_Unstarted(SparseClimb.name, reads, SparseClimb.summary, make))
    return found


def _from_constant(metric: LabelMetric, reads: str, shares: tuple[float, ...]) -> list[_Unstarted]:
    """Return climbers from the best constant submission, where that is not the majority class.

    F1 of everything called positive is above that of nothing. Where positives are rare, small
    parts are added to nothing instead, which is steeper.
    """
    n = SHARES_OF
    positives = round(n * shares[1])
    none, every = (
        metric.from_counts(two_class_counts(n, positives, called, hits))
        for called, hits in ((0, 0), (n, positives))
    )
    best = int(every > none)
    if every == none or shares[best] > 0.5 or shares[best] < RARE:
        return []
    # Barely likelier than the other class: a start, and no belief.
    start = Start(shares=(0.49, 0.51) if best else (0.51, 0.49))
    return [
        _Unstarted(cls.name, reads, cls.summary, partial(_informed, cls=cls, start=start))
        for cls in attack_types()
        if cls.reads is Reads.NEW_BEST and cls.strongest_on and cls.needs is Needs.PRIOR
    ]


def _planned(problem: Problem, *, rng: np.random.Generator, rule: Rule) -> Any:
    return Auto(problem, rng=rng, answers=rule.board_model(problem))


def _informed(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    cls: type[Described],
    start: Start,
) -> Any:
    known = start.prior(problem) if cls.takes_prior else None
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


def _matching(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    metric: LabelMetric,
    inner: Make,
    sizes: tuple[int, ...],
) -> Any:
    if problem.n_examples != sum(sizes):
        raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
    make = partial(inner, rule=rule)
    return MatchReader(
        problem, make, rng=rng, metric=metric, sizes=sizes, decimals=decimals_of(rule)
    )


def _joint(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    metric: LabelMetric,
    sizes: tuple[int, ...],
) -> Any:
    # A group's class sizes are not public: it spends a look on each.
    known = sizes if problem.n_examples == sum(sizes) else None
    if known is None and isinstance(metric, BY_RECALL):
        raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
    decimals = decimals_of(rule)
    return UntilRefused(
        JointCounts(problem, rng=rng, metric=metric, sizes=known, decimals=decimals)
    )


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


def _reading(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    cls: type[ThroughMetric],
    metric: Metric,
    hidden: NDArray[Any],
    shares: tuple[float, ...] | None,
) -> Any:
    """Make an attack that reads a metric's values, and let it submit the best constant elsewhere.

    The best constant is the metric's: class shares for probabilities, the mean for squared errors,
    the median for absolute ones. It is public, or one look at a constant tells it.
    """
    board = MetricBoard(metric, decimals_of(rule), int(hidden.min()), int(hidden.max()))
    attack = cls.on_board(problem, board, rng=rng)
    if isinstance(metric, MeanAbsoluteError):
        return MedianInRange(attack, hidden)
    if isinstance(metric, SQUARED):
        return ConstantElsewhere(attack, float(np.mean(hidden)))
    if isinstance(metric, ProbabilityMetric) and shares is not None:
        row = np.asarray(shares)
        return ConstantElsewhere(attack, row if row.size > 2 else row[1])
    return attack


def _by_group(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    asked: MetricRequest,
    start: Start,
    at: int,
) -> Any:
    """Make one attack per group, each from what is known of the group's own examples."""
    rows = iter(group_rows(asked.groups))

    def make(problem: Problem, *, rng: np.random.Generator) -> Any:
        own = start.of(next(rows))
        able = [_through(asked, asked.metric, own)[at].make]
        if isinstance(asked.metric, Accuracy):
            able += [each for _, each in reversed(_on_counts(own))]
        return _first_able(problem, rng=rng, rule=rule, able=able)

    return ByGroup(problem, asked.groups, make, rng=rng)


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
