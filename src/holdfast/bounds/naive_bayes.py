"""Expected bias of Feldman, Frostig and Hardt's attack: the normal limit, not a bound."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from holdfast.bounds.binomial import log_pmf
from holdfast.problem import Problem

__all__ = ["expected_bias"]

# Counts of a label that are told apart, standard deviations that they reach, and points of the
# integral.
COUNTS, REACH, POINTS = 200, 8.0, 1001


def expected_bias(problem: Problem) -> float:
    r"""Return the normal limit of the bias of `NaiveBayes`.

    A label shown c times to an example collects c independent weights, in total nearly normal with
    variance c, and c times delta = m / sqrt(n (m-1)) more if it is the true one. The true label
    wins with probability \int F(x)^(m-1) dG(x), where F and G are the distributions of the total
    of a wrong and of the true label. Counts c are taken as independent Bin(k, 1/m); with two
    classes they add up to k, which leaves a single comparison of delta k / 2 with sqrt(k).

    Examples
    --------
    >>> round(expected_bias(Problem(4000, 2, 400)), 3)
    0.124
    >>> round(expected_bias(Problem(20_000, 25, 101)), 5)  # 4,235 games: .00629 +- .00002
    0.00631
    """
    n, m, k = problem
    if m == 2:
        return float(ndtr(math.sqrt(k / n))) - 0.5
    delta = m / math.sqrt(n * (m - 1))
    reach = math.ceil(REACH * (1.0 + math.sqrt(k / m)))
    low, high = max(0, k // m - reach), min(k, k // m + reach)
    count = np.arange(low, high + 1, max(1, (high - low) // COUNTS))
    chance = np.exp(log_pmf(count, k, m))
    chance /= chance.sum()
    # A label that was never shown has the total 0.
    never = float(chance[0]) if count[0] == 0 else 0.0
    shown, chance = (count[1:], chance[1:]) if never else (count, chance)
    scale = np.sqrt(shown)
    ends = (-9.0 * scale[-1], 9.0 * scale[-1] + delta * shown[-1])
    x = np.append(np.linspace(ends[0], 0.0, POINTS), np.linspace(0.0, ends[1], POINTS))
    wrong = ndtr(x[:, None] / scale) @ chance
    right = ndtr((x[:, None] - delta * shown) / scale) @ chance
    below = (wrong[1:] + wrong[:-1]) / 2 + never * (x[1:] > 0.0)
    # A label without the surplus would win with probability 1/m: the difference is the bias.
    bias = float((below ** (m - 1)) @ np.diff(right - wrong))
    return min(max(bias, 0.0), 1.0 - 1.0 / m)
