"""Challenges of one block at a time, answered together where scores are exact.

Each query is the best one so far with another label in one block, so that every answer follows from
how often each label is right in each block: one pass over the examples instead of one for each
look. The attack gives its shifts, and is told answers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["Challenges", "worth_counting"]

Counts = NDArray[np.int64]

# Labels of all classes on all examples, and examples for each look, beyond which a pass over the
# examples costs more than what it saves of every look.
MOST_LABELS, EXAMPLES_PER_LOOK = 1 << 20, 500


def worth_counting(problem: Problem) -> bool:
    """Tell whether a game is small enough for one pass that counts all labels of all blocks."""
    n, m, k = problem
    return n * m <= MOST_LABELS and n <= EXAMPLES_PER_LOOK * k


@lru_cache(maxsize=4)
def _first_places(n_examples: int, n_blocks: int, n_classes: int) -> Counts:
    """Return where each example's block begins in a table of blocks and labels."""
    edges = n_examples * np.arange(n_blocks + 1) // n_blocks
    return np.repeat(np.arange(n_blocks) * n_classes, np.diff(edges))


@dataclass(frozen=True)
class Challenges:
    """All queries of a play that challenges one block after the other.

    Parameters
    ----------
    n_queries
        How many there are.
    n_blocks, n_classes
        Of the attack.
    shifts
        Each example's shift: what its label 0 is sent as.
    answered
        Returns the matches of every query, of how often each label is right in each block.

    Examples
    --------
    >>> totals = lambda counts: counts.sum(axis=0)
    >>> shifts = np.array([0, 1, 1], dtype=np.uint32)
    >>> Challenges(2, 1, 2, shifts, totals).matches(np.array([0, 1, 0])).tolist()
    [2, 1]
    """

    n_queries: int
    n_blocks: int
    n_classes: int
    shifts: NDArray[np.uint32]
    answered: Callable[[Counts], Counts]

    def matches(self, labels: Labels, first: int = 0) -> Counts:
        """Return the matches of every query; of whole labels, since answers choose queries."""
        assert first == 0
        assert labels.size == self.shifts.size
        m = self.n_classes
        own = labels.astype(np.uint32) + np.uint32(m)
        own -= self.shifts
        np.minimum(own, own - np.uint32(m), out=own)
        places = own + _first_places(labels.size, self.n_blocks, m)
        counts = np.bincount(places, minlength=self.n_blocks * m)
        return self.answered(counts.reshape(self.n_blocks, m))
