"""Fresh subsampling: a new random part of the test set at every look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading
from holdfast.rules.checks import check_step
from holdfast.rules.selection import Selecting, narrowed
from holdfast.rules.told import Told, Wording

__all__ = ["FreshSubsample"]


@dataclass(frozen=True)
class FreshSubsample(Selecting):
    """Score a fresh random part of the test set at every look.

    The sampling error works like noise that the host did not have to add. Every example is
    exposed sooner or later.

    Parameters
    ----------
    fraction
        Share of the examples in each part; the nearest number, half to even, at least one.

    Examples
    --------
    >>> str(FreshSubsample(0.1))
    'fresh:0.1'
    """

    fraction: float

    name: ClassVar[str] = "fresh"
    source: ClassVar[str] = "Blanc 2023 (subsampling suffices); the plain form, without more noise"
    text_forms: ClassVar[tuple[str, ...]] = ("fresh:0.1",)
    same_examples: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_step("fraction", self.fraction)

    @property
    def share(self) -> float:
        """The fraction."""
        return self.fraction

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reading of examples drawn without replacement."""
        n = reading.evaluation.n_examples
        size = self.scored(Problem(n, 2, 1)).n_examples
        chosen = rng.choice(n, size=size, replace=False, shuffle=False)
        return narrowed(reading, chosen), state

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the part."""
        return so_far.then(f" on {self.fraction} of the examples, drawn anew")

    def own_nats(self, problem: Problem) -> float:
        """Return k times the logarithm of the number of values an answer can have."""
        return problem.n_queries * math.log(self.scored(problem).n_examples + 1)

    def blurred_nats(self, problem: Problem) -> float:
        """Return the limit for counts of a part: a fixed query's answer is one of Bin(s, 1/m)."""
        # With two classes that limit counts on parity, which a new part does not keep.
        part = self.scored(problem)
        return nats_adaptive_tilted(part) if part.n_classes > 2 else math.inf
