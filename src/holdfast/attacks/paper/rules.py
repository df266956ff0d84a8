"""Queries and decoders of the paper's attacks, for examples known by index or by features.

A front end adds the examples: `LabelAttack` knows them by their index, `ClassifierAttack` of
`holdfast.attacks.without_features` by a hash of their features.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.bounds.column_vote import QUERIES_PER_NAT, voted_examples
from holdfast.kernels.columns import Columns, UniformColumns
from holdfast.problem import Problem

__all__ = ["AnswerCounts", "ColumnRule", "LiveColumns"]

Query = TypeVar("Query")


class AnswerCounts(TurnBased[Query]):
    """Keep every answer as a match count."""

    family = "paper"

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        self._counts = np.empty(self._problem.n_queries)

    def _receive(self, count: float) -> None:
        self._counts[self._answered] = count

    def _take_all(self, answers: NDArray[np.float64]) -> None:
        counts = answers * self._problem.n_examples
        nearest = np.rint(counts)
        self._counts[: answers.size] = np.where(np.abs(counts - nearest) < 1e-6, nearest, counts)


class ColumnRule(AnswerCounts[Query]):
    """Random columns on `n_live` examples, a constant on the rest, and one vote per example.

    A subclass says how columns are drawn (`_design`), what each answer is worth as a vote
    (`_weights`), and whether an example takes the label with the largest average vote or the
    largest total (`_average`).
    """

    _design: ClassVar[type[Columns]] = UniformColumns
    _average: ClassVar[bool] = True

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True, n_live: int
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        self._n_live = n_live

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return counts


class LiveColumns(ColumnRule[Query]):
    """Random columns on the paper's t examples, as many as k queries can prove."""

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        queries_per_nat: float = QUERIES_PER_NAT,
    ) -> None:
        problem = Problem(*problem)
        n_live = voted_examples(problem, queries_per_nat)
        super().__init__(problem, rng=rng, permuted=permuted, n_live=n_live)
