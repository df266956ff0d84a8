import math

import pytest

from holdfast.bounds import queries_to_recover_all
from holdfast.bounds.information import nats_non_adaptive
from holdfast.problem import Problem
from tests.bounds.exhaustive import best_adaptive_accuracy


@pytest.mark.parametrize(
    ("n", "m", "limit"),
    [
        (10_000, 2, 1495),  # with the parity correction; 1300 without
        (10_000, 3, 2084),
        (14_042, 4, 3634),
        (10_000, 10, 4777),
        (10_000, 100, 12_394),
        (50_000, 1000, 102_405),
    ],
)
def test_the_least_fixed_queries_for_all_labels(n: int, m: int, limit: int) -> None:
    # The limits are n log m / H rounded to the nearest; the inverse rounds up.
    recovery = queries_to_recover_all(n, m)
    assert recovery.non_adaptive in (limit, limit + 1)
    assert nats_non_adaptive(Problem(n, m, recovery.non_adaptive - 1)) < n * math.log(m)
    assert recovery.adaptive <= recovery.non_adaptive <= recovery.column_vote


def test_the_papers_own_figure_for_all_labels() -> None:
    assert queries_to_recover_all(10_000, 10).column_vote == 207_212


@pytest.mark.parametrize(
    ("n", "m"), [(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (2, 4)]
)
def test_nobody_recovers_tiny_sets_with_fewer_looks_than_the_limit(n: int, m: int) -> None:
    k = 1
    while best_adaptive_accuracy(n, m, k) < 1:
        k += 1
    assert queries_to_recover_all(n, m).adaptive <= k


# The least number of fixed queries that identify a binary string of length 1..13 (OEIS A303735).
STATIC = [1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 8]


@pytest.mark.parametrize("n", range(1, 14))
def test_the_limit_for_fixed_queries_is_below_the_known_minimum(n: int) -> None:
    limit = queries_to_recover_all(n, 2).non_adaptive
    assert STATIC[n - 1] / 2 <= limit <= STATIC[n - 1]
