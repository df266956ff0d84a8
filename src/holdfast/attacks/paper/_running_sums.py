"""Votes counted while the answers come in: the sum of answers per example and label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.kernels.threads import over_slices

__all__ = ["RunningSums"]

# Examples handled at a time, so that their sums stay in the first-level cache.
TILE_BYTES = 1 << 14

# Votes a thread counts at least.
LEAST_VOTES = 1 << 16

# With more classes, or more bytes of sums, going through all sums for every few queries costs more
# than to make the queries again, one example at a time.
MOST_CLASSES = 32
MOST_BYTES = 1 << 26


@njit(cache=True, nogil=True)
def _count(rows: Any, weights: Any, sums: Any, start: Any, stop: Any, tile: Any) -> None:
    for first in range(start, stop, tile):
        last = min(first + tile, stop)
        for i in range(rows.shape[0]):
            weight = weights[i]
            for j in range(first, last):
                sums[j, rows[i, j]] += weight


class RunningSums:
    """For each example and label, the sum of the answers to the queries that gave it that label.

    Adding up as the answers come in needs each query once, while it is at hand; to add up at the
    end means to make all of them again.
    """

    def __init__(self, n_examples: int, n_classes: int) -> None:
        self._sums = np.zeros((n_examples, n_classes))
        self._tile = max(1, TILE_BYTES // self._sums.itemsize // n_classes)
        self._counted = 0

    @staticmethod
    def is_worth_it(n_examples: int, n_classes: int) -> bool:
        """Tell whether the sums are small enough to be worth keeping."""
        return n_classes <= MOST_CLASSES and 8 * n_examples * n_classes <= MOST_BYTES

    @property
    def counted(self) -> int:
        """How many queries were counted so far."""
        return self._counted

    @property
    def sums(self) -> NDArray[np.float64]:
        """The sums so far, (n_examples, n_classes)."""
        return self._sums

    def add(self, rows: NDArray[Any], answers: NDArray[np.float64]) -> None:
        """Count queries, one label per example in each row, with their answers."""
        least = max(1, LEAST_VOTES // max(1, len(rows)))
        over_slices(
            lambda s: _count(rows, answers, self._sums, s.start, s.stop, self._tile),
            rows.shape[1],
            least=least,
        )
        self._counted += len(rows)
