import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.bounds.binomial import log_pmf
from holdfast.bounds.multinomial import expected_distance
from holdfast.kernels.lazy_walk import expected_distances


def by_steps(n_steps: int, inverse_probability: int) -> Fraction:
    p = Fraction(1, inverse_probability)
    position = {0: Fraction(1)}
    for _ in range(n_steps):
        moved: dict[int, Fraction] = {}
        for d, probability in position.items():
            for move, chance in ((1, p), (-1, p), (0, 1 - 2 * p)):
                moved[d + move] = moved.get(d + move, Fraction(0)) + chance * probability
        position = moved
    return sum((abs(d) * probability for d, probability in position.items()), Fraction(0))


@pytest.mark.parametrize("inverse_probability", [2, 3, 4, 5, 10, 100, 10**6])
@pytest.mark.parametrize("n_steps", [1, 2, 3, 4, 7, 20, 60])
def test_distance_matches_the_exact_walk(n_steps: int, inverse_probability: int) -> None:
    exact = float(by_steps(n_steps, inverse_probability))
    assert expected_distance(n_steps, inverse_probability) == pytest.approx(exact, rel=1e-13)


def fair_walk(n_steps: int) -> float:
    """E|S_T| of T fair steps: T' C(T', T'/2) / 2^T' with T' = T rounded up to an even number."""
    half = (n_steps + 1) // 2
    return (
        2.0
        * half
        * math.exp(math.lgamma(2 * half + 1) - 2 * math.lgamma(half + 1) - 2 * half * math.log(2))
    )


@pytest.mark.parametrize("m", [4, 10, 1000])
def test_distance_matches_the_sum_over_the_number_of_moves(m: int) -> None:
    # The number of moves is Bin(b, 2/m); given it, the walk is fair.
    b = 100_000
    moves = np.arange(b + 1)
    log_p = log_pmf(moves, b, m // 2)
    kept = np.flatnonzero(log_p > -60)
    total = math.fsum(math.exp(log_p[t]) * fair_walk(int(t)) for t in kept)
    assert expected_distance(b, m) == pytest.approx(total, rel=1e-9)  # lgamma's digits


@pytest.mark.parametrize("m", [2, 3, 10, 1000])
def test_a_trillion_steps_agree_with_the_normal_limit(m: int) -> None:
    b = 10**12
    assert expected_distance(b, m) == pytest.approx(math.sqrt(4 * b / (math.pi * m)), rel=1e-8)


def test_rare_moves_agree_with_the_poisson_limit() -> None:
    # 10^12 steps with probability 10^-12 each way: the difference of two Poisson(1) counts.
    weights = [math.exp(-1.0) / math.factorial(i) for i in range(40)]
    poisson = sum(a * b * abs(i - j) for i, a in enumerate(weights) for j, b in enumerate(weights))
    assert expected_distance(10**12, 10**12) == pytest.approx(poisson, rel=1e-11)


def test_no_steps_go_nowhere() -> None:
    assert expected_distance(0, 2) == expected_distance(0, 10) == 0.0


@pytest.mark.parametrize("inverse_probability", [2, 3, 10, 1000])
def test_distances_of_all_lengths_match_the_exact_walks(inverse_probability: int) -> None:
    found = expected_distances(40, inverse_probability)
    exact = [float(by_steps(steps, inverse_probability)) for steps in range(41)]
    assert found == pytest.approx(exact, rel=1e-13)
    # The normal limit is within a few parts in 10^5 here.
    many = expected_distances(50_000, inverse_probability)[-1]
    assert many == pytest.approx(math.sqrt(4 * 50_000 / (math.pi * inverse_probability)), rel=4e-3)
