"""Subsampling: a fixed public split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.answers import SubsetAnswers
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.mechanisms.base import Reading, Rule, WorksOn
from holdfast.mechanisms.checks import check_count, check_step
from holdfast.mechanisms.selection import narrowed, public_seed, shuffled, subset_error, subset_size
from holdfast.mechanisms.told import Told, Wording
from holdfast.problem import Problem
from holdfast.protocols import State

__all__ = ["Subsample"]


@dataclass(frozen=True)
class Subsample(Rule):
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
    selects: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it scores some of the examples"
    keeps_exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_step("fraction", self.fraction)
        check_count("seed", self.seed, 0)

    def cautions(self) -> tuple[str, ...]:
        """Return a warning if the seed is the public default."""
        return public_seed(self, self.seed)

    def pass_on(
        self,
        state: State,
        reading: Reading,
        rng: np.random.Generator,  # noqa: ARG002 - the protocol's signature
    ) -> tuple[Reading, State]:
        """Return the reading of the public part."""
        n = reading.evaluation.n_examples
        chosen = shuffled(n, self.seed, "subsample")[: subset_size(self.fraction, n)]
        return narrowed(reading, chosen), state

    def wording(self, so_far: Wording, told: Told) -> Wording:  # noqa: ARG002 - the same for all
        """Return the phrase with the part."""
        return so_far.then(f" on a fixed {self.fraction} of the examples")

    def answer_model(self, problem: Problem) -> SubsetAnswers:  # noqa: ARG002 - the same for all
        """Return exact answers of a part that nobody knows."""
        return SubsetAnswers(fraction=self.fraction)

    def resolution(self, problem: Problem) -> float:
        """Return the standard error of the public part's accuracy about that of all examples."""
        return subset_error(self.scored(problem).n_examples, problem.n_examples)

    def scored(self, problem: Problem) -> Problem:
        """Return the problem of the public part."""
        n, m, k = problem
        return Problem(subset_size(self.fraction, n), m, k)

    def exposed(self, problem: Problem) -> Problem:
        """Return the problem of the public part: nothing else is ever looked at."""
        return self.scored(problem)

    def counts_nats(self, problem: Problem) -> float:
        """Return the limit for exact counts on the public part."""
        return nats_adaptive_tilted(self.scored(problem))
