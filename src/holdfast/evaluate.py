"""Match counts: the one quantity that an oracle computes.

Compiled code counts in one pass over memory once numba is loaded, which every attack does; a guard
or a board scores by numpy's two passes, and neither loads nor needs the compiler.
"""

from __future__ import annotations

import sys

import numpy as np

from holdfast.errors import InvalidQuery
from holdfast.labels import Labels, as_labels
from holdfast.protocols import Evaluation

__all__ = ["count_matches", "evaluate"]

# Compiled code takes over where its one pass saves more than its call costs.
LEAST_COMPILED = 1 << 10


def evaluate(query: object, labels: Labels, n_classes: int) -> Evaluation:
    """Score `query` against the hidden `labels`, or raise `InvalidQuery`.

    A query in the labels' own dtype is checked and counted in one pass; any other is first
    brought there by `as_labels`.
    """
    return Evaluation(*_counted(query, labels, n_classes), labels)


def count_matches(query: object, labels: Labels, n_classes: int) -> int:
    """Return the matches alone, where nothing else is looked at; raise as `evaluate` does."""
    # Nearly all queries of small games, without a second call: they come by the thousand.
    if (
        type(query) is np.ndarray
        and query.dtype is labels.dtype
        and query.shape == labels.shape
        and query.size >= LEAST_COMPILED
        and query.flags.c_contiguous
    ):
        found = _matches_and_largest(query, labels)
        if found[1] < n_classes:
            return found[0]
    return _counted(query, labels, n_classes)[0]


def _counted(query: object, labels: Labels, n_classes: int) -> tuple[int, Labels]:
    if not (
        isinstance(query, np.ndarray)
        # The same object where labels come from here: one for each dtype of numpy's own.
        and (query.dtype is labels.dtype or query.dtype == labels.dtype)
        and query.shape == labels.shape
        and query.flags.c_contiguous
    ):
        query = as_labels(
            query, n_classes, name="query", n_examples=labels.size, error=InvalidQuery
        )
    matches, largest = _matches_and_largest(query, labels)
    if largest >= n_classes:
        as_labels(query, n_classes, name="query", error=InvalidQuery)  # raises, naming the place
    return matches, query


def _matches_and_largest(query: Labels, labels: Labels) -> tuple[int, int]:
    """Count matches and find the largest label, of arrays of one dtype."""
    if query.size >= LEAST_COMPILED and sys.modules.get("numba") is not None:
        from holdfast.kernels.matches import matches_and_largest

        found: tuple[int, int] = matches_and_largest(query, labels)
        return found
    return int(np.count_nonzero(query == labels)), int(query.max())
