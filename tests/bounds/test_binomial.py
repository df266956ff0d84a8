import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.bounds.binomial import divergence, entropy, excess, log_pmf, mean_absolute_deviation


def exact_pmf(n: int, m: int) -> list[Fraction]:
    return [Fraction(math.comb(n, x) * (m - 1) ** (n - x), m**n) for x in range(n + 1)]


def log_of(value: Fraction) -> float:
    # math.log takes integers of any size, unlike float().
    return math.log(value.numerator) - math.log(value.denominator)


SIZES = [(1, 2), (1, 7), (2, 2), (3, 5), (16, 3), (17, 100), (400, 2), (400, 10), (1100, 2)]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_log_probabilities_match_exact_fractions(n: int, m: int) -> None:
    expected = np.array([log_of(p) for p in exact_pmf(n, m)])
    np.testing.assert_allclose(log_pmf(np.arange(n + 1), n, m), expected, rtol=3e-13, atol=3e-13)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_entropy_and_mean_absolute_deviation_match_exact_fractions(n: int, m: int) -> None:
    pmf = exact_pmf(n, m)
    assert entropy(n, m) == pytest.approx(-math.fsum(float(p) * log_of(p) for p in pmf), rel=1e-12)
    deviation = sum(p * abs(x - Fraction(n, m)) for x, p in enumerate(pmf))
    assert mean_absolute_deviation(n, m) == pytest.approx(float(deviation), rel=1e-12)


@pytest.mark.parametrize("m", [2, 10, 1000])
def test_sums_over_every_sth_count_agree_with_full_sums(m: int) -> None:
    n = 10**6
    log_p = log_pmf(np.arange(n + 1), n, m)
    p = np.exp(log_p)
    assert math.fsum(p) == pytest.approx(1.0, abs=1e-12)
    assert entropy(n, m) == pytest.approx(-math.fsum(p * log_p), rel=1e-12)
    deviation = math.fsum(p * np.abs(np.arange(n + 1) - n / m))
    assert mean_absolute_deviation(n, m) == pytest.approx(deviation, rel=1e-12)


@pytest.mark.parametrize("m", [2, 10, 1000])
def test_a_trillion_examples_agree_with_the_normal_limit(m: int) -> None:
    n = 10**12
    variance = n / m * (1 - 1 / m)
    # Both corrections are of the order 1/variance, below 1e-8 here.
    assert entropy(n, m) == pytest.approx(0.5 * math.log(2 * math.pi * math.e * variance), abs=1e-8)
    assert mean_absolute_deviation(n, m) == pytest.approx(math.sqrt(2 * variance / math.pi), 1e-8)


@pytest.mark.parametrize("m", [2, 3, 10, 1000])
def test_divergence_is_zero_at_the_baseline_and_log_m_at_one(m: int) -> None:
    assert divergence(0.0, m) == 0.0
    assert divergence(1.0 - 1.0 / m, m) == math.log(m)
    gains = np.linspace(0.0, 1.0 - 1.0 / m, 1000)
    values = [divergence(float(x), m) for x in gains]
    assert all(a < b for a, b in itertools.pairwise(values))


def test_divergence_keeps_its_digits_for_tiny_gains() -> None:
    # KL(p + x || p) = x^2/(2pq) - x^3 (q-p)/(6 p^2 q^2) + O(x^4), the rest below rounding here.
    x, p, q = 1e-9, 0.1, 0.9
    expected = x**2 / (2 * p * q) - x**3 * (q**2 - p**2) / (6 * p**2 * q**2)
    assert divergence(x, 10) == pytest.approx(expected, rel=1e-12)


def test_both_branches_of_excess_agree_where_they_meet() -> None:
    for e in (0.2, -0.2):
        inside, outside = excess(e * (1 - 1e-12)), excess(e)
        assert inside == pytest.approx(outside, rel=1e-11)
