"""The Ladder with noise on its decision and on its release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import NoisyAnswers
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.additive import laplace_difference
from holdfast.rules.base import Reading, Rule
from holdfast.rules.checks import as_fraction, check_scale, check_step
from holdfast.rules.noise import Channel, draw, with_noise
from holdfast.rules.told import Told, Wording

__all__ = ["ShakyLadder"]


@dataclass(frozen=True)
class ShakyLadder(Rule):
    """Release a new noisy value when a noisy comparison says that it climbed by a step.

    Hardt (2017) shows that a randomised Ladder has leaderboard error O(n^-0.4), where the Ladder
    has O(n^-1/3). This rule follows that description: the comparison accuracy > best + step gets
    Laplace noise on both sides, and the released value gets its own. A look that does not climb
    gets the standing value again.

    Departures
    ----------
    Written from the paper's abstract and its published description, not from its pseudo-code:
    the noise distribution, the split into three independent draws and the absence of rounding
    are readings of it. So the paper's theorem is NOT claimed for this class. What is guaranteed
    is the information inequality, which holds for the rule as it is written here.

    Parameters
    ----------
    step
        How much a look has to climb.
    scale
        The parameter b of each of the three Laplace draws, in units of accuracy.

    Examples
    --------
    >>> str(ShakyLadder(step=0.01, scale=0.002))
    'shaky:step=0.01,scale=0.002'
    """

    step: float
    scale: float

    name: ClassVar[str] = "shaky"
    source: ClassVar[str] = "Hardt 2017, a reading of the Shaky Ladder (see Departures)"
    text_forms: ClassVar[tuple[str, ...]] = ("shaky:step=0.005,scale=0.001",)
    unbounded: ClassVar[bool] = True
    speaks: ClassVar[bool] = True
    tells_best: ClassVar[bool] = True
    adds_noise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_step("step", self.step)
        check_scale("scale", self.scale)

    def init(self, problem: Problem) -> State:
        """Return the state in which nothing was released."""
        return {"best": None}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return a new noisy value if the noisy comparison climbs, else the standing one."""
        best = state["best"]
        mine, theirs = (draw("laplace", self.scale, rng) for _ in range(2))
        shown = with_noise(reading.value, "laplace", self.scale, rng)
        climbed = best is None or (
            reading.value + mine > Fraction(best) + as_fraction(self.step) + theirs
        )
        if climbed:
            best = float(shown)
        return reading.telling(Fraction(best), new_best=climbed, own=climbed), {"best": best}

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for the standing value."""
        best = so_far.about(f"best so far of {so_far.whose}")
        return best.then(f", with Laplace noise of parameter {self.scale}")

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return the quantile of the difference of two draws."""
        return laplace_difference(self.scale, chance)

    @property
    def climb_step(self) -> float:
        """The step."""
        return self.step

    def answer_model(self, problem: Problem) -> NoisyAnswers:
        """Return the noise of the value, which is right when it is new."""
        return NoisyAnswers(scale=math.sqrt(2.0) * self.scale)

    def resolution(self, problem: Problem) -> float:
        """Return the step plus the standard deviation of a released value."""
        return max(self.step + math.sqrt(2.0) * self.scale, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times one bit, climbed or not, and what one noisy value can tell."""
        return problem.n_queries * (math.log(2.0) + Channel.of("laplace", self.scale).most)

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return the same for values between two limits."""
        noisy = Channel.of("laplace", self.scale).most_between(low, high)
        return problem.n_queries * (math.log(2.0) + noisy)
