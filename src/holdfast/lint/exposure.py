"""Exposure of a phase: bits and worst gains of its looks, for a test set of known size."""

from __future__ import annotations

import math

from holdfast.bounds.metric_values import FLOAT_NATS
from holdfast.certificates import Certificate
from holdfast.certificates.displays import certify_display
from holdfast.errors import NotSupported
from holdfast.lint.record import Exposure, Phase
from holdfast.metrics import Accuracy, Metric, Submission
from holdfast.metrics.display import Display
from holdfast.planner import metric_plan
from holdfast.planner.strongest import gain_under
from holdfast.problem import Problem
from holdfast.rules import Rule, check_metric

__all__ = ["exposure"]

# What no limit, or a higher one, is counted as.
MOST_LOOKS = 10**6


def exposure(phase: Phase, rule: Rule, n: int, m: int) -> Exposure:
    """Return what one account's looks in a phase expose of n examples of m classes."""
    if phase.looks == 0 or phase.seen_by == "hosts":
        return _exposure(phase, "nothing", 0.0, 0.0, 0.0, 0.0)
    looks = MOST_LOOKS if phase.looks is None else min(phase.looks, MOST_LOOKS)
    problem = Problem(n, m, looks)
    # A name that tells no metric is taken for an accuracy, which the findings say.
    shown = [each.metric or Accuracy() for each in phase.columns]
    found = {metric: _certified(metric, rule, problem) for metric in shown}
    per_look = math.fsum(_bits_per_look(found[metric]) for metric in shown)
    # What several metrics of a submission tell together is not covered.
    alone = found[shown[0]] if len(shown) == 1 and phase.columns[0].named else None
    gains = [gain for metric in found if (gain := _forecast(metric, rule, problem)) is not None]
    return _exposure(
        phase,
        phase.release,
        per_look,
        min(per_look * looks, n * math.log2(m)),
        max(gains, default=None),
        None if alone is None else alone.gain,
    )


def _certified(metric: Metric, rule: Rule, problem: Problem) -> Certificate | None:
    """Return what looks at a metric allow; None: nothing is proved of it."""
    if metric.takes in (Submission.NUMBERS, Submission.LABEL_SETS):
        return None
    try:
        check_metric(rule, metric)
    except NotSupported:
        return None
    return certify_display(problem, rule, Display(metric))


def _bits_per_look(certificate: Certificate | None) -> float:
    """Return what a look tells at most: what is certified, or all that a float holds."""
    if certificate is None:
        return FLOAT_NATS / math.log(2.0)
    return certificate.bits_per_look


def _forecast(metric: Metric, rule: Rule, problem: Problem) -> float | None:
    """Return the best expected gain that a formula gives for some attack; None: there is none.

    No formula covers a rule whose answers depend on earlier looks.
    """
    if rule.remembers:
        return None
    if isinstance(metric, Accuracy):
        return gain_under(rule, problem)
    try:
        return metric_plan(metric, rule, problem).gain / problem.n_examples
    except NotSupported:
        return None


def _exposure(
    phase: Phase,
    release: str,
    per_look: float,
    bits: float,
    possible: float | None,
    allowed: float | None,
) -> Exposure:
    if possible is not None and allowed is not None:
        possible = min(possible, allowed)
    return Exposure(
        phase=phase.name,
        line=phase.line,
        looks=phase.looks,
        looks_text=phase.looks_text,
        release=release,
        bits_per_look=round(per_look, 2),
        bits=round(bits, 1),
        possible=_rounded(possible),
        allowed=_rounded(allowed),
    )


def _rounded(gain: float | None) -> float | None:
    return None if gain is None else round(gain, 4)
