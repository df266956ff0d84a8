"""Attacks that start from the class shares: which there are, and how each reads a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast import attacks
from holdfast.answers import RoundedAnswers
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.mechanisms import Rule
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
        model = rule.answer_model(problem)
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
    climb = attacks.PriorClimb(
        problem,
        rng=rng,
        prior=prior,
        step=rule.climb_step or float(rule.rounds_to or 0.0),
        threshold=rule.climb_errors,
    )
    if rule.shows == "new best":
        return attacks.ImprovementReader(climb)
    return attacks.RankReader(climb) if rule.shows == "ranks" else climb


SHARE_ATTACKS: dict[str, Build] = {
    "champion-challenger": _scored(attacks.ChampionChallenger),
    "boundary-challenger": _scored(attacks.BoundaryChallenger),
    "lattice": _scored(attacks.Lattice),
    "hadamard-blocks": _scored(attacks.HadamardBlocks),
    "prior-climb": _climbing,
}
