"""What an attack that knows the release rule assumes of its answers."""

from __future__ import annotations

import math

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.mechanisms import (
    Batch,
    Chain,
    Exact,
    FreshSubsample,
    Gaussian,
    Ladder,
    Laplace,
    ParameterFreeLadder,
    Rounding,
    Rule,
    ShakyLadder,
    Split,
    Subsample,
    Thresholdout,
)
from holdfast.problem import Problem

__all__ = ["answer_model"]


def answer_model(rule: Rule, problem: Problem) -> AnswerModel | None:
    """Return the answer model that describes a rule best; None: it releases no accuracies.

    A Ladder's standing value is described by its rounding, which is right when it is new. The
    stages of a chain are added up as noise unless only one of them hides anything.

    Examples
    --------
    >>> from holdfast.mechanisms import parse_mechanism
    >>> answer_model(parse_mechanism("round:2"), Problem(1000, 10, 5))
    RoundedAnswers(step=0.01)
    >>> answer_model(parse_mechanism("rank"), Problem(1000, 10, 5)) is None
    True
    """
    match rule:
        case Exact() | ParameterFreeLadder() | Batch():
            return ExactAnswers()
        case Rounding():
            return RoundedAnswers(step=float(rule.exact_step))
        case Ladder(step):
            return RoundedAnswers(step=step)
        case Gaussian(scale):
            return NoisyAnswers(scale=scale)
        case Laplace(scale) | ShakyLadder(_, scale) | Thresholdout(_, scale):
            return NoisyAnswers(scale=math.sqrt(2.0) * scale)
        case Subsample(fraction):
            return SubsetAnswers(fraction=fraction)
        case FreshSubsample(fraction):
            return _as_noise(SubsetAnswers(fraction=fraction), problem)
        case Split(parts):
            return _as_noise(SubsetAnswers(fraction=1.0 / parts), problem)
        case Chain(rules):
            return _combined([answer_model(each, problem) for each in rules], problem)
        case _:
            return None


def _combined(models: list[AnswerModel | None], problem: Problem) -> AnswerModel | None:
    hiding: list[AnswerModel] = []
    for model in models:
        if model is None:
            return None
        if model.variance(problem) > 0.0:
            hiding.append(model)
    if not hiding:
        return ExactAnswers()
    if len(hiding) == len(models) == 1:
        return hiding[0]
    return NoisyAnswers(
        scale=math.sqrt(sum(each.variance(problem) for each in hiding)) / problem.n_examples
    )


def _as_noise(model: AnswerModel, problem: Problem) -> NoisyAnswers:
    return NoisyAnswers(scale=math.sqrt(model.variance(problem)) / problem.n_examples)
