"""Subsampling: a fixed public split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import SubsetAnswers
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading
from holdfast.rules.checks import check_count, check_step
from holdfast.rules.selection import Selecting, narrowed, public_seed, shuffled
from holdfast.rules.told import Told, Wording

__all__ = ["Subsample"]


@dataclass(frozen=True)
class Subsample(Selecting):
    """Score the same part of the test set at every look: a public/private split.

    Only the public part can be overfit. The private part keeps its worth for the final ranking,
    and the accuracy on all examples moves by `fraction` of what the public part's does.

    Parameters
    ----------
    fraction
        Share of the examples in the public part; the nearest number, half to even, at least one.
    seed
        Key of the hash that picks them. An analyst who knows it gains more per look, but never
        more than the guarantee.

    Examples
    --------
    >>> str(Subsample(0.3)), Subsample(0.3).scored(Problem(1000, 10, 5)).n_examples
    ('subsample:0.3', 300)
    """

    fraction: float
    seed: int = 0

    name: ClassVar[str] = "subsample"
    source: ClassVar[str] = "common practice of boards (public/private split); no paper"
    text_forms: ClassVar[tuple[str, ...]] = ("subsample:0.3",)
    keeps_exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_step("fraction", self.fraction)
        check_count("seed", self.seed, 0)

    @property
    def share(self) -> float:
        """The fraction."""
        return self.fraction

    def cautions(self) -> tuple[str, ...]:
        """Return a warning if the seed is the public default."""
        return public_seed(self, self.seed)

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reading of the public part."""
        n = reading.evaluation.n_examples
        size = self.scored(Problem(n, 2, 1)).n_examples
        chosen = shuffled(n, self.seed, "subsample")[:size]
        return narrowed(reading, chosen), state

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the part."""
        return so_far.then(f" on a fixed {self.fraction} of the examples")

    def answer_model(self, problem: Problem) -> SubsetAnswers:
        """Return exact answers of a part that nobody knows."""
        return SubsetAnswers(fraction=self.fraction)

    def informed_model(self, problem: Problem, accuracy: float) -> SubsetAnswers:
        """Return the same: what it hides is which examples count, not how many are right."""
        return self.answer_model(problem)

    def exposed(self, problem: Problem) -> Problem:
        """Return the problem of the public part: nothing else is ever looked at."""
        return self.scored(problem)

    def counts_nats(self, problem: Problem) -> float:
        """Return the limit for exact counts on the public part."""
        return nats_adaptive_tilted(self.scored(problem))
