"""Plans for boards that show other metrics, or scores of groups: what looks are worth there.

Nothing is played. Attacks on match counts have the forecasts of accuracies; attacks that read
labels as digits know beforehand how many a look reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.attacks.exact.lattice.forecast import lattice_affordable, lattice_looks
from holdfast.attacks.through_metrics import Digits, Graded, TargetDigits
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.errors import InvalidInput, NotSupported
from holdfast.mechanisms import Rule, check_metric
from holdfast.metrics import Accuracy, LabelMetric, Metric, RocAuc, TopKAccuracy
from holdfast.metrics.probabilities import ProbabilityMetric
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
        if m > 2:
            raise NotSupported(
                f"no forecast for {metric} of {m} classes: each has a denominator of its own, and "
                "attacks that climb have no formula here. Audit the labels instead."
            )
        if decimals_of(rule) is not None:
            raise NotSupported(
                f"no forecast for {metric} under {rule}: how much rounding hides depends on the "
                "number of positives. Audit the labels instead."
            )
        if k < 2:
            return MetricForecast("count-reader", 0.0, 0, None, "one look counts the positives")
        found = _of_counts(rule, Problem(n, m, k - 1), "as accuracies, one look less")
        looks = None if found.looks_for_all is None else found.looks_for_all + 1
        return MetricForecast(
            f"count-reader, {found.attack}", found.gain, found.certain, looks, found.reason
        )
    if isinstance(metric, TopKAccuracy):
        if m % metric.k or m < 2 * metric.k:
            raise NotSupported(
                f"no forecast for {metric} of {m} classes: they can't be cut into blocks of "
                f"{metric.k}."
            )
        blocks = Problem(n, m // metric.k, k)
        found = _of_counts(rule, blocks, f"as accuracies of {m // metric.k:,} classes")
        return MetricForecast(f"top-k, {found.attack}", found.gain, None, None, found.reason)
    decimals = decimals_of(rule)
    if isinstance(metric, ProbabilityMetric):
        attack = Digits(problem, rng=np.random.default_rng(0), metric=metric, decimals=decimals)
        digits, looks = attack.digits_per_look, attack.looks_for_all
        known = min(n, digits * k + lattice_affordable(k, problem))
        why = f"{digits} labels per look as digits, others from match counts"
        return _read("digits", known, looks, why, problem)
    if isinstance(metric, RocAuc) and m == 2:
        read = Graded.schedule(problem, decimals)
        return _read("graded", sum(read[:k]), len(read), "rank sums, half positives", problem)
    if isinstance(metric, SQUARED):
        first = 2 if metric.name == "r2" else 1
        reader = TargetDigits(
            n, k, low=0, high=m - 1, rng=np.random.default_rng(0), metric=metric, decimals=decimals
        )
        digits = reader.digits_of_uniform_targets()
        looks = first + math.ceil(n / digits)
        why = f"{digits} targets 0 to {m - 1} per look as digits"
        return _read("target-digits", min(n, digits * max(0, k - first)), looks, why, problem)
    raise NotSupported(f"no forecast for {metric}: no attack here reads it.")


def _of_counts(rule: Rule, problem: Problem, why: str) -> MetricForecast:
    """Return the best attack on match counts."""
    n, m, k = problem
    chosen = plan_under(rule, problem).chosen
    looks = math.ceil(lattice_looks(n, m)) if all(s.keeps_exact for s in rule.stages) else None
    certain = n if looks is not None and looks <= k else None
    return MetricForecast(chosen.attack, chosen.gain or 0.0, certain, looks, why)


def _read(attack: str, known: int, looks: int, why: str, problem: Problem) -> MetricForecast:
    """Return the forecast of an attack that proves labels and guesses the others."""
    return MetricForecast(attack, known * (1.0 - problem.baseline), known, looks, why)


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
