"""Matches and the largest label of a query, in one pass over memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["matches_and_largest"]

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
