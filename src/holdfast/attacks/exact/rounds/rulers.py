r"""B_h sets (Golomb rulers for h = 2): weights whose sums of h differ.

A group is split into parts, and part i shows its label in w_i rows. If h positions of the group are
hit, its value is the sum of h weights, one for each hit. All sums of h weights, repetitions
allowed, must differ for the value to tell how many hits each part has: such weights are a *B_h
set*. Smaller weights are better: they need fewer rows and leave fewer values unused.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["centred", "part_weights", "widest_weights"]

SPLIT_PARTS_AT_MOST = 4
"""Parts into which a set with two hits or more is split below a test."""

Weights = tuple[int, ...]

B_SETS: dict[int, tuple[Weights, ...]] = {
    2: ((0, 1), (0, 1, 3), (0, 1, 4, 6), (0, 1, 4, 9, 11), (0, 1, 4, 10, 12, 17)),
    3: ((0, 1), (0, 1, 4)),
}
"""By number of hits: the shortest B_h sets with 2, 3, .. weights, as far as they are used."""


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
        if len(weights) <= min(size, SPLIT_PARTS_AT_MOST) and hits * weights[-1] < capacity:
            return weights
    return (0, 1) if hits < capacity else ()
