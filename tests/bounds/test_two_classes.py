"""Two classes and pairs of classes: the constants, reference values, exact optima."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from holdfast.bounds.two_classes import (
    ANY,
    CREDIT,
    PARITY,
    PRICE,
    _largest_v,
    pairs_accuracy,
    pairs_of_classes,
    two_classes,
    two_classes_accuracy,
)
from holdfast.optimal import optimal
from holdfast.problem import Problem
from tests.bounds.leverage_cells import SMALLEST, cells_that_fail, coin, integral, path, price


@pytest.mark.slow
def test_the_constants_are_proved_on_every_cell() -> None:
    looked, failed = cells_that_fail(PRICE, CREDIT, 10)
    assert failed == 0
    assert looked > 10_000


def test_the_cells_refuse_constants_that_are_too_good() -> None:
    # One small cell, cut four times: where the inequality is false no piece of it is proved.
    cell = np.array([0.05, 0.0505]), np.array([0.001, 0.00101])
    assert cells_that_fail(PRICE, CREDIT, 5, *cell)[1] == 0
    assert cells_that_fail(0.6, CREDIT, 5, *cell)[1] == 4**4
    low = np.array([0.0, 1e-5]), np.array([0.001, 0.00101])
    assert cells_that_fail(PRICE, CREDIT, 5, *low)[1] == 0
    assert cells_that_fail(PRICE, 0.7, 5, *low)[1] == 4**4


def test_the_inequality_holds_at_small_leverages() -> None:
    """Random points of the part that is proved by hand, with g(u) >= u/2 and J(f) integrated."""
    rng = np.random.default_rng(0)
    squares = np.concatenate([rng.uniform(0, 1, 300), 10 ** rng.uniform(-12, 0, 300), [0.0]])
    leverages = 10 ** rng.uniform(-12, math.log10(SMALLEST), squares.size)
    ratio = (1 / leverages - 1) / (1 - squares)
    more = ratio * np.log(ratio) / (ratio - 1) ** 2 - 1 / (ratio - 1)
    lower = 0.5 * (squares + (1 - squares) * more) - 0.5 * coin(leverages)
    assert (PRICE * squares - CREDIT * leverages <= lower).all()
    fine = np.geomspace(1e-9, 1, 20_001)
    for square, leverage in [(0.0, 1e-3), (0.3, 1e-4), (0.9, 1e-3)]:
        found = trapezoid(path(fine, square, leverage), fine)
        ratio = (1 / leverage - 1) / (1 - square)
        more = ratio * math.log(ratio) / (ratio - 1) ** 2 - 1 / (ratio - 1)
        assert square + (1 - square) * more == pytest.approx(found, rel=1e-5)


def test_lower_sums_lie_below_a_fine_integral() -> None:
    squares, leverages = np.array([0.0, 0.2, 0.9, 0.5]), np.array([0.001, 0.3, 0.5, 0.95])
    fine = (np.arange(400_000) + 0.5) / 400_000
    for square, leverage, found in zip(
        squares, leverages, integral(squares, leverages), strict=True
    ):
        exact = price(path(fine, square, leverage)).mean()
        assert exact * (1 - 0.03) <= found <= exact + 1e-9


@pytest.mark.parametrize(("k", "v"), [(2, 5.8), (10, 7.0), (100, 9.5), (300, 10.7), (1000, 12.0)])
def test_reference_values_of_v(k: int, v: float) -> None:
    assert _largest_v(k, PARITY) == pytest.approx(v, abs=0.051)
    assert _largest_v(k, ANY) > _largest_v(k, PARITY)


@pytest.mark.parametrize(
    ("n", "k", "gain"), [(10_000, 2, 170), (10_000, 100, 1537), (1_000_000, 100, 15_371)]
)
def test_reference_values(n: int, k: int, gain: float) -> None:
    assert n * (two_classes_accuracy(Problem(n, 2, k)) - 0.5) == pytest.approx(gain, abs=0.5)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_analyst_beats_the_bounds_on_tiny_problems(n: int, k: int) -> None:
    best = float(optimal(n, 2, k))
    assert best <= two_classes_accuracy(Problem(n, 2, k))
    assert best <= two_classes_accuracy(Problem(n, 2, k), abstentions=True)
    assert float(optimal(min(n, 4), 3, k)) <= pairs_accuracy(Problem(min(n, 4), 3, k))


def test_a_block_attack_stays_below_it_at_every_size() -> None:
    # Majorities of k blocks gain sqrt(k n / (2 pi)) with two classes.
    for n in (10**3, 10**6, 10**9):
        for k in (2, 10, 100):
            gain = n * (two_classes_accuracy(Problem(n, 2, k)) - 0.5)
            assert gain >= min(n / 2, math.sqrt(k * n / (2 * math.pi)))


@given(st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**12), st.integers(1, 1000))
def test_finite_within_range_and_rising_with_looks(n: int, m: int, k: int, more: int) -> None:
    value = pairs_accuracy(Problem(n, m, k))
    assert 1 / m <= value <= pairs_accuracy(Problem(n, m, k + more)) <= 1
    for abstentions in (False, True):
        value = two_classes_accuracy(Problem(n, 2, k), abstentions=abstentions)
        later = two_classes_accuracy(Problem(n, 2, k + more), abstentions=abstentions)
        assert 0.5 <= value <= later <= 1


def test_pairs_of_two_classes_are_two_classes_with_abstentions() -> None:
    problem = Problem(10_000, 2, 30)
    assert pairs_accuracy(problem) == pytest.approx(
        two_classes_accuracy(problem, abstentions=True), abs=1e-12
    )


def test_records_say_whom_they_bind() -> None:
    assert two_classes(Problem(100, 3, 5)).reason == "It is proved for m = 2 only, got m = 3."
    assert any("abstentions" in text for text in two_classes(Problem(100, 2, 5)).assumptions)
    assert pairs_of_classes(Problem(100, 3, 5)).applies
    assert "model" in pairs_of_classes(Problem(100, 3, 5)).not_covered[0]
