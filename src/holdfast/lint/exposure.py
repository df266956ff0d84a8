"""Exposure of a phase: bits and worst gains of its looks, for a test set of known size."""

from __future__ import annotations

import math

from holdfast.answers import ExactAnswers
from holdfast.attacks import HadamardBlocks
from holdfast.certificates import certify
from holdfast.forecasts import Setting
from holdfast.lint.record import Exposure, Phase
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.planner.strongest import best_gain
from holdfast.problem import Problem

__all__ = ["exposure"]

# What no limit, or a higher one, is counted as.
MOST_LOOKS = 10**6


def exposure(phase: Phase, n: int, m: int) -> Exposure:
    """Return what one account's looks in a phase expose of n examples of m classes."""
    if phase.looks == 0 or phase.seen_by == "hosts":
        return _exposure(phase, "nothing", 0.0, 0.0, 0.0, 0.0)
    looks = MOST_LOOKS if phase.looks is None else min(phase.looks, MOST_LOOKS)
    problem = Problem(n, m, looks)
    rule = parse_mechanism(phase.release)
    certificate = certify(problem, rule)
    per_look = certificate.bits_per_look * phase.metrics
    forecast = _forecast(rule, problem)
    return _exposure(
        phase,
        phase.release,
        per_look,
        min(per_look * looks, n * math.log2(m)),
        None if forecast is None else min(forecast, certificate.gain),
        # What several metrics of a submission tell together is not covered, nor other metrics.
        certificate.gain if phase.accuracy and phase.metrics == 1 else None,
    )


def _exposure(
    phase: Phase,
    release: str,
    per_look: float,
    bits: float,
    possible: float | None,
    allowed: float | None,
) -> Exposure:
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


def _forecast(rule: Rule, problem: Problem) -> float | None:
    """Return the best expected gain that a formula gives for some attack; None: there is none.

    No formula covers a rule whose answers depend on earlier looks.
    """
    n = problem.n_examples
    model = rule.answer_model(problem)
    if model is None or rule.remembers:
        return None
    low, high = model.counts(0.0, n)
    if isinstance(model, ExactAnswers) or (rule.rounds_to is not None and low == high):
        return best_gain(Setting(problem)) / n
    blocks = HadamardBlocks.expected_accuracy(problem, answers=model)
    adaptive = best_gain(Setting(problem, answers=model))
    return max(adaptive / n, (blocks or 0.0) - problem.baseline)
