"""Rules that release the running best: reference values, exact optima, accounts, models."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bounds.binomial import entropy, log_pmf
from holdfast.bounds.first_rung import (
    _below,
    first_rung,
    first_rung_any_labels,
    n_rungs,
    nearest_multiple,
)
from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.label_model import LabelModel
from holdfast.bounds.running_best import (
    exact_best_accuracy,
    improved_accuracy,
    ladder_accuracy,
)
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play, uniform_rows
from tests.bounds.two_class_model import coins

PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**9))
STEPS = st.sampled_from([Fraction(s) for s in ("1", "0.3", "0.01", "0.0001", "1/7", "0.0000001")])
TINY_STEPS = [Fraction(s) for s in ("1", "0.99999999", "2/3", "1/2", "0.3", "1/7")]


@pytest.mark.parametrize(
    ("n", "m", "k", "step", "points"),
    [
        (899, 10, 100, "0.01", 9.18),
        (899, 10, 1000, "0.01", 14.77),
        (899, 10, 10_000, "0.01", 21.70),
        (1797, 10, 1000, "0.01", 7.61),
        (10_000, 10, 1000, "0.001", 7.86),
        (10_000, 2, 1000, "0.01", 3.77),
    ],
)
def test_reference_values_of_the_ladder(n: int, m: int, k: int, step: str, points: float) -> None:
    accuracy = ladder_accuracy(Problem(n, m, k), Fraction(step))
    assert 100 * (accuracy - 1 / m) == pytest.approx(points, abs=0.011)


@pytest.mark.parametrize(
    ("n", "m", "k", "points"), [(10_000, 10, 100, 8.4), (10_000, 10, 1000, 23.6)]
)
def test_reference_values_of_the_exact_best(n: int, m: int, k: int, points: float) -> None:
    accuracy = exact_best_accuracy(Problem(n, m, k))
    assert 100 * (accuracy - 1 / m) == pytest.approx(points, abs=0.051)


def test_a_tie_of_the_first_rung_counts_up() -> None:
    # Rounded down, the first rung would hardly ever move and the bound would be .356 matches.
    best = best_play(uniform_rows(2, 10), 1, optimal_play.ladder(2, Fraction(1)))
    assert best == pytest.approx(0.19, abs=1e-12)
    assert ladder_accuracy(Problem(2, 10, 1), Fraction(1)) >= best
    down = -sum(x * math.log(x) for x in (0.01, 0.99))
    assert accuracy_from_information(down, 2, 10) < best


@pytest.mark.parametrize(("n", "m"), [(1, 2), (7, 2), (10, 3), (60, 10), (200, 7)])
@pytest.mark.parametrize("step", [*TINY_STEPS, Fraction("0.01")])
def test_the_first_rung_is_that_of_enumerated_counts(n: int, m: int, step: Fraction) -> None:
    law: dict[int, float] = {}
    for count in range(n + 1):
        share = math.comb(n, count) * (m - 1) ** (n - count) / m**n
        rung = nearest_multiple(Fraction(count, n), step)
        law[rung] = law.get(rung, 0.0) + share
    found = first_rung(n, m, step)
    assert found.entropy == pytest.approx(
        -sum(x * math.log(x) for x in law.values() if x > 0), abs=1e-10
    )
    mean = sum(rung * x for rung, x in law.items())
    assert mean - (1.0 if n * step <= 1 else 1e-9) <= found.mean <= mean + 1e-12
    assert len(law) <= n_rungs(n, step)
    # Limits for any labels hold for these too.
    loose = first_rung_any_labels(n, step, 1.0 / m)
    assert loose.mean <= mean + 1e-12
    assert loose.entropy >= found.entropy - 1e-9


def test_the_first_rung_of_many_examples_agrees_with_the_normal_limit() -> None:
    # 10^12 examples, 10 classes, deviation 3e5: with a step of 3e5 matches the rung is a rounded
    # standard normal number, nearly one with a twelfth more variance.
    n = 10**12
    step = Fraction(3 * 10**5, n)
    found = first_rung(n, 10, step)
    assert found.entropy == pytest.approx(0.5 * math.log(2 * math.pi * math.e * 13 / 12), abs=1e-4)
    assert found.mean == pytest.approx(10**11 / (3 * 10**5), abs=1.0)
    assert first_rung(n, 200, Fraction(1, 100)).entropy == pytest.approx(math.log(2.0), abs=1e-4)


@pytest.mark.parametrize(("n", "m"), [(10**9, 10), (10**12, 2), (10**12, 10**6)])
def test_the_distribution_function_agrees_with_summed_probabilities(n: int, m: int) -> None:
    deviation = math.sqrt(n / m * (1 - 1 / m))
    for away in (-5.0, -1.0, 0.0, 0.3, 4.0):
        start = n // m + int(away * deviation)
        size = min(20_000, int(deviation / 4))
        summed = np.exp(log_pmf(np.arange(start, start + size), n, m)).sum()
        assert _below(start + size, n, m) - _below(start, n, m) == pytest.approx(summed, abs=1e-10)


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 2), (4, 2), (1, 3), (2, 3), (2, 4)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_analyst_beats_the_bounds_on_tiny_problems(n: int, m: int, k: int) -> None:
    rows, problem = uniform_rows(n, m), Problem(n, m, k)
    for step in TINY_STEPS if m**n <= 16 else TINY_STEPS[::3]:
        best = best_play(rows, k, optimal_play.ladder(n, step))
        assert ladder_accuracy(problem, step) >= best
    assert exact_best_accuracy(problem) >= best_play(rows, k, optimal_play.exact_best)
    assert improved_accuracy(problem) >= best_play(rows, k, optimal_play.improved)


@pytest.mark.parametrize(("n", "m", "k"), [(1, 2, 2), (3, 2, 3), (2, 3, 3), (2, 4, 2), (3, 3, 2)])
@pytest.mark.parametrize("accounts", [2, 3])
def test_no_analyst_with_several_accounts_beats_the_bounds(
    n: int, m: int, k: int, accounts: int
) -> None:
    rows, problem = uniform_rows(n, m), Problem(n, m, k)
    for step in TINY_STEPS[::2]:
        best = best_play(rows, k, optimal_play.ladder(n, step), accounts=accounts)
        assert ladder_accuracy(problem, step, accounts=accounts) >= best
    best = best_play(rows, k, optimal_play.exact_best, accounts=accounts)
    assert exact_best_accuracy(problem, accounts=accounts) >= best
    best = best_play(rows, k, optimal_play.improved, accounts=accounts)
    assert improved_accuracy(problem, accounts=accounts) >= best


@pytest.mark.parametrize("seed", range(6))
def test_no_analyst_with_a_model_beats_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k, accounts = (int(rng.integers(low, high)) for low, high in ((1, 5), (1, 4), (1, 3)))
    likelier = rng.uniform(0.5, 1.0, n)
    rows = [[p, 1.0 - p] for p in likelier.tolist()]
    model, problem = coins(likelier.tolist()), Problem(n, 2, k)
    for step in TINY_STEPS[::2]:
        best = best_play(rows, k, optimal_play.ladder(n, step), accounts=accounts)
        assert ladder_accuracy(problem, step, accounts=accounts, model=model) >= best
    best = best_play(rows, k, optimal_play.exact_best, accounts=accounts)
    assert exact_best_accuracy(problem, accounts=accounts, model=model) >= best
    best = best_play(rows, k, optimal_play.improved, accounts=accounts)
    assert improved_accuracy(problem, accounts=accounts, model=model) >= best


def test_unequal_classes_break_the_bound_for_uniform_labels_and_not_the_one_with_a_model() -> None:
    step, problem = Fraction(1, 2), Problem(6, 2, 2)
    best = best_play([[0.95, 0.05]] * 6, 2, optimal_play.ladder(6, step))
    assert ladder_accuracy(problem, step) < best  # so it must not be quoted there
    assert ladder_accuracy(problem, step, model=coins([0.95] * 6)) >= best


def test_uniform_labels_as_a_model_cost_a_little_and_are_never_sharper() -> None:
    problem, step = Problem(1000, 10, 100), Fraction(1, 100)
    model = LabelModel.uniform(1000, 10)
    plain = ladder_accuracy(problem, step)
    assert plain <= ladder_accuracy(problem, step, model=model) <= plain + 0.02
    assert exact_best_accuracy(problem, model=model) >= exact_best_accuracy(problem)


@given(PROBLEMS, STEPS, st.integers(1, 50), st.integers(1, 1000))
def test_finite_within_range_and_rising_with_looks_and_accounts(
    problem: Problem, step: Fraction, accounts: int, more: int
) -> None:
    n, m, k = problem
    later = Problem(n, m, k + more)
    for bound in (
        lambda problem, accounts: ladder_accuracy(problem, step, accounts=accounts),
        lambda problem, accounts: exact_best_accuracy(problem, accounts=accounts),
        lambda problem, accounts: improved_accuracy(problem, accounts=accounts),
    ):
        value = bound(problem, accounts)
        assert 1 / m <= value <= 1
        assert value <= bound(later, accounts)
        assert value <= bound(problem, accounts + 1)


def test_looks_that_do_not_climb_cost_little_where_the_step_is_coarse() -> None:
    few = ladder_accuracy(Problem(10_000, 10, 100), Fraction(1, 100))
    many = ladder_accuracy(Problem(10_000, 10, 10_000), Fraction(1, 100))
    assert many - 0.1 < 2 * (few - 0.1)
    assert few < accuracy_from_information(100 * entropy(10_000, 10), 10_000, 10)


def test_bad_steps_and_accounts_are_refused() -> None:
    problem = Problem(100, 10, 5)
    with pytest.raises(InvalidInput, match=r"step must lie in \(0, 1\], got 2"):
        ladder_accuracy(problem, Fraction(2))
    with pytest.raises(InvalidInput, match="accounts must be at least 1, got 0"):
        ladder_accuracy(problem, Fraction(1), accounts=0)
