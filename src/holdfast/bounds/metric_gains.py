r"""Gains in a metric's own unit that so many nats about the labels allow.

Let A be all that was released, Z the hidden labels, I(Z; A) <= c nats, and f the final submission,
a function of A. Let Z' have the law of Z and be independent of A. Three facts, proved in
docs/bounds/metrics.md:

- a metric with E exp(s (M(g, Z) - M0)) <= exp(s^2 v / 8) for every fixed submission g and s > 0 has
  E M(f, Z) <= M0 + sqrt(c v / 2);
- v = w^2 / n for a mean over n independent examples of one loss each in an interval of width w,
  and v = 1/r for areas, balanced accuracy and mean recall of labels in random order, of which the
  rarest class has r;
- an event that has probability at most g for every fixed submission has probability q with
  kl(q, g) <= c for f, and at most exp(c) g where A is one of exp(c) sequences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.bisection import largest

__all__ = ["TwoClassValues", "subgaussian_gain", "value_after"]

# Grid on which the tail of a metric is added up, from above.
STEPS = 200
# Sums and quotients of floats are moved by this much to the safe side, counts by the second.
ROUNDING, WHOLE = 1e-12, 1e-6
# What a bisection, which ends on the safe side, may be off by, as a share.
TOLERANCE = 1e-12


def subgaussian_gain(nats: float, variance: float) -> float:
    """Return the gain that nats allow for a metric of the first kind above.

    >>> subgaussian_gain(50.0, 1 / 10_000)
    0.05
    """
    return math.sqrt(nats * variance / 2.0)


@dataclass(frozen=True)
class TwoClassValues:
    """Values of a metric of two classes that rise evenly with the true positives.

    Parameters
    ----------
    n_examples, positives
        How many examples there are, and how many of them are positive.
    called
        How many examples a submission calls positive, one entry for each kind of submission.
    least
        The least number of true positives of each.
    value
        The metric with the least number of true positives.
    slope
        By how much one more raises it; 0 where there is only one number.
    """

    n_examples: int
    positives: int
    called: NDArray[np.float64]
    least: NDArray[np.float64]
    value: NDArray[np.float64]
    slope: NDArray[np.float64]

    def without_a_look(self) -> float:
        """Return the largest expected value of a fixed submission: that of the expected hits."""
        mean = self.called * self.positives / self.n_examples
        return float(np.max(self.value + self.slope * (mean - self.least)))

    def log_chance(self, value: float) -> float:
        """Return the logarithm of a limit on the chance of a value, for any fixed submission.

        Labels are in random order. With p examples called positive the true positives are
        hypergeometric: P(H >= h) <= exp(-p kl(h/p, P/n)), and the same with the sides exchanged
        (Hoeffding 1963). The largest over all p.
        """
        n, total = self.n_examples, float(self.positives)
        flat = self.slope <= 0.0
        if (self.value[flat] >= value - ROUNDING).any():
            return 0.0
        called, least, slope = self.called[~flat], self.least[~flat], self.slope[~flat]
        more = np.ceil((value - self.value[~flat]) / slope - WHOLE)
        hits = least + np.maximum(more, 0.0)
        possible = hits <= np.minimum(called, total)
        if not possible.any():
            return -math.inf
        called, hits = called[possible], hits[possible]
        if (hits <= called * total / n).any():
            return 0.0
        exponent = np.maximum(
            called * _divergences(hits / called, np.full(called.size, total / n)),
            total * _divergences(hits / total, called / n),
        )
        return -float(exponent.min()) * (1.0 - ROUNDING)


def value_after(
    values: TwoClassValues, low: float, high: float, nats: float, *, counted: bool
) -> float:
    """Return the expected value that nobody exceeds who learns so many nats of the labels.

    Parameters
    ----------
    values
        The metric, for labels in random order.
    low, high
        The range of its values.
    nats
        The limit on the information in all answers.
    counted
        Whether the nats are the logarithm of a number of answer sequences.
    """

    def sure(value: float) -> bool:
        return _chance(values.log_chance(value), nats, counted) >= 1.0

    start = largest(sure, low, high, tolerance=TOLERANCE)
    # The chance falls with the value: over each step it is at most that at its left end. The first
    # step begins where it still is 1.
    grid = np.linspace(start, high, STEPS + 1)
    chances = [1.0, *(_chance(values.log_chance(float(x)), nats, counted) for x in grid[1:-1])]
    tail = float(np.sum(np.diff(grid) * chances))
    return min(high, start + tail + ROUNDING)


def _chance(log_fixed: float, nats: float, counted: bool) -> float:
    """Return a limit on an event's chance after nats; `log_fixed` is that of fixed guesses."""
    if log_fixed >= 0.0:
        return 1.0
    if math.isinf(log_fixed):
        return 0.0
    found = math.exp(min(0.0, nats + log_fixed)) if counted else 1.0
    # kl(q, g) <= c is violated from the limit on, and `largest` ends on the violating side.
    limit = largest(
        lambda chance: _kl(chance, log_fixed) <= nats, math.exp(log_fixed), tolerance=TOLERANCE
    )
    return min(found, limit)


def _kl(chance: float, log_fixed: float) -> float:
    below = (
        0.0
        if chance >= 1.0
        else (1.0 - chance) * (math.log1p(-chance) - math.log1p(-math.exp(log_fixed)))
    )
    return chance * (math.log(chance) - log_fixed) + below


def _divergences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the divergences of Bernoulli laws, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(a > 0, a * np.log(a / b), 0.0)
        second = np.where(a < 1, (1 - a) * np.log((1 - a) / (1 - b)), 0.0)
    found: NDArray[np.float64] = first + second
    return found
