"""Posterior of a label in a pool whose surplus is known."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

__all__ = ["label_odds"]

# Terms on each side of the largest that are summed in a large pool: in standard deviations, and at
# least. The weights are log-concave, so what is left out is less than rounding.
DEVIATIONS, LEAST_TERMS = 12.0, 1000


@lru_cache(maxsize=4096)
def label_odds(size: int, surplus: int, n_classes: float) -> tuple[float, float, float]:
    """Return the probabilities that an example has label 0, label 1, and each of the others.

    It is one of `size` with uniform labels of which `surplus` more are 1 than 0. There are j 0s
    with weight g! / (j! (j+s)! (g-2j-s)!) (m-2)^(g-2j-s), which is summed in logarithms: exact for
    a surplus that is as unlikely as can be. Labels 0 and 1 of probability p each among others are
    those of 1/p classes, whole or not.

    >>> [round(each, 6) for each in label_odds(2, 0, 4)]
    [0.166667, 0.166667, 0.333333]
    """
    g, s, m = size, abs(surplus), n_classes
    if m == 2:
        fewer = (g - s) / (2.0 * g)
        more = 1.0 - fewer
        third = 0.0
    else:
        j = _terms(g, s, m)
        others = g - s - 2 * j
        logs = others * math.log(m - 2) - gammaln(j + 1) - gammaln(j + s + 1) - gammaln(others + 1)
        weights = np.exp(logs - logs.max())
        fewer = float(weights @ j / weights.sum()) / g
        more = fewer + s / g
        third = (1.0 - fewer - more) / (m - 2)
    return (fewer, more, third) if surplus >= 0 else (more, fewer, third)


def _terms(size: int, surplus: int, n_classes: float) -> NDArray[np.int64]:
    """Return the numbers of 0s whose weights count: all of them, or those near the largest."""
    most = (size - surplus) // 2
    # Weights j and j + 1 are equal where (g-s-2j)^2 = (m-2)^2 j (j+s).
    rest, a = size - surplus, (n_classes - 2) ** 2
    b = 4.0 * rest + a * surplus
    top = 2.0 * rest**2 / (b + math.sqrt(b * b - 4.0 * (4.0 - a) * rest**2)) if rest else 0.0
    # The second difference of the logarithms is at least 1/j in size.
    side = math.ceil(DEVIATIONS * math.sqrt(top)) + LEAST_TERMS
    return np.arange(max(0, int(top) - side), min(most, int(top) + side) + 1)
