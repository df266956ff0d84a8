"""Release rules on metrics: which rule works on which, and one number's way through a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from numpy.random import Generator

from holdfast.errors import InvalidInput, NotSupported, ReleaseFailed
from holdfast.metrics import Accuracy, Metric, Show
from holdfast.metrics.base import Value
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State
from holdfast.rules.base import Reading, Rule, WorksOn

__all__ = ["check_metric", "first_states", "release_show", "released", "resumed"]


def check_metric(rule: Rule, metric: Metric) -> None:
    """Raise `NotSupported`, with the reason, unless the rule works on values of this metric.

    Every rule works on accuracies, of all examples or of a group of them.

    >>> from holdfast.rules import parse_rule
    >>> from holdfast.metrics.registry import parse_metric
    >>> check_metric(parse_rule("ladder:0.01"), parse_metric("f1"))
    >>> check_metric(parse_rule("ladder:0.01"), parse_metric("log_loss[0,10]"))
    >>> check_metric(parse_rule("ladder:0.01"), parse_metric("log_loss"))
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: ladder:0.01 needs values between two limits, and log_loss has \
none above: state a range to clip it to, such as "log_loss[0,10]".
    """
    if isinstance(metric, Accuracy) or rule.works_on is WorksOn.ANY_METRIC:
        return
    if rule.works_on is WorksOn.HITS and metric.counts_hits:
        return
    if rule.looks_at_examples:
        because = next(
            each.accuracies_because for each in rule.stages if each.works_on is rule.works_on
        )
        raise NotSupported(
            f"{rule} works on {rule.works_on.value}, since {because}, and {metric} is none: use "
            f"exact, rounding, a Ladder with a step, or noise."
        )
    if not metric.bounded:
        above = metric.high == math.inf
        example = (metric.low, 10.0) if above else (-1.0, metric.high)
        raise NotSupported(
            f"{rule} needs values between two limits, and {metric} has none "
            f"{'above' if above else 'below'}: state a range to clip it to, such as "
            f'"{metric}[{example[0]:g},{example[1]:g}]".'
        )


def first_states(rule: Rule, show: Show, truth: Any, problem: Problem) -> list[State]:
    """Return a state for each number of a show, each for the examples that the number is of."""
    n, m, k = problem
    sizes = [n if rows is None else rows.size for rows in show.members(truth)]
    if rule.looks_at_examples and 0 in sizes:
        empty = show.names[sizes.index(0)]
        raise InvalidInput(f"{rule} looks at examples, and {empty} has none: use another rule.")
    return [rule.init(Problem(max(1, size), m, k)) for size in sizes]


def resumed(
    rule: Rule, states: Sequence[State], show: Show, truth: Any, problem: Problem
) -> list[State]:
    """Return the stored states of a show's numbers as they go on."""
    n, m, k = problem
    sizes = [n if rows is None else max(1, rows.size) for rows in show.members(truth)]
    return [
        rule.resume(state, Problem(size, m, k)) for state, size in zip(states, sizes, strict=True)
    ]


def release_show(
    rule: Rule,
    show: Show,
    states: Sequence[State],
    truth: Any,
    submission: Any,
    rng: Generator,
) -> tuple[list[tuple[Reading, ...]], list[State]]:
    """Return what one look brings out, a reading per number, and the states after it.

    Each number goes through the rule by itself. One tuple for most rules; none while a batch
    fills, and all of its looks when it is full, as `Rule.answers` has it.

    Raises
    ------
    ReleaseFailed
        There is no finite value.
    """
    told, after = [], []
    values = [
        metric.within(value)
        for metric, value in zip(show.metrics, show.values(truth, submission), strict=True)
    ]
    for name, value in zip(show.names, values, strict=True):
        if not math.isfinite(value):
            raise ReleaseFailed(f"{name} must be finite, and is not.")
    taken = show.read_by_each(submission)
    parts = zip(show.metrics, show.members(truth), values, taken, states, strict=True)
    for metric, rows, value, given, state in parts:
        evaluation = None
        if metric.counts_hits and (rows is None or rows.size):
            query = given if rows is None else given[rows]
            labels = truth if rows is None else truth[rows]
            evaluation = Evaluation(int(value * len(labels)), query, labels)
        readings, changed = released(rule, metric, state, value, evaluation, rng)
        told.append(readings)
        after.append(changed)
    return list(zip(*told, strict=True)), after


def released(
    rule: Rule,
    metric: Metric,
    state: State,
    value: Value,
    evaluation: Evaluation | None,
    rng: Generator,
) -> tuple[list[Reading], State]:
    """Return what a rule brings out about one number of a show, and the state after it.

    A metric that counts hits goes through the rule with the examples that it is of. Any other
    value goes through it alone; rules prefer higher values, so they are handed the negative of a
    loss.
    """
    if evaluation is not None:
        return rule.answers(state, evaluation, rng)
    sign = 1 if metric.higher_is_better else -1
    reading, after = rule.pass_on(state, Reading.of_value(sign * Fraction(value)), rng)
    return [replace(reading, value=sign * reading.value)], after
