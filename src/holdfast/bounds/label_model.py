r"""Label models: independent labels with known laws, and the least nats per accuracy.

Label j has a law that the analyst knows. A mean accuracy of a costs at least F(a) nats about the
labels, where F is the least sum of the rows' rate-distortion functions with mean accuracy a. F is
convex, zero up to what can be had without a look, and for uniform labels n KL(a || 1/m).

If every label has the same known law, the class shares p, then F(a) = n R(a) with R the
rate-distortion function of p under Hamming distortion, from max p on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import divergence
from holdfast.bounds.bisection import largest
from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.rate_distortion import STEEPEST, LabelLaws
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least

__all__ = [
    "ROUNDING",
    "LabelModel",
    "accuracy_from_shares",
    "nats_any_labels",
    "queries_to_recover_shares",
]

# Nats are raised by this share before they are turned into an accuracy, which covers rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LabelModel:
    """Independent labels and the price of guessing them.

    Parameters
    ----------
    n_examples
        How many labels.
    chance
        The best expected accuracy without a look: the mean of the rows' largest probabilities.
    least_nats
        F(a), the fewest nats about all labels together at which a mean accuracy a can be had.
        Convex, non-decreasing, zero up to `chance`; where it is approximate it must err downward.
    rarest
        The mean of the rows' smallest probabilities: the worst accuracy of a query that was chosen
        before any answer. Zero is always right.
    dual
        The largest a with F(a) <= nats, where it is known more sharply than by turning
        `least_nats` round.

    Examples
    --------
    >>> LabelModel.uniform(100, 10).largest_accuracy(0.0)
    0.1
    """

    n_examples: int
    chance: float
    least_nats: Callable[[float], float]
    rarest: float = 0.0
    dual: Callable[[float], float] | None = None

    @classmethod
    def uniform(cls, n_examples: int, n_classes: int) -> LabelModel:
        """Return the model of somebody who knows nothing."""
        n = check_at_least("n_examples", n_examples, 1)
        m = check_at_least("n_classes", n_classes, 2)
        p = 1.0 / m
        return cls(
            n,
            p,
            lambda a: n * divergence(a - p, m) if a > p else 0.0,
            p,
            lambda nats: accuracy_from_information(nats, n, m),
        )

    def largest_accuracy(self, nats: float) -> float:
        """Return the largest a with F(a) <= nats, rounded up.

        >>> round(LabelModel.uniform(2000, 10).largest_accuracy(50.0), 4)
        0.1732
        """
        if nats <= 0.0:
            return self.chance
        most = nats * (1.0 + ROUNDING)
        if self.dual is not None:
            return self.dual(most)
        return largest(lambda a: self.least_nats(a) <= most, self.chance)


# How far shares may be from summing to 1.
SUM_SLACK = 1e-6
# Nats of one example are a difference of two entropies, rounded by less than this.
ENTROPY_ROUNDING = 2e-15


def accuracy_from_shares(nats: float, n_examples: int, shares: Sequence[float]) -> float:
    """Return the largest a with n R(a) <= nats: max p for no information, 1 for all of it.

    The slope is found by bisection, and the upper end returned, so rounding never makes the bound
    too low.

    Examples
    --------
    >>> accuracy_from_shares(0.0, 2000, [0.9, 0.1])
    0.9
    >>> round(accuracy_from_shares(50.0, 2000, [0.9, 0.1]), 4)
    0.9111
    >>> round(accuracy_from_shares(50.0, 2000, [0.1] * 10), 4)  # as for uniform labels
    0.1732
    """
    n = check_at_least("n_examples", n_examples, 1)
    p = _sorted(shares)
    if nats <= 0.0:
        return float(p[0])
    target = nats / n
    if entropy_of(shares) <= target:
        return 1.0
    laws = LabelLaws(p[None])
    slope = largest(lambda s: float(laws.at(s).nats[0]) <= target, 0.0, STEEPEST)
    # So many nats that rounding may have lost are worth 1/slope each.
    return min(1.0, float(laws.at(slope).best[0]) + ENTROPY_ROUNDING / slope)


def entropy_of(shares: Sequence[float]) -> float:
    """Return the entropy of one label in nats."""
    p = _sorted(shares)
    p = p[p > 0.0]
    return -float((p * np.log(p)).sum())


def nats_any_labels(problem: Problem) -> float:
    """Return an upper bound on the entropy of exact answers, whatever the labels' law.

    An answer has n + 1 values; with two classes its parity is known after the first.
    """
    n, m, k = problem
    values = n // 2 + 1 if m == 2 else n + 1
    return math.log(n + 1) + (k - 1) * math.log(values)


def queries_to_recover_shares(n_examples: int, n_classes: int, shares: Sequence[float]) -> int:
    """Return how many exact looks it takes at least, on average, to know every label.

    Fewer can't carry the labels' entropy.

    >>> queries_to_recover_shares(2000, 2, [0.9, 0.1]), queries_to_recover_shares(2000, 2, [1, 0])
    (95, 0)
    """
    nats = check_at_least("n_examples", n_examples, 1) * entropy_of(shares)
    if nats <= 0.0:
        return 0
    one = nats_any_labels(Problem(n_examples, n_classes, 1))
    more = nats_any_labels(Problem(n_examples, n_classes, 2)) - one
    return 1 if nats <= one else 1 + math.ceil((nats - one) / more)


def _sorted(shares: Sequence[float]) -> NDArray[np.float64]:
    p = np.asarray(shares, dtype=np.float64)
    if p.ndim != 1 or p.size < 2 or not (p >= 0.0).all() or abs(p.sum() - 1.0) > SUM_SLACK:
        raise InvalidInput(
            f"shares must be 2 or more numbers from 0 on that sum to 1, got {shares!r:.80}."
        )
    return np.sort(p)[::-1]
