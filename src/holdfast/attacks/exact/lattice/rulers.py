r"""B_h sets (Golomb rulers for h = 2) and weights with distinct subset sums.

A group is split into parts, and part i shows its label in w_i rows. If h positions of the group are
hit, its value is the sum of h weights, one for each hit. All sums of h weights, repetitions
allowed, must differ for the value to tell how many hits each part has: such weights are a *B_h
set*. If the parts are single positions no weight is used twice, and distinct sums of h *different*
weights will do. Smaller weights are better: they need fewer rows and leave fewer values unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import tuning

__all__ = ["centred", "distinct_weights", "part_weights", "subset_weights", "widest_weights"]

Weights = tuple[int, ...]

B_SETS: dict[int, tuple[Weights, ...]] = {
    2: ((0, 1), (0, 1, 3), (0, 1, 4, 6), (0, 1, 4, 9, 11), (0, 1, 4, 10, 12, 17)),
    3: ((0, 1), (0, 1, 4)),
}
"""By number of hits: the shortest B_h sets with 2, 3, .. weights, as far as they are used."""

SIX_POSITIONS: dict[int, Weights] = {
    2: (0, 1, 2, 4, 7, 12), 3: (0, 3, 5, 6, 7, 14), 4: (0, 1, 2, 4, 7, 12),
}  # fmt: skip
"""By number of hits among six positions: what `distinct_weights` finds, which takes it a second."""


def centred(weights: Weights) -> Weights:
    """Move ascending weights so that those of either sign need about as many rows.

    >>> centred((0, 1, 4, 6))
    (-3, -2, 1, 3)
    """
    middle = (weights[0] + weights[-1]) // 2
    return tuple(w - middle for w in weights)


def part_weights(size: int, hits: int, one_hit_parts: Iterable[int]) -> list[Weights]:
    """Return the weights worth trying for the parts of a group with so many hits.

    A group with one hit can be split into any number of parts: `one_hit_parts`.

    >>> part_weights(5, 2, ())
    [(0, 1), (0, 1, 3), (0, 1, 4, 6), (0, 1, 4, 9, 11)]
    >>> part_weights(5, 1, (2, 4, 16))
    [(0, 1), (0, 1, 2, 3), (0, 1, 2, 3, 4)]
    """
    if hits == 1:
        return sorted({tuple(range(min(size, parts))) for parts in one_hit_parts})
    return sorted({(0, 1), *(w for w in B_SETS.get(hits, ()) if len(w) <= size)})


def widest_weights(size: int, hits: int, capacity: int) -> Weights:
    """Return weights for as many parts as `capacity` values allow; () if not even two.

    >>> widest_weights(100, 1, 4), widest_weights(100, 2, 8), widest_weights(100, 2, 2)
    ((0, 1, 2, 3), (0, 1, 3), ())
    """
    if hits == 1:
        parts = min(size, capacity)
        return tuple(range(parts)) if parts > 1 else ()
    for weights in reversed(B_SETS.get(hits, ())):
        if len(weights) <= min(size, tuning.SPLIT_PARTS_AT_MOST) and hits * weights[-1] < capacity:
            return weights
    return (0, 1) if hits < capacity else ()


@cache
def subset_weights(size: int, hits: int) -> Weights:
    """Return weights of which all sums of `hits` different ones are different.

    >>> subset_weights(4, 2), subset_weights(6, 3)
    ((0, 1, 2, 4), (0, 3, 5, 6, 7, 14))
    """
    if hits in (1, size - 1):
        return tuple(range(size))
    if size == 6:
        return SIX_POSITIONS[hits]
    chosen = [[int(i in hit) for i in range(size)] for hit in combinations(range(size), hits)]
    return distinct_weights(np.array(chosen))


def distinct_weights(vectors: NDArray[np.int64]) -> Weights:
    """Search the weights whose scalar products with the vectors are distinct, in least range."""
    g = vectors.shape[1]
    best, found = 0, tuple(range(g))
    for top in range(g - 1, 6 * g):
        for middle in combinations(range(1, top), g - 2):
            spread = _distinct_range(vectors, (0, *middle, top))
            if spread and (not best or spread < best):
                best, found = spread, (0, *middle, top)
        if best and top > found[-1] + 3:
            break
    return found


def _distinct_range(vectors: NDArray[np.int64], weights: Sequence[int]) -> int:
    """Return how wide the range of the scalar products is, 0 if two are equal."""
    p = vectors @ np.array(weights)
    return int(p.max() - p.min()) + 1 if np.unique(p).size == p.size else 0
