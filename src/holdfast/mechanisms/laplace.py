"""Accuracy plus Laplace noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.mechanisms.base import Reading, Rule
from holdfast.mechanisms.checks import check_positive
from holdfast.mechanisms.information import laplace_nats
from holdfast.mechanisms.noise import check_sampler, draw
from holdfast.mechanisms.tilting import noisy_nats
from holdfast.problem import Problem
from holdfast.protocols import State

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace(Rule):
    """Release the accuracy plus independent Laplace noise.

    The answer may lie outside [0, 1]: clipping it would bias it and protect nothing more.

    Parameters
    ----------
    scale
        The parameter b of the noise, in units of accuracy; its standard deviation is b sqrt(2).
    sampler
        "numpy", repeatable from the seed, or "opendp": exact discrete noise of whole matches.

    Examples
    --------
    >>> str(Laplace(0.005))
    'laplace:0.005'
    """

    scale: float
    sampler: str = "numpy"

    name: ClassVar[str] = "laplace"
    source: ClassVar[str] = "Dwork et al. 2006 (the Laplace mechanism)"
    unbounded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        check_sampler(self.sampler)

    def pass_on(
        self, state: State, reading: Reading, rng: np.random.Generator
    ) -> tuple[Reading, State]:
        """Return the value plus one fresh draw of noise."""
        n = reading.evaluation.n_examples
        noise = draw("laplace", self.scale, n, rng, self.sampler)
        return reading.with_value(reading.value + noise), state

    def resolution(self, problem: Problem) -> float:
        """Return the standard deviation of an answer, or one match if that is coarser."""
        return max(math.sqrt(2.0) * self.scale, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return k times what one noisy answer can tell; none if the noise is on a grid."""
        # The entropy argument is for continuous noise.
        return problem.n_queries * laplace_nats(self.scale) if self.sampler == "numpy" else math.inf

    def blurred_nats(self, problem: Problem) -> float:
        """Return what noisy counts can tell, given what was told before."""
        if self.sampler != "numpy":
            return math.inf
        entropy = 1.0 + math.log(2.0 * self.scale)
        return noisy_nats(problem, 2.0 * self.scale**2, entropy)
