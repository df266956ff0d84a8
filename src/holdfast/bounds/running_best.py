r"""Bounds for rules that release the running best: Ladders, best-so-far boards, improvements.

The released values never fall, and the last one is the score of a query that the analyst knows. So
their total climb is limited by the accuracy that he can reach: a higher accuracy costs nats, and
only what climbs can tell them. docs/bounds/ladders.md has the proofs.

With one account, a the best expected accuracy, eta the step and R_1 the first rung,

    n KL(a || 1/m) <= H(R_1) + (k-1) G(D(a)/(k-1)),    D(a) = a/eta + 1/2 - E R_1,

G(u) = (1+u) ln(1+u) - u ln u. The left side is convex in a, the right one concave.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from holdfast.bounds.binomial import entropy, excess
from holdfast.bounds.bisection import largest
from holdfast.bounds.first_rung import first_rung, first_rung_any_labels, n_rungs
from holdfast.bounds.label_model import ROUNDING, LabelModel
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least

__all__ = [
    "exact_best_accuracy",
    "improved_accuracy",
    "ladder_accuracy",
]

# Rounds in which the best and the worst possible guess of several accounts limit each other; every
# round's result is valid.
ROUNDS_OF_LIMITS = 4
STATEMENT = "information inequality, running best (docs/bounds.md)"


def ladder_accuracy(
    problem: Problem,
    step: Fraction,
    *,
    accounts: int = 1,
    model: LabelModel | None = None,
    abstentions: bool = False,
) -> float:
    """Return what no analyst exceeds in expectation behind the Ladder with a fixed step.

    Parameters
    ----------
    problem
        The sizes; its looks are those of all accounts together.
    step
        The Ladder's step, exactly.
    accounts
        How many Ladder states the looks are spread over, each with its own first look.
    model
        What the analyst knows of the labels; uniform labels if there is none.
    abstentions
        Whether a submission may leave examples out. Then a first look may start at the bottom, so
        that more is left to climb.

    Examples
    --------
    >>> round(ladder_accuracy(Problem(899, 10, 1000), Fraction(1, 100)), 4)
    0.2477
    """
    n, m, _ = problem
    if not 0 < step <= 1:
        raise InvalidInput(f"step must lie in (0, 1], got {step}.")
    if abstentions:
        first = first_rung_any_labels(n, step, 0.0)
    elif model is None:
        first = first_rung(n, m, step)
    else:
        first = first_rung_any_labels(n, step, model.rarest)
    rungs, per_point = n_rungs(n, step), float(1 / step)
    top = float(math.floor(1 / step + Fraction(1, 2)))
    return _Climb(
        first_nats=first.entropy,
        account_nats=math.log(rungs),
        climb=lambda a: max(0.0, a * per_point + 0.5 - first.mean),
        account_climb=lambda a, b: min(top, (a - b) * per_point + 1.0),
        nats=_of_mean,
    ).accuracy(problem, accounts, model, abstentions)


def exact_best_accuracy(
    problem: Problem,
    *,
    accounts: int = 1,
    model: LabelModel | None = None,
    abstentions: bool = False,
) -> float:
    """Return the same where the best score so far is released exactly.

    Also for rules that release it only if the improvement is significant, such as the
    parameter-free Ladder: all that counts is that releases are scores of known queries, and never
    fall.

    Examples
    --------
    >>> round(exact_best_accuracy(Problem(10_000, 10, 100)), 3)
    0.184
    """
    n, m, _ = problem
    if model is None:
        first_nats, start = entropy(n, m), 1.0 / m
    else:
        first_nats = min(math.log(n + 1.0), first_rung_any_labels(n, Fraction(1, n), 0.0).entropy)
        start = model.rarest
    if abstentions:
        start = 0.0
    return _Climb(
        first_nats=first_nats,
        account_nats=math.log(n + 1.0),
        climb=lambda a: n * max(0.0, a - start),
        account_climb=lambda a, b: n * (a - b),
        nats=_of_mean,
    ).accuracy(problem, accounts, model, abstentions)


def improved_accuracy(
    problem: Problem,
    *,
    accounts: int = 1,
    model: LabelModel | None = None,
    abstentions: bool = False,
) -> float:
    """Return the same where a look tells only whether it is the best so far, one bit.

    The first look of an account always is. Every other improvement is worth a match or more.

    Examples
    --------
    >>> round(improved_accuracy(Problem(10_000, 10, 1000)), 3)
    0.228
    """
    n, m, _ = problem
    start = 1.0 / m if model is None else model.rarest
    if abstentions:
        start = 0.0
    return _Climb(
        first_nats=0.0,
        account_nats=0.0,
        climb=lambda a: n * max(0.0, a - start),
        account_climb=lambda a, b: n * (a - b),
        nats=_of_share,
    ).accuracy(problem, accounts, model, abstentions)


@dataclass(frozen=True)
class _Climb:
    """One rule's limits.

    Parameters
    ----------
    first_nats
        Entropy of the very first release.
    account_nats
        The same for the first release of every further account, which may be adaptive.
    climb
        Most expected climb of the first account, by the best accuracy a.
    account_climb
        The same for every further account, by the best and the worst accuracy of a guess.
    nats
        Most entropy of so many releases, by their number and expected total climb.
    """

    first_nats: float
    account_nats: float
    climb: Callable[[float], float]
    account_climb: Callable[[float, float], float]
    nats: Callable[[int, float], float]

    def accuracy(
        self, problem: Problem, accounts: int, model: LabelModel | None, abstentions: bool
    ) -> float:
        n, m, k = problem
        others = min(check_at_least("accounts", accounts, 1), k) - 1
        known = model if model is not None else LabelModel.uniform(n, m)

        def most(a: float, b: float) -> float:
            total = self.climb(a) + others * self.account_climb(a, b)
            later = self.nats(k - 1, total) if k > 1 else 0.0
            return (self.first_nats + others * self.account_nats + later) * (1.0 + ROUNDING)

        worst, best = 0.0, 1.0
        # Nothing is lower than a look that abstains everywhere; of a model it is not computed.
        limited = others > 0 and model is None and not abstentions
        for _ in range(ROUNDS_OF_LIMITS if limited else 1):
            floor = worst
            best = largest(lambda a, b=floor: known.least_nats(a) <= most(a, b), known.chance)  # type: ignore[misc]
            if limited:
                worst = _least(lambda b, a=best: n * _below(b, m) <= most(a, b), 1.0 / m)  # type: ignore[misc]
        return best


def _of_mean(looks: int, total: float) -> float:
    """Return the most entropy of `looks` non-negative integers with this expected sum."""
    if total <= 0.0:
        return 0.0
    # x (1+u) ln(1+u) - x u ln u with u = total/looks.
    return looks * math.log1p(total / looks) + total * math.log1p(looks / total)


def _of_share(looks: int, total: float) -> float:
    """Return the most entropy of `looks` bits with this expected number of ones."""
    share = total / looks
    if share >= 0.5:
        return looks * math.log(2.0)
    if share <= 0.0:
        return 0.0
    return -looks * (share * math.log(share) + (1.0 - share) * math.log1p(-share))


def _below(accuracy: float, m: int) -> float:
    """Return KL(accuracy || 1/m) for an accuracy of at most 1/m."""
    p = 1.0 / m
    lack = max(0.0, p - accuracy)
    if lack >= p:
        return -math.log1p(-p)
    return p * excess(-lack / p) + (1.0 - p) * excess(lack / (1.0 - p))


def _least(possible: Callable[[float], bool], high: float) -> float:
    """Return the lower end of the range up to `high` in which `possible` holds, rounded down."""
    return high - largest(lambda lack: possible(high - lack), 0.0, high)
