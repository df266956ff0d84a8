r"""Any analyst, exact or rounded answers: a look pays for its own spread.

An adaptive answer can be spread more widely than Bin(n, 1/m) only by telling something itself. With
r_t the mean of answer t given the past, over n,

    S <= [ H(A_1) + sum_{t>=2} E ln Z(b, r_t) ] / (1-b)    for every 0 < b < 1,

where S = sum_j I(z_j; answers) and Z(b, r) = sum_y exp(-b n KL(y/n || r)) is at most
1 + (sqrt(2 pi b n r (1-r)) + 2/3)/b. A query is a possible guess, so E r_t is at most the best
accuracy before look t. That makes an inequality for the best accuracy after k looks, given those
after fewer. docs/bounds/queries.md has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import entropy
from holdfast.bounds.bisection import largest
from holdfast.bounds.first_rung import first_rung, first_rung_any_labels
from holdfast.bounds.label_model import ROUNDING, LabelModel
from holdfast.bounds.record import EVERYTHING, Bound, with_parity
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = [
    "exact_accuracy",
    "exact_answers",
    "rounded_accuracy",
]

# Values of b: any set gives a valid bound, a denser one a slightly sharper one.
SHARES = np.geomspace(1e-3, 0.7, 40)
# The best accuracy is bounded after 1, 2, 3, ... looks in this ratio; looks in between count as the
# next of these. The grid is the same for every k, so the bound rises with k.
LOOKS_RATIO = 1.4
# How precisely, where it is not the end.
INNER_TOLERANCE = 1e-3
# What Bernstein's inequality loses over the normal law in lemma Z.
LEMMA_EXCESS = 2.0 / 3.0

STATEMENT = "information inequality, spread of answers (docs/bounds.md)"


@dataclass(frozen=True)
class _Spread:
    """What is released of one look.

    Parameters
    ----------
    first_nats
        Most entropy of the first release.
    sure
        Releases that lemma Z counts fully: the one at the mean, and with cells its neighbours.
    spacing
        Matches between two possible releases.
    """

    first_nats: float
    sure: float
    spacing: float


def exact_accuracy(
    problem: Problem, *, model: LabelModel | None = None, abstentions: bool = False
) -> float:
    """Return what no analyst exceeds in expectation with exact answers.

    Parameters
    ----------
    problem
        The sizes; looks of several accounts count together.
    model
        What the analyst knows of the labels; uniform labels if there is none.
    abstentions
        Whether a submission may leave examples out, or show unknown labels. With two classes and
        no abstentions the parity of every answer but the first is known.

    Examples
    --------
    >>> round(10_000 * (exact_accuracy(Problem(10_000, 10, 100)) - 0.1))
    1219
    """
    n, m, _ = problem
    parity = m == 2 and not abstentions
    if model is None:
        first = entropy(n, m)
    else:
        first = min(math.log(n + 1.0), first_rung_any_labels(n, Fraction(1, n), 0.0).entropy)
    return _solve(problem, _Spread(first, 1.0, 2.0 if parity else 1.0), model)


def rounded_accuracy(
    problem: Problem,
    step: Fraction,
    *,
    model: LabelModel | None = None,
    abstentions: bool = False,
) -> float:
    """Return the same for answers that are rounded to equal steps, half a step up or down.

    Exact answers tell at least as much, so their bound counts where it is lower.

    Examples
    --------
    >>> round(100 * (rounded_accuracy(Problem(10_000, 10, 1000), Fraction(1, 100)) - 0.1), 1)
    23.7
    """
    if not 0 < step <= 1:
        raise InvalidInput(f"step must lie in (0, 1], got {step}.")
    n, m, _ = problem
    exact = exact_accuracy(problem, model=model, abstentions=abstentions)
    if n * step <= 1:
        return exact
    if model is None and not abstentions:
        first = first_rung(n, m, step).entropy
    else:
        first = first_rung_any_labels(n, step, 0.0).entropy
    return min(exact, _solve(problem, _Spread(first, 3.0, float(n * step)), model))


def exact_answers(problem: Problem, *, abstentions: bool = False) -> Bound:
    """Return `exact_accuracy` as a record."""
    return Bound(
        name="spread-of-answers",
        statement=STATEMENT,
        accuracy=exact_accuracy(problem, abstentions=abstentions),
        assumptions=EVERYTHING if abstentions else with_parity(problem),
    )


def log_spread(n: int, spread: _Spread) -> Callable[[float], NDArray[np.float64]]:
    """Return the limit on ln Z(b, r) for all `SHARES` b, by an accuracy that limits r."""
    fixed = spread.sure + LEMMA_EXCESS / (SHARES * spread.spacing)
    slope = np.sqrt(2.0 * math.pi * n / SHARES) / spread.spacing

    def limits(accuracy: float) -> NDArray[np.float64]:
        r = min(0.5, accuracy)
        logs: NDArray[np.float64] = np.log(fixed + slope * math.sqrt(r * (1.0 - r)))
        return logs

    return limits


def _solve(problem: Problem, spread: _Spread, model: LabelModel | None) -> float:
    n, m, k = problem
    known = model if model is not None else LabelModel.uniform(n, m)
    limits = log_spread(n, spread)
    # What the looks so far are charged for each b. The first look is charged its entropy: nothing
    # was known when it was chosen.
    nats = np.full(SHARES.shape, spread.first_nats)
    best, looks = known.largest_accuracy(spread.first_nats), 1
    while looks < k and best < 1.0:
        # From an even chance on no query can be spread more widely.
        until = k if best >= 0.5 else min(k, max(looks + 1, math.floor(looks * LOOKS_RATIO)))
        charged = _charge(nats, until - looks, limits)
        after = largest(
            lambda a, most=charged: known.least_nats(a) <= most(a),  # type: ignore[misc]
            known.chance,
            tolerance=0.0 if until == k else INNER_TOLERANCE,
        )
        # Never lower than with fewer looks, whatever the last digits say.
        best = max(best, after)
        nats = nats + (until - looks) * limits(best)
        looks = until
    return best


def _charge(
    nats: NDArray[np.float64], more: int, limits: Callable[[float], NDArray[np.float64]]
) -> Callable[[float], float]:
    """Return the limit on S after `more` looks, by the best accuracy after them.

    For each b it is concave in the accuracy, and the price of accuracy is convex, so the accuracies
    that all b leave possible are an interval.
    """
    weight = (1.0 + ROUNDING) / (1.0 - SHARES)
    before, each = nats * weight, more * weight
    return lambda accuracy: float((before + each * limits(accuracy)).min())
