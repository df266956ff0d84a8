"""Improvement bits: one bit per look, better than everything before or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from numpy.random import Generator

from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.packed import matches_of, pack
from holdfast.rules.told import Told, Wording

__all__ = ["ImprovedOnly"]


@dataclass(frozen=True)
class ImprovedOnly(Rule):
    """Tell only whether a look scored higher than the best before it: 1.0 if so, else 0.0.

    The first look always does. One bit is enough for an attack that changes one block at a time
    and keeps the better version: see `BlockClimb`. The state holds the best submission and is
    scored again at each look; no score is kept.

    Examples
    --------
    >>> str(ImprovedOnly()), round(ImprovedOnly().own_nats(Problem(10_000, 10, 300)) / 300, 2)
    ('improved', 0.69)
    """

    name: ClassVar[str] = "improved"
    source: ClassVar[str] = "boards that confirm an improvement; no paper"
    text_forms: ClassVar[tuple[str, ...]] = ("improved",)
    wants_exact: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it keeps submitted labels and counts their matches again"
    speaks: ClassVar[bool] = True
    tells_best: ClassVar[bool] = True
    shows: ClassVar[Literal["new best"]] = "new best"
    tells_of_others: ClassVar[bool] = False
    counted: ClassVar[bool] = True

    def init(self, problem: Problem) -> State:
        """Return the state before the first submission."""
        return {"best": None, "n_classes": problem.n_classes}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return 1 if the match count is strictly larger than the best before, else 0."""
        evaluation, n_classes = reading.evaluation, state["n_classes"]
        if state["best"] is not None:
            best = matches_of(state["best"], evaluation.labels, n_classes)
            if evaluation.matches <= best:
                return reading.telling(Fraction(0), new_best=False), state
        after = {"best": pack(evaluation.query, n_classes), "n_classes": n_classes}
        return reading.telling(Fraction(1), new_best=True), after

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for the one bit."""
        beat = f"whether this submission beat the best so far of {so_far.whose}, 1 or 0"
        return so_far.about(beat)

    def resolution(self, problem: Problem) -> float:
        """Return 1: the answer says nothing about the level."""
        return 1.0

    def own_nats(self, problem: Problem) -> float:
        """Return one bit for every look but the first."""
        return (problem.n_queries - 1) * math.log(2.0)
