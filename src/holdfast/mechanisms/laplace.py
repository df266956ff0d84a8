"""Accuracy plus Laplace noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from holdfast.mechanisms.additive import Additive
from holdfast.mechanisms.noise import Shape
from holdfast.mechanisms.quantiles import laplace_difference
from holdfast.mechanisms.told import Told, Wording

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace(Additive):
    """Release the accuracy plus independent Laplace noise.

    Parameters
    ----------
    scale
        The parameter b of the noise, in units of accuracy; its standard deviation is b sqrt(2).
    sampler
        "grid", repeatable from the seed, or "opendp": the same law from the system's randomness.

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

    def wording(self, so_far: Wording, told: Told) -> Wording:  # noqa: ARG002 - the same for all
        """Return the phrase with the noise."""
        return so_far.then(f" plus Laplace noise of parameter {self.scale}")

    def difference(self, chance: float) -> float:
        """Return what the difference of two draws exceeds with this chance."""
        return laplace_difference(self.scale, chance)
