"""Choosing examples: the same for everyone who knows the seed, in every process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, NoisyAnswers, SubsetAnswers
from holdfast.hashing import hash_keys, subkey
from holdfast.problem import Problem
from holdfast.protocols import Evaluation
from holdfast.rules.base import Reading, Rule, WorksOn

__all__ = ["Selecting", "narrowed", "public_seed", "shuffled"]


@lru_cache(maxsize=16)
def shuffled(n_examples: int, seed: int, purpose: str) -> NDArray[np.int64]:
    """Return the examples in an order given by a keyed hash of their indices.

    >>> sorted(shuffled(4, 7, "subsample").tolist())
    [0, 1, 2, 3]
    """
    keys = np.arange(n_examples, dtype=np.uint64)
    order = np.argsort(hash_keys(keys, subkey(seed, purpose)), kind="stable")
    order.setflags(write=False)
    return order


def subset_size(fraction: float, n_examples: int) -> int:
    """Return how many examples a fraction is: the nearest number, half to even, at least one."""
    return max(1, round(fraction * n_examples))


def subset_error(size: int, n_examples: int) -> float:
    """Return the largest standard error of the accuracy on `size` of `n_examples` examples."""
    if size >= n_examples:
        return 1.0 / n_examples
    spread = (n_examples - size) / (n_examples - 1)
    return max(float(np.sqrt(0.25 / size * spread)), 1.0 / size)


def as_noise(fraction: float, problem: Problem, accuracy: float | None = None) -> NoisyAnswers:
    """Return noise as large as the sampling error of a part that differs from look to look.

    It depends on the share of matches: `accuracy`, that of a model, or 1/m.

    >>> problem = Problem(101, 5, 9)
    >>> round(as_noise(0.25, problem).scale, 4), round(as_noise(0.25, problem, 0.5).scale, 4)
    (0.0697, 0.0872)
    """
    variance = SubsetAnswers(fraction=fraction).variance(problem)
    if accuracy is not None:
        usual = 1.0 / problem.n_classes
        variance *= accuracy * (1.0 - accuracy) / (usual * (1.0 - usual))
    return NoisyAnswers(scale=math.sqrt(variance) / problem.n_examples)


def narrowed(reading: Reading, chosen: NDArray[Any]) -> Reading:
    """Return the reading of the chosen examples alone."""
    whole = reading.evaluation
    query, labels = whole.query[chosen], whole.labels[chosen]
    scored = Evaluation(int(np.count_nonzero(query == labels)), query, labels)
    return Reading(Reading.of(scored).value, scored, reading.told)


@dataclass(frozen=True)
class Selecting(Rule):
    """Score some of the examples: the base of rules that choose them."""

    selects: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it scores some of the examples"

    @property
    def share(self) -> float:
        """Which share of the examples a look is scored on."""
        raise NotImplementedError

    def scored(self, problem: Problem) -> Problem:
        """Return the problem of the examples that one look is scored on."""
        n, m, k = problem
        return Problem(subset_size(self.share, n), m, k)

    def answer_model(self, problem: Problem) -> AnswerModel:
        """Return noise as large as the sampling error of a part."""
        return as_noise(self.share, problem)

    def informed_model(self, problem: Problem, accuracy: float) -> AnswerModel:
        """Return the sampling error at this share of matches."""
        return as_noise(self.share, problem, accuracy)

    def resolution(self, problem: Problem) -> float:
        """Return the standard error of a part's accuracy about that of all examples."""
        return subset_error(self.scored(problem).n_examples, problem.n_examples)


def public_seed(rule: Rule, seed: int) -> tuple[str, ...]:
    """Return a warning if everybody knows which examples a rule chooses."""
    if seed:
        return ()
    return (
        f"{rule} chooses its examples with the default seed 0, so that everybody knows which they "
        "are: give it a seed of your own (seed=NUMBER) and keep the policy to yourself.",
    )
