"""Additive noise, drawn anew at every look: Gaussian and Laplace release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator
from scipy.special import lambertw, ndtri

from holdfast.answers import NoisyAnswers
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule
from holdfast.rules.checks import check_scale
from holdfast.rules.noise import Channel, Shape, with_noise
from holdfast.rules.tilting import noisy_nats
from holdfast.rules.told import Told, Wording

__all__ = ["Additive", "Gaussian", "Laplace", "gaussian_difference", "laplace_difference"]

# The draws lie on a grid that is finer than their scale by 2^40 (see `noise`): one cell of it for
# each draw, and the floating-point error of the quantile, are far below this share.
ROUNDING_SLACK = 1e-9


def gaussian_difference(scale: float, chance: float) -> float:
    """Return what the difference of two Gaussian draws of this standard deviation exceeds.

    >>> round(gaussian_difference(1.0, 0.05), 3)  # 1.645 sqrt(2)
    2.326
    """
    return max(0.0, -math.sqrt(2.0) * scale * float(ndtri(chance))) * (1.0 + ROUNDING_SLACK)


def laplace_difference(scale: float, chance: float) -> float:
    """Return what the difference of two Laplace draws of this parameter b exceeds.

    It exceeds x b with probability (1 + x/2) exp(-x) / 2; with u = x + 2 this is the chance c
    where u exp(-u) = 4 c exp(-2).

    >>> x = laplace_difference(1.0, 0.01)
    >>> round((1 + x / 2) * math.exp(-x) / 2, 6)
    0.01
    """
    if chance >= 0.5:
        return 0.0
    u = -float(lambertw(-4.0 * chance * math.exp(-2.0), -1).real)
    return scale * (u - 2.0) * (1.0 + ROUNDING_SLACK)


@dataclass(frozen=True)
class Additive(Rule):
    """Release the accuracy plus independent noise of some shape.

    The answer may lie outside [0, 1]: clipping it would bias it and protect nothing more. A
    subclass names its shape and says how spread out it is.

    Parameters
    ----------
    scale
        The parameter of the noise, in units of accuracy.
    """

    scale: float

    shape: ClassVar[Shape]
    unbounded: ClassVar[bool] = True
    adds_noise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_scale("scale", self.scale)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        raise NotImplementedError

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the value plus one fresh draw of noise."""
        value = with_noise(reading.value, self.shape, self.scale, rng)
        return reading.with_value(value), state

    def answer_model(self, problem: Problem) -> NoisyAnswers:
        """Return noise of this spread."""
        return NoisyAnswers(scale=self.deviation)

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        raise NotImplementedError

    def difference_blur(self, problem: Problem, chance: float) -> float:
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


@dataclass(frozen=True)
class Gaussian(Additive):
    """Release the accuracy plus independent Gaussian noise.

    Parameters
    ----------
    scale
        Standard deviation of the noise, in units of accuracy.

    Examples
    --------
    >>> from holdfast import Problem
    >>> str(Gaussian(0.005)), round(Gaussian(0.005).blurred_nats(Problem(10_000, 10, 300)) / 300, 2)
    ('gaussian:0.005', 2.95)
    """

    name: ClassVar[str] = "gaussian"
    source: ClassVar[str] = "Bassily et al. 2016; Rogers et al. 2020 (Gaussian answers)"
    text_forms: ClassVar[tuple[str, ...]] = ("gaussian:0.005", "gaussian:0.02")
    shape: ClassVar[Shape] = "gaussian"

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        return self.scale

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the noise."""
        return so_far.then(f" plus Gaussian noise of standard deviation {self.scale}")

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        return gaussian_difference(self.scale, chance)


@dataclass(frozen=True)
class Laplace(Additive):
    """Release the accuracy plus independent Laplace noise.

    Parameters
    ----------
    scale
        The parameter b of the noise, in units of accuracy; its standard deviation is b sqrt(2).

    Examples
    --------
    >>> str(Laplace(0.005))
    'laplace:0.005'
    """

    name: ClassVar[str] = "laplace"
    source: ClassVar[str] = "Dwork et al. 2006 (the Laplace mechanism)"
    text_forms: ClassVar[tuple[str, ...]] = ("laplace:0.005",)
    shape: ClassVar[Shape] = "laplace"

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        return math.sqrt(2.0) * self.scale

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the noise."""
        return so_far.then(f" plus Laplace noise of parameter {self.scale}")

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        return laplace_difference(self.scale, chance)
