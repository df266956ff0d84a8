"""Accuracy plus Gaussian noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.mechanisms.base import Reading, Rule
from holdfast.mechanisms.checks import check_positive
from holdfast.mechanisms.information import gaussian_nats
from holdfast.mechanisms.noise import check_sampler, draw
from holdfast.mechanisms.tilting import noisy_nats
from holdfast.problem import Problem
from holdfast.protocols import State

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian(Rule):
    """Release the accuracy plus independent Gaussian noise.

    The answer may lie outside [0, 1]: clipping it would bias it and protect nothing more.

    Parameters
    ----------
    scale
        Standard deviation of the noise, in units of accuracy.
    sampler
        "numpy", repeatable from the seed, or "opendp": exact discrete noise of whole matches.

    Examples
    --------
    >>> str(Gaussian(0.005)), round(Gaussian(0.005).bits_per_look(Problem(10_000, 10, 300)), 2)
    ('gaussian:0.005', 4.25)
    """

    scale: float
    sampler: str = "numpy"

    name: ClassVar[str] = "gaussian"
    source: ClassVar[str] = "Bassily et al. 2016; Rogers et al. 2020 (Gaussian answers)"
    unbounded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        check_sampler(self.sampler)

    def pass_on(
        self, state: State, reading: Reading, rng: np.random.Generator
    ) -> tuple[Reading, State]:
        """Return the value plus one fresh draw of noise."""
        n = reading.evaluation.n_examples
        noise = draw("gaussian", self.scale, n, rng, self.sampler)
        return reading.with_value(reading.value + noise), state

    def resolution(self, problem: Problem) -> float:
        """Return the standard deviation of an answer, or one match if that is coarser."""
        return max(self.scale, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times what one noisy answer can tell; none if the noise is on a grid."""
        # The entropy argument is for continuous noise.
        return (
            problem.n_queries * gaussian_nats(self.scale) if self.sampler == "numpy" else math.inf
        )

    def blurred_nats(self, problem: Problem) -> float:
        """Return what noisy counts can tell, given what was told before."""
        if self.sampler != "numpy":
            return math.inf
        entropy = 0.5 * math.log(2.0 * math.pi * math.e * self.scale**2)
        return noisy_nats(problem, self.scale**2, entropy)
