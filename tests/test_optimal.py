"""The optimum of tiny problems: closed form at k = 1, plain brute force, monotone.

That no attack beats it is tested in tests/attacks/test_information_bounds.py.
"""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from holdfast import attacks
from holdfast.errors import InvalidInput, NotSupported
from holdfast.optimal import optimal
from holdfast.problem import Problem
from tests.attacks.released import play_under

TINY = [(2, 2, 2), (3, 2, 2), (2, 3, 2), (2, 3, 3), (4, 2, 2), (3, 3, 2)]


def one_look(n: int, m: int) -> Fraction:
    """1/m + E|mN - n| / (2n(m-1)), N ~ Bin(n, 1/m): the optimum with a single query."""
    spread = sum(
        Fraction(comb(n, r) * (m - 1) ** (n - r), m**n) * abs(m * r - n) for r in range(n + 1)
    )
    return Fraction(1, m) + spread / (2 * n * (m - 1))


def brute_force(vectors: frozenset[tuple[int, ...]], n: int, m: int, looks: int) -> int:
    """Every query at every step, no symmetry used."""
    if looks == 0 or len(vectors) == 1:
        return sum(max(sum(z[j] == c for z in vectors) for c in range(m)) for j in range(n))
    best = 0
    for query in product(range(m), repeat=n):
        cells: dict[int, set[tuple[int, ...]]] = {}
        for z in vectors:
            cells.setdefault(sum(a == b for a, b in zip(z, query, strict=True)), set()).add(z)
        best = max(best, sum(brute_force(frozenset(c), n, m, looks - 1) for c in cells.values()))
    return best


@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 2), (3, 3), (5, 3), (4, 5), (3, 10), (9, 2)])
def test_one_look_is_the_closed_form(n: int, m: int) -> None:
    assert optimal(n, m, 1) == one_look(n, m)


@pytest.mark.parametrize(("n", "m", "k"), TINY)
def test_symmetry_loses_nothing(n: int, m: int, k: int) -> None:
    every = frozenset(product(range(m), repeat=n))
    assert optimal(n, m, k) == Fraction(brute_force(every, n, m, k), n * m**n)


@pytest.mark.parametrize(("n", "m", "looks"), [(4, 2, 4), (5, 2, 4), (3, 3, 4), (2, 4, 4)])
def test_more_looks_never_hurt_and_all_is_found_in_the_end(n: int, m: int, looks: int) -> None:
    values = [optimal(n, m, k) for k in range(1, looks + 1)]
    assert values == sorted(values)
    assert values[-1] == 1
    assert values[0] > Fraction(1, m)


def test_one_look_of_the_papers_attack_is_optimal() -> None:
    n, m = 5, 3
    matches = 0
    for hidden in product(range(m), repeat=n):
        rng = np.random.default_rng(0)
        attack = attacks.BlockMajority(Problem(n, m, 1), rng=rng, permuted=False)
        matches += int((play_under(attack, np.array(hidden)) == np.array(hidden)).sum())
    assert Fraction(matches, n * m**n) == optimal(n, m, 1)


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(NotSupported, match=r"at most 1024 label vectors, got 10\^4 = 10000"):
        optimal(4, 10, 2)
    with pytest.raises(InvalidInput, match="n_classes must be at least 2, got 1"):
        optimal(4, 1, 2)
