"""Plans for boards that show other metrics, or scores of groups: what looks are worth there.

What each attack gains is said in `metric_formulas`; here the best of them is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from holdfast.attacks.through_metrics.description import MetricBoard, OnCounts, Told
from holdfast.attacks.through_metrics.registry import AttackOnBoard, attacks_on
from holdfast.errors import InvalidInput, NotSupported
from holdfast.metrics import (
    R2,
    Accuracy,
    AveragePrecision,
    LabelMetric,
    Metric,
    RocAuc,
    Submission,
)
from holdfast.planner.auto import Auto
from holdfast.planner.forecast import FORMULA_ERROR
from holdfast.planner.metric_formulas import (
    MetricEstimate,
    counts_forecast,
    metric_estimate,
    rule_told,
)
from holdfast.problem import Problem
from holdfast.rules import Rule, check_metric
from holdfast.rules.additive import Additive

__all__ = [
    "board_under",
    "by_forecast",
    "decimals_of",
    "metric_plan",
    "noise_of",
    "planned_on_counts",
]

# Metrics that a single example has no value of.
OF_SEVERAL = (RocAuc, AveragePrecision, R2)
# So many targets are listed within a few seconds.
MOST_TARGETS = 10_000_000


def metric_plan(
    metric: Metric, rule: Rule, problem: Problem, groups: Sequence[int] | None = None
) -> MetricEstimate:
    """Forecast what looks at a metric are worth; with `groups`, of each of these sizes at once.

    Raises `NotSupported`, with the reason, where no forecast is known.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> from holdfast.metrics import LogLoss
    >>> metric_plan(LogLoss(), parse_rule("exact"), Problem(10_000, 2, 300)).looks_for_all
    250
    """
    problem = Problem(*problem)
    check_metric(rule, metric)
    shown = metric.inside
    if isinstance(shown, OF_SEVERAL) and min(groups or [problem.n_examples]) == 1:
        raise InvalidInput(
            f"{metric} is not defined of one example, since it compares several: "
            f"{'n_examples' if groups is None else 'groups'} must be at least 2, got 1."
        )
    if groups is None:
        return _planned(metric, rule, problem)
    n, m, k = problem
    if not groups or min(groups) < 1 or sum(groups) != n:
        raise InvalidInput(
            f"groups must be sizes of at least 1 that add up to n_examples = {n:,}, "
            f"got {sum(groups):,} in all."
        )
    found = {
        size: _planned(metric, rule, Problem(size, m, k), is_group=True) for size in set(groups)
    }
    parts = [found[size] for size in groups]
    certain = [each.certain for each in parts if each.certain is not None]
    looks = [each.looks_for_all for each in parts if each.looks_for_all is not None]
    return MetricEstimate(
        gain=math.fsum(each.gain for each in parts),
        certain=sum(certain) if len(certain) == len(parts) else None,
        looks_for_all=max(looks) if len(looks) == len(parts) else None,
        reason=f"each group by itself: {found[max(groups)].reason}",
        attack=f"{found[max(groups)].attack}, by group",
        # Groups of one size share what a forecast errs by.
        error=math.fsum(each.error or 0.0 for each in parts),
    )


def _planned(
    metric: Metric, rule: Rule, problem: Problem, *, is_group: bool = False
) -> MetricEstimate:
    if isinstance(metric, Accuracy):
        return counts_forecast(rule, problem)._replace(reason="as planned for accuracies")
    m = problem.n_classes
    if metric.takes is Submission.NUMBERS and problem.n_examples > MOST_TARGETS:
        raise NotSupported(
            f"no forecast for {metric} of over {MOST_TARGETS:,} examples: its attacks list every "
            f"target, got n_examples = {problem.n_examples:,}."
        )
    board = board_under(rule, MetricBoard(metric, low=0, high=m - 1, is_group=is_group))
    able = attacks_on(board, m, from_nothing=[planned_on_counts(rule)])
    if not able:
        why = "no attack here reads it."
        if isinstance(metric, LabelMetric):
            why = (
                "each has a denominator of its own, and how many counts a value tells has no "
                "formula here. Audit the labels instead."
            )
        raise NotSupported(f"no forecast for {metric} of {m} classes: {why}")
    best, estimate = by_forecast(able, problem, rule)[0]
    if isinstance(estimate, NotSupported):
        if board.changed is None:
            raise estimate
        raise NotSupported(
            f"no forecast for {metric} under {rule}: {best.name} reads values as they are or "
            "rounded to decimals. holdfast audit plays what is left there."
        )
    name = f"{best.cls.title}, {estimate.attack}" if estimate.attack else best.cls.title
    error = FORMULA_ERROR * abs(estimate.gain) if estimate.error is None else estimate.error
    return estimate._replace(attack=name, error=error)


def by_forecast(
    attacks: Sequence[AttackOnBoard], problem: Problem, rule: Rule
) -> list[tuple[AttackOnBoard, MetricEstimate | NotSupported]]:
    """Return attacks by falling forecast; then those without one, as they came, with the reason.

    Examples
    --------
    >>> from holdfast.rules import Exact
    >>> from holdfast.metrics import RocAuc
    >>> able = attacks_on(MetricBoard(RocAuc()), 2)
    >>> best, estimate = by_forecast(able, Problem(60, 2, 5), Exact())[0]
    >>> best.name, estimate.certain
    ('graded', 16)
    """
    found: list[tuple[AttackOnBoard, MetricEstimate | NotSupported]] = []
    for each in attacks:
        try:
            found.append((each, metric_estimate(each, problem, rule)))
        except NotSupported as error:
            found.append((each, error))
    return sorted(found, key=lambda pair: -_worth(pair[1], problem))


def _worth(estimate: MetricEstimate | NotSupported, problem: Problem) -> float:
    if isinstance(estimate, NotSupported):
        return -math.inf
    if estimate.in_metric is not None:
        return estimate.in_metric
    return estimate.gain / problem.n_examples


def planned_on_counts(rule: Rule) -> OnCounts:
    """Return the planned attack on match counts, for values that a rule releases."""
    return OnCounts(Auto.name, Auto.summary, partial(_planned_attack, rule))


def _planned_attack(rule: Rule, problem: Problem, *, rng: np.random.Generator, told: Told) -> Auto:
    return Auto(problem, rng=rng, answers=rule_told(rule, told).board_model(problem))


def board_under(rule: Rule, board: MetricBoard) -> MetricBoard:
    """Return a board with what its rule leaves of the values."""
    rounding = float(rule.rounds_to or 0.0)
    step = max(rule.climb_step, rounding)
    board = board._replace(step=step, rounding=rounding, noise=noise_of(rule))
    try:
        decimals_of(rule)
    except NotSupported as error:
        return board._replace(changed=str(error))
    return board


def noise_of(rule: Rule) -> float | None:
    """Return the standard deviation of what a rule adds to each value, but for its last rounding.

    None: it does not tell each look's own value.

    >>> from holdfast.rules import parse_rule
    >>> [noise_of(parse_rule(text)) for text in ("gaussian:0.01", "round:2", "ladder:0.01")]
    [0.01, 0.0, None]
    """
    variance = 0.0
    for stage in rule.stages:
        if isinstance(stage, Additive):
            variance += stage.deviation**2
        elif stage.rounds_to is not None and not stage.remembers:
            # Rounded values that go on are off by up to half a step; the last ones are intervals.
            variance += 0.0 if stage is rule.last else float(stage.rounds_to) ** 2 / 12.0
        elif not stage.keeps_exact:
            return None
    return math.sqrt(variance)


def decimals_of(rule: Rule) -> int | None:
    """Return how many decimals a rule releases; None: all. Raise if it does more than rounding.

    >>> from holdfast.rules import parse_rule
    >>> decimals_of(parse_rule("round:3")), decimals_of(parse_rule("exact"))
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
