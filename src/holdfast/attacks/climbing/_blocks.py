"""Blocks of examples that differ in size by one at most, cut once for all games of one size."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

__all__ = ["blocks_of"]


@lru_cache(maxsize=4)
def blocks_of(n_examples: int, n_blocks: int) -> tuple[slice, ...]:
    """Return where each block lies.

    >>> blocks_of(5, 2)
    (slice(0, 2, None), slice(2, 5, None))
    """
    edges = [n_examples * block // n_blocks for block in range(n_blocks + 1)]
    return tuple(slice(start, stop) for start, stop in pairwise(edges))
