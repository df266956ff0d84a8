"""What the attacks with random columns share: the queries, and one vote per example."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import LabelAttack
from holdfast.columns import Columns
from holdfast.errors import InvalidInput
from holdfast.keyed import hash_keys, subkey
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["ColumnAttack", "n_live_for"]


def n_live_for(problem: Problem, queries_per_nat: float) -> int:
    """Return t, the number of examples worth deciding: 1 + k/(c log m), floored, at most n."""
    n, m, k = problem
    if not queries_per_nat > 0:
        raise InvalidInput(f"queries_per_nat must be positive, got {queries_per_nat}.")
    return min(n, 1 + math.floor(k / (queries_per_nat * math.log(m))))


class ColumnAttack(LabelAttack):
    """Ask random columns on the first `n_live` examples and a constant on the rest.

    A subclass says what each answer is worth as a vote (`_weights`), and whether an example
    takes the label with the largest average vote or the largest total (`_average`).
    """

    _average = True

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool,
        columns: Columns,
        n_live: int,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        self._columns = columns
        self._n_live = n_live
        self._column_keys = hash_keys(self._keys[:n_live], subkey(self._seed, "column"))
        # The default label of the examples that are not asked about, permuted as all labels are.
        self._default = self._shifted(0)
        self._counts = np.empty(self._problem.n_queries)

    @property
    def n_live(self) -> int:
        """Number of examples that the attack tries to decide: the paper's t."""
        return self._n_live

    def _query(self, index: int) -> Labels | None:
        row = self._default.copy()
        live = slice(0, self._n_live)
        self._columns.write_row(self._column_keys, index, self._shifts[live], row[live])
        return row

    def _receive(self, count: float) -> None:
        self._counts[self._answered] = count

    def _guess(self) -> Labels:
        weights = self._weights(self._counts[: self._answered])
        votes = np.zeros(self._problem.n_examples, dtype=np.uint32)
        votes[: self._n_live] = self._columns.vote(
            self._column_keys, weights, average=self._average
        )
        return self._shifted(votes)

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return counts
