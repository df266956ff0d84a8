"""Forecasts of designs that predict their own accuracy, mended where examples are few."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from holdfast.answers import AnswerModel, ExactAnswers, SubsetAnswers
from holdfast.attacks._answer_likelihood import informative_share
from holdfast.attacks._rehearsal import rehearsed_if_hard
from holdfast.attacks.steering._model_margin import model_ratio
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.forecasts import Estimate, Setting
from holdfast.forecasts.tables import grid, table
from holdfast.problem import Problem

__all__ = ["design_estimate", "design_gain", "design_ratio"]

# Fallback score for ranking only: 0.7 x the rate-distortion gain, set by hand. Not an estimate.
SHARE_OF_MODEL_LAW = 0.7
# With fewer examples per class a count is far from normal, and the table changes fast.
EXAMPLES_PER_CLASS = 10
# Times the usual time that games in the head may take where a design starts from a model: nothing
# else is known of it. Set by hand.
PATIENCE_WITH_MODEL = 3.0


def design_gain(design: Any, problem: Problem, answers: AnswerModel) -> float:
    """Return the expected gain of a design that predicts its own accuracy.

    >>> from holdfast.answers import ExactAnswers
    >>> from holdfast.attacks import HadamardBlocks
    >>> round(design_gain(HadamardBlocks, Problem(10_000, 10, 128), ExactAnswers()))
    201
    """
    model: Any = answers  # a frozen record, so it can be a key
    return problem.n_examples * (_expected_accuracy(design, problem, model) - problem.baseline)


@lru_cache(maxsize=1024)
def _expected_accuracy(design: Any, problem: Problem, answers: Any) -> float:
    # A state evolution takes a second or so, and every trial of an experiment plans anew.
    accuracy: float = design.expected_accuracy(problem, answers=answers)
    return accuracy


def design_ratio(name: str, problem: Problem) -> float:
    """Return which share of its own forecast a design gains.

    The forecast is true of many examples. With few, counts are no normal numbers and beliefs pass
    in small circles; the share was measured up to 1,000 examples, and what is missing from 1
    shrinks with their number beyond.

    >>> 0.9 < design_ratio("message-passing", Problem(100_000, 10, 100)) < 1.1
    True
    """
    n, m, k = problem
    c = table("designs")
    share = grid([c["classes"], c["examples"], c["loads"]], c[name], [m, n, k / n])
    most: float = c["examples"][-1]
    return 1.0 + (share - 1.0) * min(1.0, most / n)


def design_estimate(
    design: Any,
    setting: Setting,
    reason: str,
    *,
    measured: str | None = None,
    linear: bool = True,
) -> Estimate:
    """Return the expected gain of a design that predicts itself.

    `measured` names the table that says what few examples leave of it. From a model, or with few
    examples per class, it is played in the head. Where games take too long no figure from a model
    is honest: what scaling promises is sometimes twice what is gained, and only orders attacks.
    `linear` designs pass no beliefs.
    """
    n, m, k = setting.problem
    hard = n < EXAMPLES_PER_CLASS * m
    patience = PATIENCE_WITH_MODEL if setting.informed else 1.0
    played = rehearsed_if_hard(design, setting, hard=hard, patience=patience)
    if played is not None:
        return played
    gain = _scaled_gain(design, setting, measured=measured, linear=linear)
    if setting.informed:
        why = "no formula covers a fixed design that starts from a model"
        if isinstance(setting.answers, SubsetAnswers):
            gain = min(
                gain, 0.0
            )  # whose labels are scored is unknown: it may lose more than it gains
        return Estimate(SHARE_OF_MODEL_LAW * gain, k, why, known=False)
    return Estimate(gain, k, reason)


def _scaled_gain(
    design: Any, setting: Setting, *, measured: str | None = None, linear: bool = True
) -> float:
    """Return the expected gain of a design that predicts itself; with a model it is scaled.

    The scale is that of the rate-distortion law with the model against that without; a guess from
    `linear` estimates gets as little past a model's lead as steering does, or less. `measured`
    names the table that says what few examples leave of it.
    """
    problem, answers = setting.problem, setting.answers
    if setting.prior is not None and not isinstance(answers, SubsetAnswers):
        answers = ExactAnswers()  # what is hidden depends on the model, see below
    gain = design_gain(design, problem, answers)
    if measured is not None:
        gain = min(gain, setting.most) * design_ratio(measured, problem)
    if setting.prior is not None:
        looks = problem.n_queries * _share_of_answers(setting)
        found = spend(setting.prior, NATS_PER_LOOK * looks)
        gain *= found.gain / gain_for_nats(problem, NATS_PER_LOOK * problem.n_queries)
        gain *= model_ratio(found, looks, 1.0) if linear else 1.0
    return gain


def _share_of_answers(setting: Setting) -> float:
    """Return which share of an answer's information is left to a design that starts from a model.

    An example shows its two likeliest labels as often, and so much does a count vary.
    """
    assert setting.prior is not None
    shown = setting.prior.ranked(2)[1].mean(axis=1)
    variance = float((shown * (1.0 - shown)).sum())
    return informative_share(setting.answers, max(variance, 1e-9), variance, setting.problem)
