"""What the best analyst can do on tiny problems, by trying everything.

A position of the game is the set of label vectors that the answers so far leave open. The best
expected accuracy and the largest transcript entropy follow by recursion over queries and answers.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict

Vector = tuple[int, ...]
Open = frozenset[Vector]


def vectors(n: int, m: int) -> list[Vector]:
    return list(itertools.product(range(m), repeat=n))


def matches(a: Vector, b: Vector) -> int:
    return sum(x == y for x, y in zip(a, b, strict=True))


def split(candidates: Open, query: Vector) -> list[Open]:
    by_answer: dict[int, set[Vector]] = defaultdict(set)
    for labels in candidates:
        by_answer[matches(query, labels)].add(labels)
    return [frozenset(part) for part in by_answer.values()]


def best_matches(candidates: Open, n: int, m: int) -> int:
    """Return the most matches, summed over the candidates, that one output can have."""
    return sum(max(sum(z[j] == label for z in candidates) for label in range(m)) for j in range(n))


def best_adaptive_accuracy(n: int, m: int, k: int) -> float:
    queries = vectors(n, m)

    @functools.cache
    def value(candidates: Open, looks: int) -> int:
        if looks == 0 or len(candidates) == 1:
            return best_matches(candidates, n, m)
        return max(
            sum(value(part, looks - 1) for part in split(candidates, query)) for query in queries
        )

    return value(frozenset(queries), k) / (n * m**n)


def best_fixed_accuracy(n: int, m: int, k: int) -> float:
    everything = frozenset(vectors(n, m))
    best = 0
    for queries in itertools.combinations_with_replacement(vectors(n, m), k):
        parts = [everything]
        for query in queries:
            parts = [piece for part in parts for piece in split(part, query)]
        best = max(best, sum(best_matches(part, n, m) for part in parts))
    return best / (n * m**n)


def largest_adaptive_entropy(n: int, m: int, k: int) -> float:
    queries = vectors(n, m)

    @functools.cache
    def value(candidates: Open, looks: int) -> float:
        if looks == 0 or len(candidates) == 1:
            return 0.0
        best = 0.0
        for query in queries:
            total = 0.0
            for part in split(candidates, query):
                share = len(part) / len(candidates)
                total += share * (value(part, looks - 1) - math.log(share))
            best = max(best, total)
        return best

    return value(frozenset(queries), k)


def largest_fixed_entropy(n: int, m: int, k: int) -> float:
    everything = frozenset(vectors(n, m))
    best = 0.0
    for queries in itertools.combinations_with_replacement(vectors(n, m), k):
        parts = [everything]
        for query in queries:
            parts = [piece for part in parts for piece in split(part, query)]
        shares = [len(part) / len(everything) for part in parts]
        best = max(best, -sum(share * math.log(share) for share in shares))
    return best
