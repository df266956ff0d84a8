"""Laws of the sums that hit pools read: a test's, and a split's."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST_SUM", "block_odds", "split_odds"]

Floats = NDArray[np.float64]

# Sums from -LARGEST_SUM to LARGEST_SUM are told apart, and those beyond count as the last.
LARGEST_SUM = 8
# Hits of either label that are looked at beyond the ones there must be.
MORE_HITS = 3
# What no law allows is this likely: answers may still say so.
IMPOSSIBLE = math.log(1e-12)


def block_odds(size: int, n_classes: int) -> Floats:
    """Return the log-probabilities of a test's sum s, at place LARGEST_SUM + s.

    The hits of two labels among so many examples are nearly independent Poisson numbers of mean
    size/m, and the sum is their difference: Skellam's law.

    A block with half as many examples as there are classes: in 53 of 100 tests the sum is not 0,
    in 12 it lies outside the window -1 .. 1 of a digit of radix 3, in 2 outside that of radix 5.

    >>> odds = np.exp(block_odds(50, 100))
    >>> outside = [1.0 - odds[LARGEST_SUM - s : LARGEST_SUM + s + 1].sum() for s in (0, 1, 2)]
    >>> [round(float(chance), 2) for chance in outside]
    [0.53, 0.12, 0.02]
    """
    return _block_odds(round(size / n_classes, 3))


@lru_cache(maxsize=4096)
def _block_odds(mean: float) -> Floats:
    hits = np.arange(4 * LARGEST_SUM)
    if mean == 0.0:
        law = (hits == 0).astype(float)
    else:
        factorials = np.array([math.lgamma(each + 1) for each in hits])
        law = np.exp(hits * math.log(mean) - mean - factorials)
    difference = np.convolve(law, law[::-1])
    middle = hits.size - 1
    return _logarithms(difference[middle - LARGEST_SUM : middle + LARGEST_SUM + 1])


def split_odds(size: int, hits: int, n_classes: int, *, parts: int) -> Floats:
    """Return the log-probabilities of a split's sum, as `block_odds` does of a test's.

    The group's sum was `hits`: it has hits + j of its label and j of the partner, with weight
    lam^(hits + 2j) / ((hits + j)! j!), lam = size/m, each in any of the parts. What is in the first
    part counts +1, in the second of three -1, in the last nothing; the partner's the other way.

    A small group with one hit, in three parts: the sums -1, 0 and 1 are nearly equally likely.

    >>> odds = np.exp(split_odds(5, 1, 100, parts=3))
    >>> odds[LARGEST_SUM - 1 : LARGEST_SUM + 2].round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    return _split_odds(round(size / n_classes, 2), hits, parts)


@lru_cache(maxsize=4096)
def _split_odds(mean: float, hits: int, parts: int) -> Floats:
    step = np.zeros(3)
    step[2] = step[1] = 1.0 / parts
    if parts == 3:
        step[0] = 1.0 / parts
    most = hits + 2 * MORE_HITS
    total, centre = np.zeros(2 * most + 1), most
    for more in range(MORE_HITS + 1):
        law = np.ones(1)
        for _ in range(hits + more):
            law = np.convolve(law, step)
        for _ in range(more):
            law = np.convolve(law, step[::-1])
        reach = law.size // 2
        weight = mean ** (2 * more) / (math.factorial(hits + more) * math.factorial(more))
        total[centre - reach : centre + reach + 1] += weight * law
    odds = np.zeros(2 * LARGEST_SUM + 1)
    kept = min(LARGEST_SUM, most)
    odds[LARGEST_SUM - kept : LARGEST_SUM + kept + 1] = total[centre - kept : centre + kept + 1]
    return _logarithms(odds / total.sum())


def _logarithms(law: Floats) -> Floats:
    logs = np.log(np.maximum(law, math.exp(IMPOSSIBLE)))
    logs.flags.writeable = False
    return logs
