"""Bounds from the spread of answers: reference values, lemma Z, exact optima, models."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.bounds.label_model import LabelModel
from holdfast.bounds.spread_of_answers import (
    SHARES,
    _Spread,
    exact_accuracy,
    exact_answers,
    log_spread,
    rounded_accuracy,
)
from holdfast.bounds.tilted import information_adaptive_tilted
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play, uniform_rows
from tests.bounds.two_class_model import coins

PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**9))
STEPS = st.sampled_from([Fraction(s) for s in ("1", "0.3", "0.01", "0.0001", "1/7", "0.0000001")])


@pytest.mark.parametrize(
    ("n", "m", "k", "gain"),
    [
        (10_000, 10, 10, 348),
        (10_000, 10, 100, 1221),
        (10_000, 10, 1000, 4657),
        (10_000, 2, 100, 1700),
        (50_000, 1000, 1000, 2193),
        (1_000_000, 10, 100, 12_652),
    ],
)
def test_reference_values_of_exact_answers(n: int, m: int, k: int, gain: float) -> None:
    assert 0.98 * gain <= n * (exact_accuracy(Problem(n, m, k)) - 1 / m) <= gain


@pytest.mark.parametrize(
    ("n", "k", "points"), [(10_000, 100, 6.49), (10_000, 1000, 23.9), (1000, 100, 29.5)]
)
def test_reference_values_of_two_decimals(n: int, k: int, points: float) -> None:
    found = 100 * (rounded_accuracy(Problem(n, 10, k), Fraction(1, 100)) - 0.1)
    assert 0.98 * points <= found <= points


def binary_divergence(x: float, r: float) -> float:
    terms = [(x, r), (1.0 - x, 1.0 - r)]
    return sum(u * math.log(u / v) for u, v in terms if u > 0.0)


@pytest.mark.parametrize("seed", range(10))
def test_lemma_z_for_random_sums(seed: int) -> None:
    """Z summed term by term: every count, every second one, and the least price in every cell."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n = int(rng.choice([1, 2, 3, 7, 20, 100, 1000]))
        r = float(rng.choice([rng.uniform(0, 0.5), 10 ** rng.uniform(-6, 0) / 2, 0.5]))
        price = n * np.array([binary_divergence(y / n, r) for y in range(n + 1)])
        terms = np.exp(-SHARES[:, None] * price)
        plain = log_spread(n, _Spread(0.0, 1.0, 1.0))(r)
        assert (np.log(terms.sum(axis=1)) <= plain + 1e-12).all()
        parity = log_spread(n, _Spread(0.0, 1.0, 2.0))(r)
        for start in (0, 1):
            with np.errstate(divide="ignore"):
                assert (np.log(terms[:, start::2].sum(axis=1)) <= parity + 1e-12).all()
        step = Fraction(int(rng.integers(1, 40)), 40)
        if n * step <= 1:
            continue
        # Cells of accuracies around the multiples of the step; within one the least price counts.
        edges = [(float((2 * i - 1) * step / 2), float((2 * i + 1) * step / 2)) for i in range(60)]
        least = [
            n * binary_divergence(min(max(r, low), high), r)
            for low, high in ((max(0.0, a), min(1.0, b)) for a, b in edges if a <= 1.0)
        ]
        cells = np.exp(-SHARES[:, None] * np.array(least)).sum(axis=1)
        rounded = log_spread(n, _Spread(0.0, 3.0, float(n * step)))(r)
        assert (np.log(cells) <= rounded + 1e-12).all()


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 2), (4, 2), (1, 3), (2, 3), (2, 4)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_analyst_beats_the_bounds_on_tiny_problems(n: int, m: int, k: int) -> None:
    rows, problem = uniform_rows(n, m), Problem(n, m, k)
    best = best_play(rows, k, optimal_play.exact)
    assert best <= exact_accuracy(problem) <= exact_accuracy(problem, abstentions=True)
    for step in (Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(3, 10)):
        best = best_play(rows, k, optimal_play.rounded(n, step))
        assert best <= rounded_accuracy(problem, step)


@pytest.mark.parametrize("seed", range(6))
def test_no_analyst_with_a_model_beats_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = (int(rng.integers(low, high)) for low, high in ((2, 6), (1, 3)))
    likelier = rng.uniform(0.5, 1.0, n).tolist()
    rows, model = [[p, 1.0 - p] for p in likelier], coins(likelier)
    problem = Problem(n, 2, k)
    assert best_play(rows, k, optimal_play.exact) <= exact_accuracy(problem, model=model)
    for step in (Fraction(1), Fraction(1, 2), Fraction(3, 10)):
        best = best_play(rows, k, optimal_play.rounded(n, step))
        assert best <= rounded_accuracy(problem, step, model=model)


def test_uniform_labels_as_a_model_cost_next_to_nothing() -> None:
    problem, model = Problem(10_000, 10, 100), LabelModel.uniform(10_000, 10)
    plain = exact_accuracy(problem)
    assert plain <= exact_accuracy(problem, model=model) <= plain + 1e-3


@settings(max_examples=50)
@given(PROBLEMS, STEPS, st.integers(1, 1000), st.booleans())
def test_finite_within_range_and_rising_with_looks(
    problem: Problem, step: Fraction, more: int, abstentions: bool
) -> None:
    n, m, k = problem
    later = Problem(n, m, k + more)
    value = exact_accuracy(problem, abstentions=abstentions)
    assert 1 / m <= value <= exact_accuracy(later, abstentions=abstentions) <= 1
    rounded = rounded_accuracy(problem, step, abstentions=abstentions)
    assert 1 / m <= rounded <= rounded_accuracy(later, step, abstentions=abstentions) <= 1
    assert rounded <= value


def test_rises_with_every_single_look() -> None:
    values = [exact_accuracy(Problem(500, 7, k)) for k in range(1, 120)]
    assert values == sorted(values)


def test_sharper_than_tilting_where_looks_are_many() -> None:
    problem = Problem(10_000, 10, 1000)
    tilted = information_adaptive_tilted(problem).accuracy
    assert tilted is not None
    assert exact_accuracy(problem) < tilted - 0.08


def test_records_say_what_they_assume() -> None:
    two, three = Problem(100, 2, 5), Problem(100, 3, 5)
    assert any("abstentions" in text for text in exact_answers(two).assumptions)
    assert not any("abstentions" in text for text in exact_answers(three).assumptions)
    assert not any(
        "abstentions" in text for text in exact_answers(two, abstentions=True).assumptions
    )
    with pytest.raises(InvalidInput, match=r"step must lie in \(0, 1\], got 0"):
        rounded_accuracy(two, Fraction(0))
