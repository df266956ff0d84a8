"""Match counts: the one quantity that an oracle computes, in one pass over memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from holdfast.errors import InvalidQuery
from holdfast.labels import Labels, as_labels
from holdfast.protocols import Evaluation

__all__ = ["evaluate"]

# Compiled code takes over where its one pass saves more than its call costs.
LEAST_COMPILED = 1 << 12


# Matches counted at a time: few enough that their number fits in a byte.
MATCHES_PER_BYTE = 128


@njit(cache=True, nogil=True)
def matches_and_largest(query: Any, labels: Any) -> Any:
    """Count matches and find the largest label together: memory is read once."""
    matches = 0
    largest = query[0]
    for start in range(0, query.size, MATCHES_PER_BYTE):
        # A sum of bytes is vectorised as bytes, eight times as many as 64-bit numbers.
        few = np.uint8(0)
        for j in range(start, min(start + MATCHES_PER_BYTE, query.size)):
            few = np.uint8(few + np.uint8(query[j] == labels[j]))
            largest = max(largest, query[j])
        matches += int(few)
    return matches, largest


def evaluate(query: object, labels: Labels, n_classes: int) -> Evaluation:
    """Score `query` against the hidden `labels`, or raise `InvalidQuery`.

    A query in the labels' own dtype is checked and counted in one pass; any other is first
    brought there by `as_labels`.
    """
    if not (
        isinstance(query, np.ndarray)
        and query.dtype == labels.dtype
        and query.shape == labels.shape
        and query.flags.c_contiguous
    ):
        query = as_labels(
            query, n_classes, name="query", n_examples=labels.size, error=InvalidQuery
        )
    if query.size < LEAST_COMPILED:
        matches, largest = np.count_nonzero(query == labels), query.max()
    else:
        matches, largest = matches_and_largest(query, labels)
    if largest >= n_classes:
        as_labels(query, n_classes, name="query", error=InvalidQuery)  # raises, naming the place
    return Evaluation(int(matches), query, labels)
