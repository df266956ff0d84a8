r"""Möbius transform over the lattice of subsets, the arithmetic of `Detecting` and `Lattice`.

A number is read as the set of its bits, and a *node* is a nonempty such set. The functions here
are compiled, and work on int64 arrays that are indexed by sets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "bit_counts",
    "bits_inside",
    "moebius",
    "node_sizes",
    "odd_bits",
    "subtract_from_subsets",
]


def bit_counts(stop: int) -> NDArray[np.int64]:
    """Return the number of bits of 0 .. stop - 1.

    >>> bit_counts(6)
    array([0, 1, 1, 2, 1, 2])
    """
    counts = np.zeros(stop, np.int64)
    top = 1
    while top < stop:
        counts[top : 2 * top] = counts[: min(top, stop - top)] + 1
        top *= 2
    return counts


def _below(limit: int, bits: int) -> int:
    """Return how many numbers below `limit` have exactly this many bits set."""
    total, left = 0, bits
    for place in range(limit.bit_length() - 1, -1, -1):
        if limit >> place & 1:
            total += math.comb(place, left) if left >= 0 else 0
            left -= 1
    return total


def node_sizes(n_queries: int) -> dict[int, int]:
    """Return how many of the nodes 1 .. K-1 have each number of bits.

    >>> node_sizes(6)
    {1: 3, 2: 2}
    """
    counts = {bits: _below(n_queries, bits) for bits in range(1, n_queries.bit_length() + 1)}
    return {bits: count for bits, count in counts.items() if count}


@njit(cache=True, nogil=True, inline="always")
def odd_bits(x: Any) -> Any:
    """Return 1 if an odd number of the lowest 32 bits is set, else 0."""
    x ^= x >> 16
    x ^= x >> 8
    x ^= x >> 4
    x ^= x >> 2
    x ^= x >> 1
    return x & 1


@njit(cache=True, nogil=True)
def bits_inside(row: Any, size: Any, inside: Any) -> None:
    """Write, for every node, the bits of `row` inside the node, moved together.

    A node is its highest bit and a smaller node, so each entry takes one step. `size` holds the
    number of bits of every node.
    """
    inside[0] = 0
    top = np.int64(1)
    for a in range(1, inside.size):
        if a >= 2 * top:
            top *= 2
        below = a ^ top
        inside[a] = inside[below] | ((np.int64(row & top != 0)) << size[below])


@njit(cache=True, nogil=True)
def moebius(values: Any) -> None:
    """Replace values[c] by the sum over x within c of (-1)^(|c|-|x|) values[x]; any length."""
    bit = 1
    while bit < values.size:
        for x in range(values.size):
            if x & bit:
                values[x] -= values[x ^ bit]
        bit *= 2


@njit(cache=True, nogil=True)
def subtract_from_subsets(sums: Any, node: Any, shown: Any) -> None:
    """Subtract what a node contributes to the alternating sums of all its subsets.

    `shown[y]` is what the node adds to a row of which y are the bits inside the node, moved
    together; it is transformed in place. (x - node) & node is the next subset after x.
    """
    moebius(shown)
    inside = 0
    for y in range(shown.size):
        sums[inside] -= shown[y]
        inside = (inside - node) & node
