"""The Ladder with a fixed step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import RoundedAnswers
from holdfast.bounds.binomial import log_sequences
from holdfast.bounds.first_rung import nearest_multiple
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule
from holdfast.rules.checks import as_fraction, check_step
from holdfast.rules.rounding import n_levels
from holdfast.rules.told import Told, Wording

__all__ = ["Ladder"]


@dataclass(frozen=True)
class Ladder(Rule):
    """Release a new value only when it beats the last by more than a step.

    The value released is the accuracy rounded to the nearest multiple of the step; a look that
    does not climb gets the standing value again. Nearly all looks answer the same thing, so
    k looks tell little more than the few that climbed.

    Implements: blum2015 Figure 1 (the Ladder mechanism)

    Departures
    ----------
    Stated for accuracies: loss R = 1 - accuracy, R_0 = infinity becomes "nothing released yet".
    Multiples of the step are counted from accuracy 0, which is the paper's grid where 1/step is
    an integer. The comparison is strict and exact, in fractions; the rounding is to the step.

    Parameters
    ----------
    step
        The paper's eta.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.evaluate import evaluate
    >>> rule, labels = Ladder(step=0.25), np.zeros(8, dtype=np.uint8)
    >>> state, rng = rule.init(Problem(8, 2, 9)), np.random.default_rng(0)
    >>> for matches in (3, 6, 7, 2):
    ...     query = np.array([0] * matches + [1] * (8 - matches), dtype=np.uint8)
    ...     answer, state = rule.release(state, evaluate(query, labels, 2), rng)
    ...     print(answer, dict(state))
    0.5 {'rung': 2}
    0.5 {'rung': 2}
    1.0 {'rung': 4}
    1.0 {'rung': 4}
    """

    step: float

    name: ClassVar[str] = "ladder"
    source: ClassVar[str] = "Blum & Hardt 2015, Figure 1 (the Ladder mechanism)"
    text_forms: ClassVar[tuple[str, ...]] = ("ladder:0.005", "ladder:0.01")
    speaks: ClassVar[bool] = True
    tells_best: ClassVar[bool] = True
    tells_of_others: ClassVar[bool] = False  # one's own answers only climb, whoever else looks
    counted: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_step("step", self.step)

    def init(self, problem: Problem) -> State:
        """Return the state in which nothing was released."""
        return {"rung": None}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the new value if it climbs by more than a step, else the standing one."""
        step, rung = as_fraction(self.step), state["rung"]
        climbed = rung is None or reading.value > (rung + 1) * step
        if climbed:
            rung = nearest_multiple(reading.value, step)
        return reading.telling(rung * step, new_best=climbed, own=climbed), {"rung": rung}

    @property
    def leaves_range(self) -> bool:
        """Whether 1 is rounded up: to 1.2 with a step of 0.4."""
        return nearest_multiple(Fraction(1), as_fraction(self.step)) * as_fraction(self.step) > 1

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for the standing value."""
        best = so_far.about(f"best so far of {so_far.whose}")
        return best.then(f", in steps of {self.step}")

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return a step: half of one for each of the two."""
        return self.step

    @property
    def climb_step(self) -> float:
        """The step."""
        return self.step

    def answer_model(self, problem: Problem) -> RoundedAnswers:
        """Return the rounding to the step, which is right when the value is new."""
        return RoundedAnswers(step=self.step)

    def resolution(self, problem: Problem) -> float:
        """Return the step: a smaller improvement is not shown."""
        return max(self.step, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return the logarithm of the number of climbs that k looks can show."""
        return log_sequences(problem.n_queries, n_levels(as_fraction(self.step)))

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return the same for the multiples of the step between two limits."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return math.inf
        return log_sequences(problem.n_queries, n_levels(as_fraction(self.step), low, high))
