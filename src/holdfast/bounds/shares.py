r"""Information bounds for unequal classes: what so many nats are worth above the majority class.

Labels are drawn independently with class shares p that everybody knows. The analyst who never
looks scores max p, and for whoever looks n R(a) <= I(Z; answers), where R is the rate-distortion
function of p under Hamming distortion: the fewest nats at which a label can be guessed right with
probability a. docs/bounds/information.md has the argument.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.bisection import largest
from holdfast.bounds.rate_distortion import STEEPEST, LabelLaws
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least

__all__ = ["accuracy_from_shares", "nats_any_labels", "queries_to_recover_shares"]

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
