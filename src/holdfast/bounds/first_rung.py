r"""The first release of a rounding rule: mean and entropy of an accuracy rounded to a step.

The first query can't depend on answers, so it matches Bin(n, 1/m) of uniform labels, and the first
rung is floor(matches/(n step) + 1/2): half a step counts up, in exact fractions, as in the rules.
A tie that is rounded down instead moves up to half a nat.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc

from holdfast.bounds.binomial import WINDOW_CONSTANT, WINDOW_DEVIATIONS, entropy, log_pmf

__all__ = [
    "FirstRung",
    "FirstRungLaw",
    "first_rung",
    "first_rung_any_labels",
    "first_rung_law",
    "n_rungs",
    "nearest_multiple",
]

# Up to this many counts around the mean their probabilities are added up one by one.
MOST_COUNTS = 1 << 17
# Beyond, the distribution function is evaluated at the edges of rungs; in any case at most so many
# rungs are told apart.
MOST_RUNGS = 1 << 12
# What is added for probabilities that are left out and rounded: below exp(-60) and 1e-13; and where
# the distribution function is the incomplete beta function, good to 1e-10 at each edge.
SUM_SLACK, BETA_SLACK = 1e-12, 1e-6


class FirstRung(NamedTuple):
    """Limits of the first release, in rungs and nats."""

    mean: float  # at least so high on average
    entropy: float  # at most so much


class FirstRungLaw(NamedTuple):
    """The law of the first release, but for what is left out."""

    rungs: NDArray[np.float64]
    probability: NDArray[np.float64]
    slack: float  # how far the probabilities may be off in all


def n_rungs(n_examples: int, step: Fraction) -> int:
    """Return how many rungs an accuracy out of n + 1 can be rounded to, at most.

    >>> n_rungs(10_000, Fraction(1, 100)), n_rungs(3, Fraction(1, 100))
    (101, 4)
    """
    return min(nearest_multiple(Fraction(1), step) + 1, n_examples + 1)


def nearest_multiple(value: Fraction, step: Fraction) -> int:
    """Return the number of steps nearest to a value; half a step counts up, here and in the rules.

    >>> [nearest_multiple(Fraction(1, each), Fraction(1, 4)) for each in (8, 9)]
    [1, 0]
    """
    return math.floor(value / step + Fraction(1, 2))


@functools.lru_cache(maxsize=256)
def first_rung(n: int, m: int, step: Fraction) -> FirstRung:
    """Return the limits for uniform labels.

    >>> [round(limit, 4) for limit in first_rung(2, 10, Fraction(1))]  # one of two counts up
    [0.19, 0.4862]
    """
    law = first_rung_law(n, m, step)
    if law is None:
        wide = math.sqrt(n / m * (1.0 - 1.0 / m)) / (n * float(step)) + 0.5
        nats = min(entropy(n, m), _of_spread(wide)) + SUM_SLACK
        return FirstRung(max(0.0, 1.0 / (m * float(step)) - 0.5), nats)
    positive = law.probability[law.probability > 0.0]
    mean = float((law.probability * law.rungs).sum()) * (1.0 - law.slack) - law.slack
    nats = -float((positive * np.log(positive)).sum())
    return FirstRung(max(0.0, mean), max(0.0, nats) + law.slack)


@functools.lru_cache(maxsize=256)
def first_rung_law(n: int, m: int, step: Fraction) -> FirstRungLaw | None:
    """Return the law of the first rung for uniform labels, or None if it has too many rungs."""
    deviation = math.sqrt(n / m * (1.0 - 1.0 / m))
    reach = math.ceil(WINDOW_CONSTANT + WINDOW_DEVIATIONS * deviation)
    low, high = max(0, n // m - reach), min(n, n // m + reach)
    bottom, top = (
        nearest_multiple(Fraction(low, n), step),
        nearest_multiple(Fraction(high, n), step),
    )
    if min(high - low, top - bottom) >= MOST_RUNGS:
        return None
    if n * step < 1:  # every count has a rung of its own, and some rungs have none
        rungs = np.array(
            [float(nearest_multiple(Fraction(c, n), step)) for c in range(low, high + 1)]
        )
        return FirstRungLaw(rungs, np.exp(log_pmf(np.arange(low, high + 1), n, m)), SUM_SLACK)
    edges = _edges(n, step, bottom + 1, top)
    if high - low < MOST_COUNTS:
        every = np.exp(log_pmf(np.arange(low, high + 1), n, m))
        probability, slack = np.add.reduceat(every, np.array([low, *edges]) - low), SUM_SLACK
    else:
        below = np.array([_below(edge, n, m) for edge in edges])
        probability = np.maximum(np.diff(np.concatenate([[0.0], below, [1.0]])), 0.0)
        slack = BETA_SLACK
    return FirstRungLaw(np.arange(bottom, top + 1, dtype=np.float64), probability, slack)


def first_rung_any_labels(n: int, step: Fraction, rarest: float) -> FirstRung:
    """Return limits that hold for every query and independent labels of any law.

    The analyst chooses the first query: its accuracy has a mean of at least `rarest` and a standard
    deviation of at most 1/(2 sqrt(n)), to which rounding adds at most half a rung.
    """
    spread = 1.0 / (2.0 * float(step) * math.sqrt(n)) + 0.5
    nats = min(math.log(n_rungs(n, step)), _of_spread(spread))
    return FirstRung(max(0.0, rarest / float(step) - 0.5), nats)


def _edges(n: int, step: Fraction, bottom: int, top: int) -> list[int]:
    """Return the least count of each rung: ceil((rung - 1/2) step n)."""
    return [math.ceil((2 * rung - 1) * step * n / 2) for rung in range(bottom, top + 1)]


def _below(edge: int, n: int, m: int) -> float:
    """Return the probability of fewer than `edge` matches."""
    # In terms of 1/m, which has more digits than 1 - 1/m.
    return float(betaincc(float(edge), n - edge + 1.0, 1.0 / m)) if edge <= n else 1.0


def _of_spread(deviation: float) -> float:
    """Return the most nats of an integer with this standard deviation."""
    return 0.5 * math.log(2.0 * math.pi * math.e * (deviation**2 + 1.0 / 12.0))
