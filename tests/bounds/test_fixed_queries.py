"""Queries fixed in advance: the cost of a gain, fixed designs enumerated, reference values."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from holdfast.bounds.binomial import divergence
from holdfast.bounds.block_majority import expected_accuracy
from holdfast.bounds.fixed_queries import (
    _two_class_hull,
    fixed_accuracy,
    fixed_queries,
    least_cost,
)
from holdfast.bounds.information import information_non_adaptive
from holdfast.problem import Problem
from tests.bounds.exhaustive import best_fixed_accuracy

PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**12))
CROWDED = st.builds(Problem, st.integers(1, 300), st.integers(2, 12), st.integers(1, 400))


@pytest.mark.parametrize(
    ("n", "m", "k", "gain"),
    [
        (10_000, 10, 10, 155),
        (10_000, 10, 100, 667),
        (10_000, 10, 1000, 3616),
        (10_000, 2, 2, 81),
        (10_000, 2, 100, 797),
        (50_000, 1000, 100, 206),
        (1_000_000, 10, 1000, 19_621),
    ],
)
def test_reference_values(n: int, m: int, k: int, gain: float) -> None:
    # Those were computed with sums over ends of intervals, which lie up to a tenth lower.
    assert 0.9 * gain <= n * (fixed_accuracy(Problem(n, m, k)) - 1 / m) <= gain


def coin_price(square: float) -> float:
    bias = math.sqrt(square)
    return sum(0.5 * x * math.log(x) for x in (1 + bias, 1 - bias) if x > 0)


@pytest.mark.parametrize("signal", [1e-4, 0.01, 0.1, 0.5, 0.9])
def test_the_cost_with_two_classes_is_the_integral(signal: float) -> None:
    square = signal**2
    exact = quad(
        lambda u: math.exp(u) * coin_price(square / (math.exp(u) * (1 - square) + square)),
        -60,
        0,
        limit=500,
    )[0]
    signals, costs = _two_class_hull()
    found = float(np.interp(signal, signals, costs))
    assert 0.995 * exact <= found <= exact
    if signal <= 0.01:
        assert exact == pytest.approx(0.5 * square * (math.log(1 / square) + 0.227), rel=1e-3)


def exact_cost(x: float, m: int) -> float:
    """The integral by quadrature, the best tilt and the best X by search."""
    whole = 1 - 1 / m
    steep = (m - 1) * math.log(m - 1) / (m - 2)

    def tilted(w: float) -> float:
        return -minimize_scalar(
            lambda s: math.log1p(w / m * (math.exp(s) - 1 - s)) - s * x,
            bounds=(0, 30),
            method="bounded",
            options={"xatol": 1e-9},
        ).fun

    def cost(log_floor: float) -> float:
        floor = math.exp(log_floor)

        def price(u: float) -> float:
            t = math.exp(u)
            w = t * whole + (1 - t) * floor
            return t * max(floor, divergence(x, m), tilted(w), steep * x * x / w)

        return quad(price, math.log(x * x) - 7, 0, limit=60, epsrel=1e-4)[0]

    low, high = math.log(x * x / whole), math.log(whole)
    return minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-2}).fun


@pytest.mark.slow
@pytest.mark.parametrize(("x", "m"), [(0.01, 3), (0.05, 10), (0.002, 10), (0.004, 1000)])
def test_the_cost_with_more_classes_is_the_integral(x: float, m: int) -> None:
    exact = exact_cost(x, m)
    assert 0.98 * exact <= least_cost(x, m) <= exact * 1.001


@pytest.mark.parametrize("m", [3, 4, 10, 1000])
def test_the_squared_distance_is_never_dearer_than_the_divergence(m: int) -> None:
    """KL(p || uniform) >= s_m |p - uniform|^2 for random laws p, and equal at one of them."""
    rng = np.random.default_rng(m)
    steep = (m - 1) * math.log(m - 1) / (m - 2)
    laws = np.concatenate([rng.dirichlet([a] * m, 200) for a in (0.02, 0.3, 3.0)])
    laws = np.append(laws, [[1 - 1 / m] + [1 / m / (m - 1)] * (m - 1)], axis=0)
    logs = np.log(np.maximum(laws * m, 1e-300))
    prices, squares = (laws * logs).sum(axis=1), ((laws - 1 / m) ** 2).sum(axis=1)
    assert (prices >= steep * squares * (1 - 1e-12)).all()
    assert prices[-1] == pytest.approx(steep * squares[-1], rel=1e-12)


def design(rng: np.random.Generator, n: int, m: int, k: int) -> tuple[np.ndarray, float]:
    """Return every example's gain with the best guess, and the answers' entropy, of one design."""
    vectors = np.array(list(itertools.product(range(m), repeat=n)))
    queries = rng.integers(0, rng.integers(2, m + 1), size=(k, n))
    answers = (queries[:, None, :] == vectors[None, :, :]).sum(axis=2).T
    _, cell = np.unique(answers, axis=0, return_inverse=True)
    cell = cell.ravel()
    sizes = np.bincount(cell)
    entropy = -float((sizes / len(vectors) * np.log(sizes / len(vectors))).sum())
    right = np.zeros(n)
    for j in range(n):
        tally = np.zeros((len(sizes), m))
        np.add.at(tally, (cell, vectors[:, j]), 1.0)
        right[j] = tally.max(axis=1).sum() / len(vectors)
    return right - 1 / m, entropy


@pytest.mark.parametrize(("n", "m"), [(9, 2), (6, 3), (5, 4), (4, 6)])
def test_the_costs_of_all_examples_never_exceed_the_entropy_of_the_answers(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    signals, costs = _two_class_hull()
    for k in (1, 2, 3, 4, 6):
        for _ in range(6):
            gains, entropy = design(rng, n, m, k)
            if m == 2:
                total = float(np.interp(2 * gains, signals, costs).sum())
            else:
                total = sum(least_cost(x, m) for x in gains.tolist())
            assert total <= entropy + 1e-9
            assert gains.mean() <= fixed_accuracy(Problem(n, m, k)) - 1 / m


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("k", [1, 2])
def test_no_fixed_queries_beat_the_bound(n: int, m: int, k: int) -> None:
    best = best_fixed_accuracy(n, m, k)
    assert best <= fixed_accuracy(Problem(n, m, k)) + 1e-15
    assert best <= fixed_accuracy(Problem(n, m, k), abstentions=True) + 1e-15


@pytest.mark.parametrize(("n", "m"), [(100, 2), (1000, 10), (10_000, 3), (10**6, 1000)])
def test_the_block_attack_stays_below_it(n: int, m: int) -> None:
    for k in (1, 2, 10, 50):
        assert expected_accuracy(Problem(n, m, k)) <= fixed_accuracy(Problem(n, m, k))


@settings(max_examples=40)
@given(PROBLEMS | CROWDED, st.integers(1, 1000))
def test_finite_within_range_rising_with_looks_and_below_the_entropy_alone(
    problem: Problem, more: int
) -> None:
    n, m, k = problem
    value = fixed_accuracy(problem)
    assert 1 / m <= value <= fixed_accuracy(Problem(n, m, k + more)) <= 1
    assert value <= fixed_accuracy(problem, abstentions=True)
    old = information_non_adaptive(problem).accuracy
    assert old is not None
    # The cost is at least the divergence; what is rounded up is at most a thousandth.
    assert value - 1 / m <= (old - 1 / m) * 1.002 + 1e-12


def test_the_growth_with_looks_is_that_of_the_square_root_for_few_looks() -> None:
    # Without the factor sqrt(log n) of the entropy alone: 100 times the examples, a tenth the bias.
    for m in (2, 10):
        small, large = (fixed_accuracy(Problem(n, m, 10)) - 1 / m for n in (10**6, 10**10))
        assert small / large == pytest.approx(100, rel=0.1)


def test_the_record_says_whom_it_binds() -> None:
    record = fixed_queries(Problem(100, 2, 5))
    assert record.analyst == "non-adaptive"
    assert any("abstentions" in text for text in record.assumptions)
    assert any("adaptive" in text for text in record.not_covered)
