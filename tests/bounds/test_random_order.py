"""Two classes in random order: what hits can tell, against every adaptive analyst of tiny sets."""

import itertools
import math
from collections import Counter
from functools import cache

import pytest

from holdfast.bounds.tilted import nats_in_random_order


def most_entropy(n: int, rarer: int, looks: int) -> float:
    """Return the largest entropy of the hits of so many looks, over all adaptive queries."""
    orders = frozenset(itertools.combinations(range(n), rarer))
    queries = [
        frozenset(each) for size in range(n + 1) for each in itertools.combinations(range(n), size)
    ]

    @cache
    def most(left: frozenset[tuple[int, ...]], more: int) -> float:
        if not more or len(left) == 1:
            return 0.0
        best = 0.0
        for query in queries:
            cells: dict[int, list[tuple[int, ...]]] = {}
            for order in left:
                cells.setdefault(len(query.intersection(order)), []).append(order)
            shares = {hits: len(cell) / len(left) for hits, cell in cells.items()}
            after = sum(p * most(frozenset(cells[hits]), more - 1) for hits, p in shares.items())
            best = max(best, after - sum(p * math.log(p) for p in shares.values()))
        return best

    return most(orders, looks)


@pytest.mark.parametrize(
    ("n", "rarer", "looks"), [(4, 2, 1), (6, 3, 1), (9, 4, 1), (12, 3, 1), (5, 2, 2), (6, 3, 2)]
)
def test_no_queries_tell_more_than_the_bound(n: int, rarer: int, looks: int) -> None:
    found = most_entropy(n, rarer, looks)
    limit = nats_in_random_order(n, rarer, looks)
    assert found <= limit <= looks * math.log(rarer + 1) * (1 + 1e-11)
    assert limit <= 1.5 * found


@pytest.mark.parametrize(("n", "rarer"), [(20, 3), (100, 50), (1000, 20)])
@pytest.mark.parametrize("order", [0.02, 0.2, 0.6, 0.9])
def test_the_renyi_entropy_of_hits_is_below_its_limit_for_every_query(
    n: int, rarer: int, order: float
) -> None:
    limit = math.log1p(math.sqrt(math.pi * rarer / (2 * order))) / (1 - order)
    for called in range(0, n + 1, max(1, n // 50)):
        ways = Counter(
            {
                hits: math.comb(rarer, hits) * math.comb(n - rarer, called - hits)
                for hits in range(rarer + 1)
                if 0 <= called - hits <= n - rarer
            }
        )
        total = math.comb(n, called)
        power = sum((count / total) ** order for count in ways.values())
        assert math.log(power) / (1 - order) <= limit
