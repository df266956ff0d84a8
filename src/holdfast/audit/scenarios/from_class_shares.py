"""Attacks that start from the class shares: which there are, and how each reads a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast import attacks
from holdfast.answers import RoundedAnswers
from holdfast.errors import NotSupported
from holdfast.experiments.answer_models import answer_model
from holdfast.labels import Labels
from holdfast.mechanisms import (
    Chain,
    ImprovedOnly,
    Ladder,
    ParameterFreeLadder,
    RankOnly,
    Rounding,
    Rule,
    ShakyLadder,
)
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack

__all__ = ["SHARE_ATTACKS"]

Build = Callable[[Problem, np.random.Generator, Rule, Prior], Attack[Labels]]


def _scored(cls: type[Any]) -> Build:
    """Build an attack that estimates from scores."""

    def build(
        problem: Problem, rng: np.random.Generator, rule: Rule, prior: Prior
    ) -> Attack[Labels]:
        model = answer_model(rule, problem)
        if model is None:
            raise NotSupported("it needs scores, and the rule releases none.")
        if cls is attacks.BoundaryChallenger and not isinstance(model, RoundedAnswers):
            raise NotSupported("it is made for rounding, and the rule does not round.")
        made: Attack[Labels] = cls(problem, rng=rng, prior=prior, answers=model)
        return made

    return build


def _climbing(
    problem: Problem, rng: np.random.Generator, rule: Rule, prior: Prior
) -> Attack[Labels]:
    """Build the attack that only listens for a new best."""
    last = rule.rules[-1] if isinstance(rule, Chain) else rule
    step = threshold = 0.0
    match last:
        case Ladder() | ShakyLadder():
            step = last.step
        case Rounding():
            step = float(last.exact_step)
        case ParameterFreeLadder():
            threshold = 1.0
    climb = attacks.PriorClimb(problem, rng=rng, prior=prior, step=step, threshold=threshold)
    if isinstance(last, ImprovedOnly):
        return attacks.ImprovementReader(climb)
    return attacks.RankReader(climb) if isinstance(last, RankOnly) else climb


SHARE_ATTACKS: dict[str, Build] = {
    "champion-challenger": _scored(attacks.ChampionChallenger),
    "boundary-challenger": _scored(attacks.BoundaryChallenger),
    "lattice": _scored(attacks.Lattice),
    "hadamard-blocks": _scored(attacks.HadamardBlocks),
    "prior-climb": _climbing,
}
