"""The honest cost of a release rule: what a team that does improve is not shown.

A team improves a model by one point at a time, twenty times. Its labels change where the model
changes, and on a tenth of the examples by chance, as retrained models' do. The cost has two parts:
how far a shown score is from the submission's own accuracy on these examples, and after how many of
the steps the board showed no improvement. The second is not 0 for exact scores either: on few
examples a step of one point can go the wrong way by chance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import HoldfastError
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.protocols import Answer
from holdfast.rules import Rule

__all__ = ["HonestCost", "honest_cost"]

# The team's submissions: from this accuracy on, by this step, so many of them.
START, STEP, SUBMISSIONS = 0.5, 0.01, 21
# Share of the examples on which the next model is right or wrong by a chance of its own.
RETRAINED = 0.1
TEAMS = 20


class HonestCost(NamedTuple):
    """What honest teams lose.

    Parameters
    ----------
    off
        Mean distance of a shown score from the submission's accuracy; None: none is shown.
    unseen
        Share of steps of one point after which the board showed no improvement.
    """

    off: float | None
    unseen: float


def honest_cost(rule: Rule, n_examples: int, n_classes: int, *, teams: int = TEAMS) -> HonestCost:
    """Measure the cost with some teams of their own; the same for the same rule and sizes.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> honest_cost(parse_rule("exact"), 10_000, 10).off
    0.0
    >>> honest_cost(parse_rule("ladder:0.05"), 10_000, 10).unseen > 0.7
    True
    """
    problem = Problem(n_examples, n_classes, SUBMISSIONS)
    off: list[float] = []
    unseen: list[bool] = []
    for team in range(teams):
        rng = np.random.default_rng([n_examples, n_classes, team])
        labels, submissions = _submissions(problem, rng)
        oracle = LabelOracle(labels, problem=problem, mechanism=rule, rng=rng)
        best = -math.inf
        for at, submission in enumerate(submissions):
            try:
                answer = _number(oracle.query(submission))
            except HoldfastError:
                answer = math.nan  # a look that is refused shows nothing
            standing = _standing(rule, answer, at)
            if at:
                unseen.append(not standing > best)
            if not math.isnan(standing):
                best = max(best, standing)
            if rule.shows == "scores" and not math.isnan(answer):
                off.append(abs(answer - float(np.mean(submission == labels))))
    return HonestCost(float(np.mean(off)) if off else None, float(np.mean(unseen)))


def _standing(rule: Rule, answer: float, at: int) -> float:
    """Return a number that rises when the board shows an improvement."""
    if rule.shows == "ranks":
        return float(at) if answer == 1.0 else math.nan
    if rule.shows == "new best":
        return float(at) if answer > 0.0 else math.nan
    return answer


def _number(answer: Answer) -> float:
    return math.nan if isinstance(answer, tuple) else float(answer)


def _submissions(
    problem: Problem, rng: np.random.Generator
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return hidden labels, and the labels of a team whose model gets better."""
    n, m, _ = problem
    labels = rng.integers(m, size=n)
    wrong = (labels + rng.integers(1, m, size=n)) % m
    hardness = rng.random(n)
    found = []
    for at in range(SUBMISSIONS):
        own = np.where(rng.random(n) < RETRAINED, rng.random(n), hardness)
        found.append(np.where(own < START + STEP * at, labels, wrong))
    return labels, found
