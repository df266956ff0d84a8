"""Additive noise, drawn anew at every look: the base of Gaussian and Laplace release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.answers import NoisyAnswers
from holdfast.mechanisms.base import Reading, Rule
from holdfast.mechanisms.channel import Channel
from holdfast.mechanisms.checks import check_scale
from holdfast.mechanisms.noise import Shape, check_sampler, with_noise
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
        "grid", repeatable from the seed, or "opendp": the same law from the system's randomness.
    """

    scale: float
    sampler: str = "grid"

    shape: ClassVar[Shape]
    unbounded: ClassVar[bool] = True
    adds_noise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_scale("scale", self.scale)
        check_sampler(self.sampler)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        raise NotImplementedError

    def pass_on(
        self, state: State, reading: Reading, rng: np.random.Generator
    ) -> tuple[Reading, State]:
        """Return the value plus one fresh draw of noise."""
        value = with_noise(reading.value, self.shape, self.scale, rng, self.sampler)
        return reading.with_value(value), state

    def answer_model(self, problem: Problem) -> NoisyAnswers:  # noqa: ARG002 - the same for all
        """Return noise of this spread."""
        return NoisyAnswers(scale=self.deviation)

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        raise NotImplementedError

    def difference_blur(self, problem: Problem, chance: float) -> float:  # noqa: ARG002 - as there
        """Return the quantile of the difference of two draws."""
        return self.difference(chance)

    def resolution(self, problem: Problem) -> float:
        """Return the standard deviation of an answer, or one match if that is coarser."""
        return max(self.deviation, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times what one noisy answer can tell."""
        return problem.n_queries * Channel.of(self.shape, self.scale).most

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return the same for values between two limits."""
        return problem.n_queries * Channel.of(self.shape, self.scale).most_between(low, high)

    def blurred_nats(self, problem: Problem) -> float:
        """Return what noisy counts can tell, given what was told before."""
        return noisy_nats(problem, Channel.of(self.shape, self.scale).tells)
