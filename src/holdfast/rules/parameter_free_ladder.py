"""The parameter-free Ladder, which sets its own step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from holdfast.answers import ExactAnswers
from holdfast.bounds.binomial import log_sequences
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.packed import pack, unpack
from holdfast.rules.told import Told, Wording

__all__ = ["ParameterFreeLadder", "climbs"]


def climbs(gained: int, lost: int) -> bool:
    """Tell whether winning `gained` examples and losing `lost` is a significant improvement.

    The paper asks for R_S(f) < R_best - s/sqrt(n), where s is the sample standard deviation
    (ddof = 1) of the per-example difference of losses. The differences are +1, 0 or -1; with
    d = gained - lost and e = gained + lost, s^2 = (e - d^2/n)/(n - 1), and d/n > s/sqrt(n) is
    the same as d > 0 and d^2 > e. Nothing but integers is compared.

    >>> climbs(1, 0), climbs(2, 0), climbs(0, 2)
    (False, True, False)
    """
    return gained > lost and (gained - lost) ** 2 > gained + lost


@dataclass(frozen=True)
class ParameterFreeLadder(Rule):
    """Release a new value only when it beats the best submission by a standard error.

    The step is the standard error of the difference to the best submission so far, so no setting
    is needed. That is also its weakness: two submissions that differ in one small block have a
    small standard error, and changing one block at a time climbs .342 sqrt(k/(mn)); see
    `BlockClimb`. A fixed step of .005 or .01 stops that.

    Implements: blum2015 Figure 2 (the parameter-free Ladder mechanism)

    Departures
    ----------
    Stated for 0/1 losses: accuracies, top-K accuracies and exact matches of label sets, where an
    example is right or wrong. Of other losses the differences would not be integers, and the
    submission that is kept would be numbers. Rounding to 1/n changes nothing for 0/1 losses. The
    standard deviation has ddof = 1 and the comparison is strict, both decided on integers
    (`climbs`). The state holds the best submission, never its score: it is scored again at each
    look.

    Examples
    --------
    >>> str(ParameterFreeLadder())
    'ladder'
    """

    name: ClassVar[str] = "ladder"
    source: ClassVar[str] = "Blum & Hardt 2015, Figure 2 (the parameter-free Ladder mechanism)"
    text_forms: ClassVar[tuple[str, ...]] = ("ladder",)
    wants_exact: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.HITS
    accuracies_because: ClassVar[str] = (
        "it keeps submitted labels and compares their hits example by example"
    )
    speaks: ClassVar[bool] = True
    tells_best: ClassVar[bool] = True
    tells_of_others: ClassVar[bool] = False  # one's own answers only climb, whoever else looks
    counted: ClassVar[bool] = True

    def init(self, problem: Problem) -> State:
        """Return the state in which nothing was released."""
        return {"best": None, "n_classes": problem.n_classes}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the new accuracy if the improvement is significant, else the best one."""
        evaluation, n_classes = reading.evaluation, state["n_classes"]
        if state["best"] is not None:
            query = evaluation.query
            best = unpack(state["best"], query.size, n_classes).reshape(query.shape)
            now, then = evaluation.correct, evaluation.hits_of(best)
            gained = int(np.count_nonzero(now & ~then))
            lost = int(np.count_nonzero(then & ~now))
            if not climbs(gained, lost):
                standing = reading.value - Fraction(gained - lost, evaluation.n_examples)
                return reading.telling(standing, new_best=False, own=False), state
        after = {"best": pack(evaluation.query.reshape(-1), n_classes), "n_classes": n_classes}
        return reading.telling(reading.value, new_best=True), after

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for the standing value."""
        return so_far.about(f"best so far of {so_far.whose}")

    @property
    def climb_errors(self) -> float:
        """One: see `climbs`."""
        return 1.0

    def answer_model(self, problem: Problem) -> ExactAnswers:
        """Return that of exact answers, which is right when the value is new."""
        return ExactAnswers()

    def resolution(self, problem: Problem) -> float:
        """Return the standard error of a difference between entirely different submissions."""
        return 1.0 / math.sqrt(problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return the logarithm of the number of non-decreasing sequences of k of n + 1 values."""
        return log_sequences(problem.n_queries, problem.n_examples + 1)

    def counts_nats(self, problem: Problem) -> float:
        """Return no limit: its decisions use more than the match counts."""
        return math.inf
