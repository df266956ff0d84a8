"""Other release rules beside the policy's: the strongest attack on each, bound and blur.

The counterpart of `scenarios.rules` for accuracies. Which rule is weaker must not depend on luck:
whoever is told exact values can round or blur them himself, so an attack that gains more under a
coarser rule gains as much there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.certified import certified_labels, most_gain, percent_right
from holdfast.audit.metrics.measurer import MetricMeasurer, strongest_first, through
from holdfast.audit.metrics.record import MetricGain, MetricRule
from holdfast.audit.metrics.units import Unit
from holdfast.audit.scenarios.rules import RULES
from holdfast.errors import NotSupported
from holdfast.mechanisms import Rule, check_metric
from holdfast.problem import Problem

__all__ = ["metric_rules", "on_each_rule", "rule_rows"]


def metric_rules(asked: MetricRequest) -> list[Rule]:
    """Return the policy's rule, then those of `RULES` that work on all that the board shows."""
    own = asked.request.rule
    return [own, *(rule for rule in RULES if rule != own and _works(rule, asked))]


def on_each_rule(measurer: MetricMeasurer) -> dict[Rule, list[MetricGain]]:
    """Play every attack against the policy's rule, then against each other one.

    Returns
    -------
    dict
        By rule, one gain for each attack through each show, in the order of `suite`. Under rules
        that show values as they are, the largest gain of the attack under any rule.

    Raises
    ------
    NotSupported
        No attack plays under the policy's rule, with the reason; said before anything else is
        played.
    """
    own, *others = metric_rules(measurer.asked)
    found = {own: measurer.suite(f"rule {own}", own, measurer.looks)}
    if all(each.gain is None for each in found[own]):
        raise NotSupported(
            f"no attack plays {measurer.asked.metric} under the rule {own}: {found[own][0].reason}"
        )
    found |= {rule: measurer.suite(f"rule {rule}", rule, measurer.looks) for rule in others}
    for rule, gains in found.items():
        if all(stage.keeps_exact and not stage.selects for stage in rule.stages):
            every = [each for of_rule in found.values() for each in of_rule]
            found[rule] = [_best_of_same(each, every) for each in gains]
    return found


def rule_rows(
    measurer: MetricMeasurer, on_each: Mapping[Rule, Sequence[MetricGain]]
) -> tuple[MetricRule, ...]:
    """Return one row of the comparison for each rule.

    What is allowed is for the policy's looks, however many of them were played.
    """
    asked, unit = measurer.asked, measurer.unit
    n, m, _ = asked.request.problem
    return tuple(
        MetricRule(
            rule=str(rule),
            is_policy=rule == asked.request.rule,
            strongest=tuple(through(gains, show) for show in asked.shows),
            allowed=most_gain(asked, rule, unit)[0],
            labels_right=percent_right(certified_labels(asked, rule)),
            blur=_blur(rule, Problem(n, m, measurer.looks), unit),
        )
        for rule, gains in on_each.items()
    )


def _works(rule: Rule, asked: MetricRequest) -> bool:
    """Tell whether a rule can release every number that the board shows."""
    try:
        for metric in asked.display.released:
            check_metric(rule, metric)
    except NotSupported:
        return False
    return True


def _best_of_same(gain: MetricGain, others: Sequence[MetricGain]) -> MetricGain:
    """Return the largest gain of the same attack through the same show under any rule."""
    return strongest_first(
        each
        for each in others
        if (each.show, each.attack, each.reads, each.setting)
        == (gain.show, gain.attack, gain.reads, gain.setting)
    )[0]


def _blur(rule: Rule, problem: Problem, unit: Unit) -> float:
    """Return how far an answer may be from the value, in the audit's unit.

    Less than one example's worth is no blur: no two submissions differ by less.
    """
    off = rule.resolution(problem)
    return 0.0 if off * problem.n_examples <= 1.0 else round(unit.scale * off, 4)
