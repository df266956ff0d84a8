"""Rounding to decimals or to a step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import RoundedAnswers
from holdfast.bounds.first_rung import nearest_multiple
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.checks import as_fraction, check_count, check_step
from holdfast.rules.tilting import rounded_nats
from holdfast.rules.told import Told, Wording

__all__ = ["Rounding", "n_levels"]

# A float has no more of them.
MOST_DECIMALS = 15


def n_levels(step: Fraction, low: float = 0.0, high: float = 1.0) -> int:
    """Return how many multiples of the step a value between two limits can be rounded to.

    >>> n_levels(Fraction(1, 100)), n_levels(Fraction(2, 5)), n_levels(Fraction(1, 2), -1.0, 0.0)
    (101, 4, 3)
    """
    return nearest_multiple(Fraction(high), step) - nearest_multiple(Fraction(low), step) + 1


@dataclass(frozen=True)
class Rounding(Rule):
    """Release the accuracy, rounded to the nearest multiple of a step.

    What most boards call protection. It hides nothing while the step is at most 1/n, and a
    design that spreads its signal over many looks averages the rest away.

    Text form: `round:3` for three decimals, `round:0.005` for a step.

    Parameters
    ----------
    decimals
        Digits after the point.
    step
        Distance between two releasable values; give one of the two. Half a step rounds up.

    Examples
    --------
    >>> str(Rounding(decimals=3)), str(Rounding(step=0.005))
    ('round:3', 'round:step=0.005')
    """

    decimals: int | None = None
    step: float | None = None

    name: ClassVar[str] = "round"
    source: ClassVar[str] = "common practice of boards; no paper"
    text_forms: ClassVar[tuple[str, ...]] = ("round:3", "round:2")
    counted: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ANY_METRIC

    def __post_init__(self) -> None:
        if (self.decimals is None) == (self.step is None):
            got = "none" if self.step is None else f"{self.decimals} and {self.step}"
            raise InvalidInput(
                f"round must have either decimals (round:3) or a step (round:0.005), got {got}."
            )
        if self.decimals is not None:
            check_count("decimals", self.decimals, 0, MOST_DECIMALS)
        if self.step is not None:
            check_step("step", self.step)

    @classmethod
    def bare_setting(cls, value: str) -> str:
        """Return which setting a value without a name is of: three decimals, a step of 0.005."""
        return "decimals" if value.isdigit() else "step"

    @property
    def rounds_to(self) -> Fraction:
        """The step as an exact fraction."""
        if self.decimals is not None:
            return Fraction(1, 10**self.decimals)
        assert self.step is not None
        return as_fraction(self.step)

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the nearest multiple of the step."""
        step = self.rounds_to
        return reading.with_value(nearest_multiple(reading.value, step) * step), state

    @property
    def leaves_range(self) -> bool:
        """Whether 1 is rounded up: to 1.2 with a step of 0.4."""
        return nearest_multiple(Fraction(1), self.rounds_to) * self.rounds_to > 1

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the rounding."""
        if self.decimals is not None:
            return so_far.then(f", rounded to {self.decimals} decimals")
        return so_far.then(f", rounded to a step of {self.step}")

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return a step: half of one for each of the two."""
        return float(self.rounds_to)

    def answer_model(self, problem: Problem) -> RoundedAnswers:
        """Return the rounding."""
        return RoundedAnswers(step=float(self.rounds_to))

    def refines(self, other: Rule, problem: Problem) -> bool:
        """Tell whether the other rule rounds to a multiple of the step, or this one rounds nothing.

        A step of at most 1/n keeps the counts. Rounding twice, first to a step and then to a
        multiple of it, is rounding once but for scores within half a step of a border.
        """
        if self.rounds_to * problem.n_examples <= 1:
            return other.tells_counts_alone
        coarser = other.rounds_to if isinstance(other, Rounding) else None
        return self == other or (coarser is not None and coarser % self.rounds_to == 0)

    def resolution(self, problem: Problem) -> float:
        """Return the step, or one match if that is coarser."""
        return max(float(self.rounds_to), 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times the logarithm of the number of releasable values."""
        return problem.n_queries * math.log(n_levels(self.rounds_to))

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return k times the logarithm of the number of multiples between the limits."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return math.inf
        return problem.n_queries * math.log(n_levels(self.rounds_to, low, high))

    def blurred_nats(self, problem: Problem) -> float:
        """Return what rounded counts can tell, given what was told before."""
        return rounded_nats(problem, self.rounds_to)
