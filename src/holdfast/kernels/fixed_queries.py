"""Fixed queries: all looks of a play whose queries depend on no answer, counted together.

Such a play needs one pass over the examples instead of one for each look, and any stretch of the
examples may be counted by itself. An attack gives its rows of labels and is never given any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.labels import Labels

__all__ = ["FixedQueries", "LiveRows", "Staircase"]

Counts = NDArray[np.int64]


class FixedQueries(Protocol):
    """All queries of a play."""

    @property
    def n_queries(self) -> int:
        """How many there are."""
        ...

    def matches(self, labels: Labels, first: int = 0) -> Counts:
        """Return the matches of every query with the labels of the examples from `first` on.

        Those of several stretches add up to those of all examples.
        """
        ...


@njit(cache=True, nogil=True)
def _staircase(before: Any, after: Any, labels: Any, edges: Any, out: Any) -> None:
    """Write the matches of rows that are `before` up to an edge and `after` from there on."""
    surplus, total, start = 0, 0, 0
    for i in range(edges.size):
        here, one, other = labels[start : edges[i]], before[start:], after[start:]
        ones, others = np.uint32(0), np.uint32(0)
        for j in range(here.size):
            ones = np.uint32(ones + np.uint32(one[j] == here[j]))
            others = np.uint32(others + np.uint32(other[j] == here[j]))
        surplus += int(ones) - int(others)
        total += int(others)
        out[i] = surplus
        start = max(start, edges[i])
    for j in range(start, labels.size):
        total += after[j] == labels[j]
    for i in range(edges.size):
        out[i] += total


@dataclass(frozen=True)
class Staircase:
    """Query i shows one row of labels before its edge, and another from there on.

    Parameters
    ----------
    edges
        Of every query, in ascending order.
    rows
        Returns the two rows on the examples start .. stop - 1.

    Examples
    --------
    >>> rows = lambda start, stop: (np.zeros(stop - start, int), np.ones(stop - start, int))
    >>> Staircase(np.array([0, 2, 3]), rows).matches(np.array([0, 1, 0])).tolist()
    [1, 1, 2]
    """

    edges: NDArray[np.int64]
    rows: Callable[[int, int], tuple[Labels, Labels]]

    @property
    def n_queries(self) -> int:
        """How many there are."""
        return self.edges.size

    def matches(self, labels: Labels, first: int = 0) -> Counts:
        """Return the matches of every query, in one pass."""
        before, after = self.rows(first, first + labels.size)
        out = np.empty(self.edges.size, dtype=np.int64)
        _staircase(before, after, labels, np.clip(self.edges - first, 0, labels.size), out)
        return out


@dataclass(frozen=True)
class LiveRows:
    """Query i shows a row of its own on the first examples, and one that all share on the rest.

    Parameters
    ----------
    live
        One row of labels per query.
    shared
        Returns the shared row on the examples start .. stop - 1.

    Examples
    --------
    >>> shared = lambda start, stop: np.ones(stop - start, int)
    >>> LiveRows(np.array([[0, 1], [0, 0]]), shared).matches(np.array([0, 0, 1])).tolist()
    [2, 3]
    """

    live: NDArray[Any]
    shared: Callable[[int, int], Labels]

    @property
    def n_queries(self) -> int:
        """How many there are."""
        return int(self.live.shape[0])

    def matches(self, labels: Labels, first: int = 0) -> Counts:
        """Return the matches of every query; what they share is counted once."""
        n_live = self.live.shape[1]
        own = max(0, min(n_live - first, labels.size))
        rest = labels[own:]
        common = np.count_nonzero(self.shared(first + own, first + labels.size) == rest)
        rows = self.live[:, first : first + own]
        own_matches: Counts = np.count_nonzero(rows == labels[:own], axis=1).astype(np.int64)
        return own_matches + common
