"""The bounds together, and read backwards: how many looks for all labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from holdfast.bounds.bisection import fewest
from holdfast.bounds.column_vote import QUERIES_PER_NAT
from holdfast.bounds.information import nats_non_adaptive
from holdfast.bounds.record import Analyst
from holdfast.bounds.registry import all_bounds
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.problem import Problem, check_at_least

__all__ = ["RecoveryQueries", "best_impossible", "queries_to_recover_all"]

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
