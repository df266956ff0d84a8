"""Accuracy plus Gaussian noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from holdfast.mechanisms.additive import Additive
from holdfast.mechanisms.noise import Shape
from holdfast.mechanisms.quantiles import gaussian_difference
from holdfast.mechanisms.told import Told, Wording

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian(Additive):
    """Release the accuracy plus independent Gaussian noise.

    Parameters
    ----------
    scale
        Standard deviation of the noise, in units of accuracy.
    sampler
        "grid", repeatable from the seed, or "opendp": the same law from the system's randomness.

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

    def wording(self, so_far: Wording, told: Told) -> Wording:  # noqa: ARG002 - the same for all
        """Return the phrase with the noise."""
        return so_far.then(f" plus Gaussian noise of standard deviation {self.scale}")

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        return gaussian_difference(self.scale, chance)
