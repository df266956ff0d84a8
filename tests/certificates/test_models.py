"""Analysts with a model: what nats are worth to them, row by row."""

import numpy as np
import pytest

from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.label_model import accuracy_from_shares
from holdfast.bounds.models import accuracy_from_model, accuracy_from_predictions, free_accuracy
from holdfast.certificates import certify
from holdfast.errors import InvalidInput
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play


def random_prior(rng: np.random.Generator, n: int, m: int) -> Prior:
    return Prior.dense(rng.dirichlet(np.full(m, rng.choice([0.05, 0.3, 1.0, 5.0])), size=n))


def test_equal_rows_are_class_shares_and_even_ones_are_uniform_labels() -> None:
    rng = np.random.default_rng(0)
    for m in (2, 3, 7, 40):
        shares = rng.dirichlet(np.ones(m))
        for nats in (0.0, 0.01, 1.0, 20.0, 60.0):
            rows = accuracy_from_predictions(nats, Prior.dense(np.tile(shares, (50, 1))))
            assert rows == pytest.approx(accuracy_from_shares(nats, 50, shares), abs=1e-8)
            even = accuracy_from_predictions(nats, Prior.uniform(50, m))
            assert even == pytest.approx(accuracy_from_information(nats, 50, m), abs=1e-8)


def test_labels_beyond_the_first_64_are_put_together_on_the_safe_side() -> None:
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(300))
    for nats in (1.0, 50.0, 200.0):
        rows = accuracy_from_predictions(nats, Prior.dense(np.tile(shares, (50, 1))))
        exact = accuracy_from_shares(nats, 50, shares)
        assert exact - 1e-9 <= rows <= exact + 0.05
    even = accuracy_from_predictions(30.0, Prior.uniform(50, 300))
    assert even == pytest.approx(accuracy_from_information(30.0, 50, 300), abs=1e-8)


def test_no_model_of_an_accuracy_is_worse_than_the_worst() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        n, m = int(rng.integers(1, 20)), int(rng.integers(2, 9))
        prior = random_prior(rng, n, m)
        nats = n * float(rng.choice([1e-6, 0.01, 0.1, 0.5, 1.0]))
        worst = accuracy_from_model(nats, n, m, free_accuracy(prior))
        assert accuracy_from_predictions(nats, prior) <= worst + 1e-12


@pytest.mark.parametrize("accuracy", [0.1, 0.2, 0.25, 0.3, 0.45, 0.5, 0.7, 0.95])
def test_the_worst_model_has_two_numbers_of_candidates(accuracy: float) -> None:
    """The rows of the proof reach the bound, so it can't be lowered."""
    n, m = 1200, 10
    few = min(m - 1, int(1 / accuracy + 1e-9))
    share = few * ((few + 1) * accuracy - 1)
    some = round(n * share)
    rows = np.zeros((n, m))
    rows[:some, :few] = 1 / few
    rows[some:, : few + 1] = 1 / (few + 1)
    prior = Prior.dense(rows)
    assert free_accuracy(prior) == pytest.approx(accuracy, abs=1e-9)
    for nats in (1.0, 180.0):
        found = accuracy_from_predictions(nats, prior)
        assert found == pytest.approx(accuracy_from_model(nats, n, m, accuracy), abs=1e-7)


def test_a_model_that_knows_nothing_is_no_model() -> None:
    for nats in (0.0, 1e-9, 3.0, 500.0, 10_000.0):
        without = accuracy_from_information(nats, 2000, 7)
        assert accuracy_from_model(nats, 2000, 7, 1 / 7) == pytest.approx(without, abs=1e-10)


def test_shares_are_of_all_classes_and_of_the_whole() -> None:
    with pytest.raises(InvalidInput, match="shares of all 3 classes, got 2"):
        certify(Problem(100, 3, 5), knows=[0.5, 0.5])
    exact = certify(Problem(100, 2, 5), knows=[0.7, 0.3])
    rounded = certify(Problem(100, 2, 5), knows=[0.7 * (1 - 9e-7), 0.3 * (1 - 9e-7)])
    assert rounded.accuracy == pytest.approx(exact.accuracy, rel=1e-12)
    assert rounded.free == pytest.approx(0.7, rel=1e-12)


def test_an_accuracy_below_guessing_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"accuracy must lie between 1/n_classes = 0\.1 and 1"):
        certify(Problem(100, 10, 5), knows=0.05)
    with pytest.raises(InvalidInput, match="prior must have 100 examples"):
        certify(Problem(100, 10, 5), knows=Prior.uniform(99, 10))


def test_unequal_classes_need_their_own_bound() -> None:
    """Six labels, shares .95 and .05, two looks at a Ladder of step 1/2: 5.783 can be had."""
    shares, rule = [0.95, 0.05], parse_rule("ladder:0.5")
    best = best_play([shares] * 6, 2, optimal_play.ladder(6, optimal_play.Fraction(1, 2)))
    assert best <= certify(Problem(6, 2, 2), rule, knows=shares).accuracy


@pytest.mark.parametrize("text", ["exact", "round:1", "ladder:0.1", "improved"])
def test_who_knows_more_is_allowed_more_and_the_certificate_says_whom_it_binds(text: str) -> None:
    problem, rule = Problem(2000, 10, 20), parse_rule(text)
    rows = np.full((2000, 10), 0.04)
    rows[:, 0] = 0.64
    found = [certify(problem, rule, knows=knows) for knows in (None, Prior.dense(rows), 0.64)]
    assert [each.accuracy for each in found] == sorted(each.accuracy for each in found)
    assert "without a model" in found[0].binds
    assert "this model" in found[1].binds
    assert "64 % of the examples" in found[2].binds
