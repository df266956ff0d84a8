"""Every bound for one problem, all of them together, and read backwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from holdfast.bounds import acharya2020, block_majority, information, tilted
from holdfast.bounds.bisection import fewest
from holdfast.bounds.column_vote import QUERIES_PER_NAT
from holdfast.bounds.fixed_queries import fixed_queries
from holdfast.bounds.information import nats_non_adaptive
from holdfast.bounds.record import Analyst, Bound
from holdfast.bounds.spread_of_answers import exact_answers
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.bounds.two_classes import pairs_of_classes, two_classes
from holdfast.problem import Problem, check_at_least

__all__ = ["RecoveryQueries", "all_bounds", "best_impossible", "queries_to_recover_all"]

# Each name in a module's __all__ takes a problem and bounds its expected accuracy, exact answers.
MODULES = (acharya2020, block_majority, information, tilted)
# So do these; their modules have more to offer.
THEOREMS = (exact_answers, two_classes, pairs_of_classes, fixed_queries)
# The impossible ones that bind only who fixes all queries in advance.
FIXED_ONLY = (information.information_non_adaptive, fixed_queries)


def _functions() -> list[Callable[[Problem], Bound]]:
    listed = [getattr(module, name) for module in MODULES for name in module.__all__]
    return [*listed, *THEOREMS]


def all_bounds(problem: Problem, *, analyst: Analyst | None = None) -> list[Bound]:
    """Return every bound on the expected accuracy with exact answers, applicable or not.

    Parameters
    ----------
    problem
        The sizes.
    analyst
        Leave out what does not bind this analyst: achievable bounds, and for "any" those about
        fixed queries. Nothing is computed for them.

    Examples
    --------
    >>> for bound in all_bounds(Problem(10_000, 10, 101)):
    ...     if bound.applies:
    ...         print(f"{bound.side} {bound.accuracy:.4f} {bound.name}")
    achievable 0.1040 small-k
    achievable 0.1020 small-k-without-features
    achievable 0.1178 block-majority
    achievable 0.1177 block-majority-without-features
    impossible 0.2052 information-non-adaptive
    impossible 0.2384 information-adaptive-tilted
    impossible 0.2226 spread-of-answers
    impossible 0.6569 pairs-of-classes
    impossible 0.1589 fixed-queries
    """
    if analyst is None:
        return [bound(problem) for bound in _functions()]
    binding = [f for f in _functions() if analyst != "any" or f not in FIXED_ONLY]
    return [found for f in binding if (found := f(problem)).side == "impossible"]


# Entropies are accurate to about 1e-13 of their size; a limit must not be rounded upward.
ROUNDING = 1e-11


class RecoveryQueries(NamedTuple):
    """How many looks it takes to know every label."""

    adaptive: int  # fewer can't suffice, whoever asks
    non_adaptive: int  # fewer can't suffice if the queries are fixed in advance
    column_vote: (
        int  # from here on the large-k attack votes on all n labels, each right 3 in 4 times
    )


def best_impossible(problem: Problem, *, analyst: Analyst = "any") -> float:
    """Return the smallest accuracy that the applicable bounds say this analyst can't exceed.

    >>> round(best_impossible(Problem(10_000, 10, 1)), 6)
    0.10133
    """
    return min(
        bound.accuracy
        for bound in all_bounds(problem, analyst=analyst)
        if bound.accuracy is not None
    )


def queries_to_recover_all(n_examples: int, n_classes: int) -> RecoveryQueries:
    r"""Return how many exact looks are needed, and how many the paper uses, for all labels.

    Being certain of all labels takes n log m nats. The paper's large-k attack votes on every
    example once k >= 9 (n-1) log m; each label is then right with probability at least 3/4.

    Examples
    --------
    >>> queries_to_recover_all(10_000, 10)
    RecoveryQueries(adaptive=2531, non_adaptive=4778, column_vote=207212)
    """
    n = check_at_least("n_examples", n_examples, 1)
    m = check_at_least("n_classes", n_classes, 2)
    needed = n * math.log(m) * (1.0 - ROUNDING)

    def looks(nats: Callable[[Problem], float]) -> int:
        return fewest(lambda k: nats(Problem(n, m, k)) >= needed)

    return RecoveryQueries(
        adaptive=looks(nats_adaptive_tilted),
        non_adaptive=looks(nats_non_adaptive),
        column_vote=max(1, math.ceil(QUERIES_PER_NAT * (n - 1) * math.log(m))),
    )
