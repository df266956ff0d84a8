"""Findings about what a board shows, before anything is played.

The checks are those of `judgement.preflight`: whatever else is shown, what is true of an accuracy
stays true where one is among the numbers. Added are those of the display: what a value of each
shown number tells, how small the groups are, whether the metric has a positive class that nobody
named. Each says what was found, why it matters, and what to
do; none needs a play, so `holdfast audit --quick` says them as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.preflight import (
    YES_AND_NO,
    absent_classes,
    assumed_metric,
    best_of_private,
    coarse_rule,
    constant_reveals,
    decimal_commas,
    group_finding,
    imbalance,
    public_in_final,
    repeated_ids,
    sorted_rows,
    telling_ids,
    tiny,
    void_rounding,
)
from holdfast.audit.metrics.scenarios import only_climbed
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import Finding, worst_first
from holdfast.metrics import F1, Accuracy, LabelMetric, RocAuc

__all__ = ["metric_findings"]

SMALL_GROUP = 30


def metric_findings(asked: Request, unit: Unit, gap: float) -> tuple[Finding, ...]:
    """Return all findings, those that void the verdict first.

    Parameters
    ----------
    asked
        What is audited. Numbers from its labels, such as the share of a class, are rounded to the
        unit of an accuracy before they stand in a finding: findings are printed and shared.
    unit, gap
        What gains are counted in, and the ranking gap that is tested.
    """
    ranked = isinstance(asked.metric, Accuracy)
    shown = any(isinstance(metric, Accuracy) for metric in asked.display.metrics)
    plain = asked.display.plain
    checks = [sorted_rows, telling_ids, repeated_ids, absent_classes]
    checks += [imbalance] if ranked else []
    checks += [constant_reveals] if shown else []
    found = [finding for check in checks for finding in check(asked)]
    found += _tiny(asked)
    found += void_rounding(asked) if shown else []
    found += public_in_final(asked)
    found += best_of_private(asked) if ranked else _chosen(asked)
    found += assumed_metric(asked) if plain else _reveals(asked)
    found += decimal_commas(asked) if ranked else []
    found += [*_groups(asked), *_classes(asked), *_unused(asked), *_positive(asked)]
    found += [*_undecided(asked), *coarse_rule(asked, gap, unit.scale)]
    return worst_first(found)


def _tiny(asked: Request) -> Iterator[Finding]:
    """Warn of few examples; how far chance moves a score is known where each is right or wrong."""
    for finding in tiny(asked):
        if asked.metric.counts_hits:
            yield finding
        else:
            why = (
                f"Chance moves {asked.metric} of so few examples without any overfitting; how far "
                "depends on the losses, and an interval of them tells it."
            )
            yield replace(finding, why=why)


def _reveals(asked: Request) -> Iterator[Finding]:
    """Say of each shown number what one value of it tells, in the metric's own words.

    A mean squared error tells a sum over examples, an F1 the number of true positives: it is said
    even where a rule blurs it, since the attacks below read just that.
    """
    shown = [(str(metric), metric.reveals) for metric in (asked.metric, *asked.also)]
    shown += [(str(each), each.reveals) for each in asked.display.by_class]
    for name, reveals in shown:
        if reveals:
            yield Finding(
                "reveals",
                "note",
                f"A value of {name} tells {reveals}.",
                "That is what the attacks below read, look by look.",
                "Release it through a rule, or show it to fewer looks.",
            )


def _groups(asked: Request) -> Iterator[Finding]:
    """Say how large the groups are whose scores are shown.

    k looks at one number tell at most k log2(n + 1) bits, and at G groups of n/G examples
    k G log2(n/G + 1), nearly G times as much. A warning where the smallest group has fewer than
    thirty examples, whose labels a handful of looks tells.
    """
    if asked.groups is None:
        return
    _, sizes = np.unique(asked.groups, return_counts=True)
    yield Finding(
        "breakdown",
        "warning" if sizes.min() < SMALL_GROUP else "note",
        f"Scores of {sizes.size:,} groups of {sizes.min():,} to {sizes.max():,} examples are "
        "shown.",
        "A look answers one question per group, each about fewer examples: small groups are "
        "known first, with about as many looks as a test set of that size would take.",
        "Show the total only, release groups through a rule, or join small groups.",
    )


def _classes(asked: Request) -> Iterator[Finding]:
    """Warn where attacks can only climb, since then gains are not the most that is possible."""
    m = asked.problem.n_classes
    if isinstance(asked.metric, LabelMetric) and only_climbed(asked, asked.metric):
        yield Finding(
            "climbers-only",
            "warning",
            f"No attack here reads counts from {asked.metric} of {m} classes as it is released.",
            "Each class has a denominator of its own. Attacks that keep what scores better are "
            "played; others may gain more.",
            "Read the gains below as what is possible at least.",
        )


def _unused(asked: Request) -> Iterator[Finding]:
    """Note columns of the label file that look like groups and are not said to be shown."""
    for column in asked.group_columns:
        if column != asked.breakdown:
            yield group_finding(column)


def _positive(asked: Request) -> Iterator[Finding]:
    """Note which class counts as positive, unless its name says so (1, yes, true).

    With one positive in ten, the best constant has an F1 of 18 points for the rare class and of 95
    for the other: an audit of the wrong one is of no use.
    """
    names = asked.file.class_names
    named = frozenset(name.lower() for name in names) in YES_AND_NO
    if isinstance(asked.metric, F1) and not named:
        yield Finding(
            "positive-class",
            "note",
            f"{names[1]} is taken for the positive class, and {names[0]} for the other.",
            f"{asked.metric} of the other class is another metric, with other gains.",
            "Name the classes 0 and 1 if it is the other way round.",
        )


def _undecided(asked: Request) -> Iterator[Finding]:
    """Warn where all labels are alike: nothing can be gained, and SAFE would mean nothing."""
    if isinstance(asked.metric, LabelMetric | RocAuc) and np.unique(asked.labels).size < 2:
        yield Finding(
            "one-class",
            "warning",
            "All scored examples are of one class.",
            f"{asked.metric} then tells nothing of models, and nothing can be gained on it: that "
            "no attack gains is no sign of safety.",
            "Score examples of every class.",
        )


def _chosen(asked: Request) -> Iterator[Finding]:
    """Warn where a team's best private score counts: each submission is a look at that part."""
    if asked.parts.private and asked.final_choices == 0:
        yield Finding(
            "best-of-private",
            "warning",
            "The final rank is the best private score of all submissions.",
            "Every submission is a look at the private part, and the luckiest of "
            f"{asked.looks.count:,} equally good ones lies above its true {asked.metric}.",
            "Let teams name one or two submissions before the private scores are shown.",
        )
