"""Match counts: the one quantity that an oracle computes, in one pass over memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from holdfast.errors import InvalidQuery
from holdfast.labels import Labels, as_labels
from holdfast.protocols import Evaluation

__all__ = ["count_matches", "evaluate"]

# Compiled code takes over where its one pass saves more than its call costs.
LEAST_COMPILED = 1 << 10


# Matches counted at a time: a sum of 32 bits can't overflow, and is vectorised wider than 64.
MATCHES_AT_A_TIME = 1 << 24


@njit(cache=True, nogil=True)
def matches_and_largest(query: Any, labels: Any) -> Any:
    """Count matches and find the largest label together: memory is read once."""
    matches = 0
    largest = query[0]
    for start in range(0, query.size, MATCHES_AT_A_TIME):
        # Slices of their own: an index that starts elsewhere than at 0 is not vectorised.
        here, hidden = query[start : start + MATCHES_AT_A_TIME], labels[start:]
        few = np.uint32(0)
        for j in range(here.size):
            few = np.uint32(few + np.uint32(here[j] == hidden[j]))
            largest = max(largest, here[j])
        matches += int(few)
    return matches, largest


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
        found: tuple[int, int] = matches_and_largest(query, labels)
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
    if query.size < LEAST_COMPILED:
        matches, largest = int(np.count_nonzero(query == labels)), query.max()
    else:
        matches, largest = matches_and_largest(query, labels)
    if largest >= n_classes:
        as_labels(query, n_classes, name="query", error=InvalidQuery)  # raises, naming the place
    return matches, query
