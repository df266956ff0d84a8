"""Base class of the attacks with random columns: queries, and one vote per example."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import LabelAttack
from holdfast.attacks.paper.rules import ColumnRule, LiveColumns
from holdfast.kernels.fixed_queries import LiveRows
from holdfast.kernels.keyed import hash_keys, subkey, wrap
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["ColumnAttack", "LiveColumnAttack"]

# Labels of queries made ahead, at most: a few megabytes.
MOST_LABELS_AHEAD = 1 << 22
# Labels of all queries together, at most, to be worth making twice: to be counted, and to vote.
MOST_AT_ONCE = 1 << 16


def rows_ahead(n_live: int) -> int:
    """Return how many queries to make at once: up to 64, fewer where one row is work enough."""
    return max(1, min(64, MOST_LABELS_AHEAD // n_live))


class ColumnAttack(ColumnRule[Labels], LabelAttack):
    """Ask random columns on the first `n_live` examples and a constant on the rest."""

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True, n_live: int
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, n_live=n_live)
        live = np.arange(n_live, dtype=np.uint64)
        column_keys = hash_keys(live, subkey(self._seed, "column"))
        design = self._design(self._problem.n_queries, self._problem.n_classes)
        self._columns = design.on(column_keys, self._shifts_of(live))
        # A few queries are made at once, so that more than one core has work.
        self._ahead = np.empty((rows_ahead(n_live), n_live), dtype=self._dtype)
        self._first_ahead = -self._ahead.shape[0]

    @cached_property
    def _default(self) -> Labels:
        """The label of the examples that are not asked about, permuted as all labels are."""
        return self._shifted(0)

    @property
    def n_live(self) -> int:
        """Number of examples that the attack tries to decide: the paper's t."""
        return self._n_live

    def _query(self, index: int) -> Labels | None:
        ahead = index - self._first_ahead
        if not 0 <= ahead < self._ahead.shape[0]:
            self._first_ahead, ahead = index, 0
            left = self._problem.n_queries - index
            self._columns.write_rows(index, self._ahead[:left])
        if self._n_live == self._problem.n_examples:
            whole: Labels = self._ahead[ahead].copy()
            return whole
        row = self._default.copy()
        row[: self._n_live] = self._ahead[ahead]
        return row

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

    by_stretches = True

    def fixed_queries(self, most: int = MOST_AT_ONCE) -> LiveRows | None:
        """Return all queries, where their live columns are few: the rest is the same in all."""
        k = self._problem.n_queries
        as_here = type(self)._query is ColumnAttack._query
        if not as_here or self._waiting or self._answered or k * self._n_live > most:
            return None
        live = np.empty((k, self._n_live), dtype=self._dtype)
        self._columns.write_rows(0, live)
        return LiveRows(live, lambda start, stop: self._shifted_on(start, stop, 0)[0])

    def predict_on(self, start: int, stop: int) -> Labels:
        """Return the guess on the examples start .. stop - 1, without making the rest."""
        (guess,) = self._shifted_on(start, stop, 0)
        if start < self._n_live:
            live = np.arange(self._n_live, dtype=np.uint64)
            voted = wrap(self._shifts_of(live) + self._votes(), self._problem.n_classes)
            guess[: self._n_live - start] = voted[start:stop]
        return guess
