"""Base class of the attacks with random columns: queries, and one vote per example."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import LabelAttack
from holdfast.attacks.paper._rules import ColumnRule, LiveColumns
from holdfast.bounds.column_vote import predicted_accuracy
from holdfast.forecasts import Estimate, Setting
from holdfast.kernels.keyed import hash_keys, subkey
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["ColumnAttack", "LiveColumnAttack"]

# Labels of queries made ahead, at most: a few megabytes.
MOST_LABELS_AHEAD = 1 << 22


def rows_ahead(n_live: int) -> int:
    """Return how many queries to make at once: up to 64, fewer where one row is work enough."""
    return max(1, min(64, MOST_LABELS_AHEAD // n_live))


class ColumnAttack(ColumnRule[Labels], LabelAttack):
    """Ask random columns on the first `n_live` examples and a constant on the rest."""

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True, n_live: int
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, n_live=n_live)
        column_keys = hash_keys(self._keys[:n_live], subkey(self._seed, "column"))
        design = self._design(self._problem.n_queries, self._problem.n_classes)
        self._columns = design.on(column_keys, self._shifts[:n_live])
        # The default label of the examples that are not asked about, permuted as all labels are.
        self._default = self._shifted(0)
        # A few queries are made at once, so that more than one core has work.
        self._ahead = np.empty((rows_ahead(n_live), n_live), dtype=self._dtype)
        self._first_ahead = -self._ahead.shape[0]

    @property
    def n_live(self) -> int:
        """Number of examples that the attack tries to decide: the paper's t."""
        return self._n_live

    def _query(self, index: int) -> Labels | None:
        ahead = index - self._first_ahead
        if not 0 <= ahead < self._ahead.shape[0]:
            self._before_new_rows()
            self._first_ahead, ahead = index, 0
            left = self._problem.n_queries - index
            self._columns.write_rows(index, self._ahead[:left])
        if self._n_live == self._problem.n_examples:
            whole: Labels = self._ahead[ahead].copy()
            return whole
        row = self._default.copy()
        row[: self._n_live] = self._ahead[ahead]
        return row

    def _before_new_rows(self) -> None:
        """Use the queries that are at hand once more before others take their place."""

    def _guess(self) -> Labels:
        votes = np.zeros(self._problem.n_examples, dtype=np.uint32)
        votes[: self._n_live] = self._votes()
        return self._shifted(votes)

    def _votes(self) -> NDArray[np.uint32]:
        """Return the label that each live example takes, before the shift."""
        weights = self._weights(self._counts[: self._answered])
        return self._columns.vote(weights, average=self._average)


class LiveColumnAttack(LiveColumns[Labels], ColumnAttack):
    """A column attack that decides the paper's t examples, as many as k queries can prove."""

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain."""
        problem = setting.problem
        gain = problem.n_examples * (predicted_accuracy(problem) - problem.baseline)
        reason = "k/(9 log m) examples, almost surely: normal integral"
        return setting.from_scratch(gain, problem.n_queries, reason)
