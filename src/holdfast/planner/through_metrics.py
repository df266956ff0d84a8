"""Plans for boards that show other metrics, or scores of groups: what looks are worth there.

Nothing is played. Attacks on match counts have the forecasts of accuracies; attacks that read
labels as digits know beforehand how many a look reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.attacks.exact.lattice.forecast import lattice_looks
from holdfast.attacks.through_metrics import CountReader, MatchReader, TopK
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import readers_of
from holdfast.errors import InvalidInput, NotSupported
from holdfast.mechanisms import Rule, check_metric
from holdfast.metrics import Accuracy, LabelMetric, Metric, TopKAccuracy
from holdfast.metrics.base import FunctionOf
from holdfast.planner.plan import plan_under
from holdfast.problem import Problem

__all__ = ["MetricForecast", "decimals_of", "metric_plan"]


@dataclass(frozen=True)
class MetricForecast:
    """What looks at a metric are expected to be worth.

    Attributes
    ----------
    attack
        The attack to play; of groups, the one of the largest.
    gain
        Examples that are right above guessing, expected.
    certain
        Labels that are proved after all the looks; None: that is not known beforehand.
    looks_for_all
        Looks after which every label is known; None: that is not known beforehand.
    reason
        Where the figures come from.
    """

    attack: str
    gain: float
    certain: int | None
    looks_for_all: int | None
    reason: str


def metric_plan(
    metric: Metric, rule: Rule, problem: Problem, groups: Sequence[int] | None = None
) -> MetricForecast:
    """Forecast what looks at a metric are worth; with `groups`, of each of these sizes at once.

    Raises `NotSupported`, with the reason, where no forecast is known.

    Examples
    --------
    >>> from holdfast.mechanisms import parse_mechanism
    >>> from holdfast.metrics import LogLoss
    >>> metric_plan(LogLoss(), parse_mechanism("exact"), Problem(10_000, 2, 300)).looks_for_all
    250
    """
    problem = Problem(*problem)
    check_metric(rule, metric)
    if groups is None:
        return _planned(metric, rule, problem)
    n, m, k = problem
    if not groups or min(groups) < 1 or sum(groups) != n:
        raise InvalidInput(
            f"groups must be sizes of at least 1 that add up to n_examples = {n:,}, "
            f"got {sum(groups):,} in all."
        )
    if m > 2 and isinstance(metric, LabelMetric) and not isinstance(metric, Accuracy):
        raise NotSupported(
            f"no forecast for {metric} of groups of {m} classes: a group's class sizes are not "
            "public."
        )
    found = {size: _planned(metric, rule, Problem(size, m, k)) for size in set(groups)}
    parts = [found[size] for size in groups]
    certain = [each.certain for each in parts if each.certain is not None]
    looks = [each.looks_for_all for each in parts if each.looks_for_all is not None]
    return MetricForecast(
        attack=f"{found[max(groups)].attack}, by group",
        gain=math.fsum(each.gain for each in parts),
        certain=sum(certain) if len(certain) == len(parts) else None,
        looks_for_all=max(looks) if len(looks) == len(parts) else None,
        reason=f"each group by itself: {found[max(groups)].reason}",
    )


def _planned(metric: Metric, rule: Rule, problem: Problem) -> MetricForecast:
    n, m, k = problem
    if isinstance(metric, Accuracy):
        return _of_counts(rule, problem, "as planned for accuracies")
    if isinstance(metric, LabelMetric):
        if m > 2 and metric.function_of is not FunctionOf.CLASS_HITS and decimals_of(rule) is None:
            found = _of_counts(rule, problem, "as accuracies, where the class sizes are public")
            return replace(found, attack=f"{MatchReader.name}, {found.attack}")
        if m > 2:
            raise NotSupported(
                f"no forecast for {metric} of {m} classes: each has a denominator of its own, and "
                "how many counts a value tells has no formula here. Audit the labels instead."
            )
        if decimals_of(rule) is not None:
            raise NotSupported(
                f"no forecast for {metric} under {rule}: how much rounding hides depends on the "
                "number of positives. Audit the labels instead."
            )
        if k < 2:
            return MetricForecast(CountReader.name, 0.0, 0, None, "one look counts the positives")
        found = _of_counts(rule, Problem(n, m, k - 1), "as accuracies, one look less")
        looks = None if found.looks_for_all is None else found.looks_for_all + 1
        return MetricForecast(
            f"{CountReader.name}, {found.attack}", found.gain, found.certain, looks, found.reason
        )
    if isinstance(metric, TopKAccuracy):
        if m % metric.k or m < 2 * metric.k:
            raise NotSupported(
                f"no forecast for {metric} of {m} classes: they can't be cut into blocks of "
                f"{metric.k}."
            )
        blocks = Problem(n, m // metric.k, k)
        found = _of_counts(rule, blocks, f"as accuracies of {m // metric.k:,} classes")
        return MetricForecast(f"{TopK.name}, {found.attack}", found.gain, None, None, found.reason)
    board = MetricBoard(metric, decimals_of(rule), low=0, high=m - 1)
    readers = readers_of(metric, m)
    if not readers:
        raise NotSupported(f"no forecast for {metric} of {m} classes: no attack here reads it.")
    estimates = {cls.name: cls.forecast_on(problem, board) for cls in readers}
    best = max(estimates, key=lambda name: estimates[name].gain)
    return MetricForecast(best, *estimates[best])


def _of_counts(rule: Rule, problem: Problem, why: str) -> MetricForecast:
    """Return the best attack on match counts."""
    n, m, k = problem
    chosen = plan_under(rule, problem).chosen
    looks = math.ceil(lattice_looks(n, m)) if all(s.keeps_exact for s in rule.stages) else None
    certain = n if looks is not None and looks <= k else None
    return MetricForecast(chosen.attack, chosen.gain or 0.0, certain, looks, why)


def decimals_of(rule: Rule) -> int | None:
    """Return how many decimals a rule releases; None: all. Raise if it does more than rounding.

    >>> from holdfast.mechanisms import parse_mechanism
    >>> decimals_of(parse_mechanism("round:3")), decimals_of(parse_mechanism("exact"))
    (3, None)
    """
    decimals = None
    for stage in rule.stages:
        step = stage.rounds_to
        if stage.keeps_exact:
            continue
        if step is None or stage.adds_noise or stage.remembers:
            raise NotSupported("it reads values as they are, and the rule changes them.")
        found = next((d for d in range(13) if step * 10**d == 1), None)
        if found is None:
            raise NotSupported("it reads decimals, and the rule rounds to another step.")
        decimals = found if decimals is None else min(decimals, found)
    return decimals
