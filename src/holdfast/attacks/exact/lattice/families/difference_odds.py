"""Odds of label differences: sums of positions that count 1, -1 or 0."""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np

from holdfast.attacks.exact.lattice.digit_blocks import signed_vectors
from holdfast.attacks.exact.lattice.offer import entropy

__all__ = ["again_odds", "neither_label", "signed_bits", "sum_odds"]


@cache
def sum_odds(g: int, c: int) -> tuple[float, ...]:
    """Return the probabilities of the sums -g .. g of g positions with c candidates each.

    A lazy random walk of g steps: 1 and -1 with probability 1/c each, for the first and the second
    label, else 0.

    >>> [round(9 * p) for p in sum_odds(2, 3)]
    [1, 2, 3, 2, 1]
    """
    out = np.ones(1)
    for _ in range(g):
        out = np.convolve(out, [1 / c, 1 - 2 / c, 1 / c])
    return tuple(out.tolist())


@cache
def again_odds(a: int, b: int, ties: int) -> tuple[int, ...]:
    """Weigh the sums -2 .. 2 of two tied positions with a and b free candidates.

    All pairs of free candidates are equally likely, and so are the two ways in which the labels of
    each tie can cancel, which count 0 now.

    With eight free candidates each, two of which are shown: one pair of labels sums to 2, one to
    -2; 12 to 1 (the first label of one, any of six others of the other), 12 to -1. All others, and
    the two of the tie, sum to 0.

    >>> again_odds(8, 8, 1)
    (1, 12, 40, 12, 1)
    >>> sum(again_odds(8, 8, 1)) == 8 * 8 + 2
    True
    """
    one = (a - 2) + (b - 2)
    return (1, one, (a - 2) * (b - 2) + 2 + 2 * ties, one, 1)


@cache
def signed_bits(g: int, surplus: int, c: int) -> float:
    """Return the bits that telling all signs is worth, when their sum is known.

    Each position has sign 1 or -1 with probability 1/c, else 0; the vectors with another sum than
    the known one are ruled out.

    >>> round(2 ** signed_bits(3, 0, 3), 6)       # seven vectors, equally likely with c = 3
    7.0
    """
    chance = {-1: 1 / c, 0: 1 - 2 / c, 1: 1 / c}
    return entropy([float(np.prod([chance[e] for e in v])) for v in signed_vectors(g, surplus)])


@cache
def neither_label(g: int, surplus: int, c: int) -> float:
    """Return how many of g positions with that sum have neither label, on average.

    A position with sign 0 has one of c - 2 other labels, so a vector with z zeros stands for
    (c - 2)^z vectors of labels. Two positions that sum to 0, of four candidates each: (0, 0) stands
    for 4, (1, -1) and (-1, 1) for 1 each, and 2 * 4/6 zeros are expected.

    >>> round(neither_label(2, 0, 4), 3)
    1.333
    """
    weights = {
        v: prod(1.0 if e else c - 2.0 for e in v) for v in signed_vectors(g, surplus)
    }  # fmt: skip
    return sum(w * v.count(0) for v, w in weights.items()) / sum(weights.values())
