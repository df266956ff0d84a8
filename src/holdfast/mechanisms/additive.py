"""Accuracy plus noise: what rules with fresh noise at every look share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.mechanisms.base import Reading, Rule
from holdfast.mechanisms.checks import check_positive
from holdfast.mechanisms.information import noisy_answer_nats
from holdfast.mechanisms.noise import Shape, check_sampler, draw
from holdfast.mechanisms.tilting import noisy_nats
from holdfast.problem import Problem
from holdfast.protocols import State

__all__ = ["Additive"]


@dataclass(frozen=True)
class Additive(Rule):
    """Release the accuracy plus independent noise of some shape.

    The answer may lie outside [0, 1]: clipping it would bias it and protect nothing more. A
    subclass names its shape and says how spread out it is.

    Parameters
    ----------
    scale
        The parameter of the noise, in units of accuracy.
    sampler
        "numpy", repeatable from the seed, or "opendp": exact discrete noise of whole matches.
    """

    scale: float
    sampler: str = "numpy"

    shape: ClassVar[Shape]
    unbounded: ClassVar[bool] = True
    adds_noise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        check_sampler(self.sampler)

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        raise NotImplementedError

    @property
    def entropy(self) -> float:
        """The differential entropy of the noise, in nats."""
        raise NotImplementedError

    def pass_on(
        self, state: State, reading: Reading, rng: np.random.Generator
    ) -> tuple[Reading, State]:
        """Return the value plus one fresh draw of noise."""
        n = reading.evaluation.n_examples
        noise = draw(self.shape, self.scale, n, rng, self.sampler)
        return reading.with_value(reading.value + noise), state

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        raise NotImplementedError

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return the quantile of the difference of two draws."""
        grid = 1.0 / problem.n_examples if self.sampler == "opendp" else 0.0
        return self.difference(chance) + 2.0 * grid

    def resolution(self, problem: Problem) -> float:
        """Return the standard deviation of an answer, or one match if that is coarser."""
        return max(math.sqrt(self.variance), 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times what one noisy answer can tell; none if the noise is on a grid."""
        if self.sampler != "numpy":
            return math.inf  # the entropy argument is for continuous noise
        return problem.n_queries * noisy_answer_nats(self.variance, self.entropy)

    def blurred_nats(self, problem: Problem) -> float:
        """Return what noisy counts can tell, given what was told before."""
        if self.sampler != "numpy":
            return math.inf
        return noisy_nats(problem, self.variance, self.entropy)
