"""Attacks on match counts in an audit of a metric: the planned one, or informed ones.

Many metrics tell the number of matches, or of true positives, once class sizes are known. Whoever
reads that number off the values hands it to an attack on accuracies, and these are the candidates:
from nothing the one that `planner` forecasts most of, and from class shares or a model every attack
that takes a prior, since no forecast ranks those.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from holdfast.attacks import GridReader, Lattice
from holdfast.attacks.description import Described, Reads
from holdfast.attacks.registry import attack_types
from holdfast.attacks.through_metrics.description import OnCounts, Told
from holdfast.audit.metrics.starts import Start
from holdfast.experiments.suite import attack_on
from holdfast.metrics import Accuracy, LabelMetric, Metric, RocAuc
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.planner import planned_on_counts, rule_told
from holdfast.problem import Problem
from holdfast.rules import Exact, Rule

__all__ = [
    "climbing_on_counts",
    "from_nothing_on_counts",
    "informed_attack",
    "informed_on_counts",
    "on_counts",
]


def on_counts(start: Start, rule: Rule) -> list[OnCounts]:
    """Return the attacks on match counts: the planned one, or all that start from something.

    The list has the same length under every rule, so that a place in it names an attack.
    """
    return [planned_on_counts(rule)] if start.nothing else informed_on_counts(start, rule)


def from_nothing_on_counts(metric: Metric, rule: Rule) -> list[OnCounts]:
    """Return the attacks on match counts that start from nothing, for a board of another metric.

    The planned one is best for accuracies. Labels that are proved are worth something by any
    metric, since all others may be called what that metric likes best; to a loss they cost nothing.
    """
    found = [planned_on_counts(rule)]
    proving = isinstance(metric, LabelMetric | RocAuc | ProbabilityMetric)
    if proving and not isinstance(metric, Accuracy):
        make = partial(_told, cls=Lattice, start=Start(), rule=rule)
        found.append(OnCounts(Lattice.name, Lattice.summary, make))
    return found


def informed_on_counts(start: Start, rule: Rule) -> list[OnCounts]:
    """Return the attacks on match counts that start from what is known."""
    if start.nothing:
        return []
    informed = [
        cls
        for cls in attack_types()
        if cls.takes_prior and cls.needs is None and cls.reads is Reads.SCORES
        if Reads.SCORES in cls.strongest_on or cls.strongest_by_forecast
    ]
    return [
        OnCounts(cls.name, cls.summary, partial(_told, cls=cls, start=start, rule=rule))
        for cls in informed
    ]


def climbing_on_counts(climbers: list[type[Described]], start: Start, rule: Rule) -> list[OnCounts]:
    """Return attacks that hear only which look was the best, as attacks on match counts."""
    return [
        OnCounts(cls.name, cls.summary, partial(_told, cls=cls, start=start, rule=rule))
        for cls in climbers
    ]


def _told(
    problem: Problem,
    *,
    rng: np.random.Generator,
    told: Told,
    cls: type[Described],
    start: Start,
    rule: Rule,
) -> Any:
    """Make an attack that is told counts as they are, or as the rule releases them."""
    rule = rule_told(rule, told)
    return informed_attack(problem, rng=rng, rule=rule, cls=cls, start=start)


def informed_attack(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    cls: type[Described],
    start: Start,
) -> Any:
    """Make an attack that knows the rule, from what is known if it takes that.

    A rule that rounds to less than one match hides nothing: the count is the nearest whole number,
    and the attack plays as under exact scores. Two decimals do so up to 99 examples.
    """
    known = start.prior(problem) if cls.takes_prior else None
    step, n = rule.rounds_to, problem.n_examples
    if len(rule.stages) == 1 and step is not None and step * n < 1:
        # Finer than one match, as in a small group: the count is the nearest whole number.
        return GridReader(attack_on(cls, problem, rng, Exact(), prior=known), size=n)
    return attack_on(cls, problem, rng, rule, prior=known)
