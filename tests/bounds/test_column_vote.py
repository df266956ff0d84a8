import math

import numpy as np
import pytest

from holdfast.bounds.column_vote import predicted_accuracy, vote_success, voted_examples
from holdfast.errors import InvalidInput
from holdfast.problem import Problem


def simulated_success(k: int, m: int, t: int, trials: int, rng: np.random.Generator) -> list[float]:
    """Share of right votes per trial: near-balanced columns, averages, ties at random."""
    shares = []
    for _ in range(trials):
        columns = rng.permuted(np.arange(k * t).reshape(t, k) % k % m, axis=1)
        truth = rng.integers(m, size=t)
        answers = (columns == truth[:, None]).sum(axis=0).astype(float)
        means = np.stack(
            [np.where(columns == z, answers, 0).sum(axis=1) for z in range(m)], axis=1
        ) / np.stack([(columns == z).sum(axis=1) for z in range(m)], axis=1)
        guess = np.argmax(means + 1e-9 * rng.random(means.shape), axis=1)
        shares.append(float((guess == truth).mean()))
    return shares


@pytest.mark.statement("acharya2020 fig:largek")
@pytest.mark.parametrize(
    ("k", "m", "t"),
    [(200, 10, 100), (400, 10, 400), (60, 2, 60), (300, 3, 100), (400, 100, 40), (20, 10, 30)],
)
def test_the_prediction_is_within_two_points_of_simulation(k: int, m: int, t: int) -> None:
    shares = simulated_success(k, m, t, 20, np.random.default_rng(2019))
    stderr = float(np.std(shares, ddof=1)) / math.sqrt(len(shares))
    assert abs(float(np.mean(shares)) - vote_success(k, m, t)) <= 0.02 + 4 * stderr


def test_the_voted_examples_are_floored_and_capped() -> None:
    assert voted_examples(Problem(10_000, 10, 207_211)) == 9_999
    assert voted_examples(Problem(10_000, 10, 207_212)) == 10_000
    assert voted_examples(Problem(10_000, 10, 10**9)) == 10_000
    assert voted_examples(Problem(10_000, 10, 1)) == 1
    assert voted_examples(Problem(100, 10, 50), queries_per_nat=1.0) == 22


def test_a_single_voted_example_is_certain_once_every_label_was_shown() -> None:
    assert vote_success(10, 10, 1) == 1.0
    assert vote_success(4, 10, 1) == 0.4
    assert predicted_accuracy(Problem(1, 10, 10)) == 1.0


def test_the_prediction_exceeds_the_guarantee_where_theorem_six_applies() -> None:
    for n, m, k in [(10_000, 10, 2080), (10_000, 10, 200_000), (1000, 2, 13), (500, 100, 5000)]:
        guarantee = 1 / m + k / (36 * n * math.log(m))
        assert predicted_accuracy(Problem(n, m, k)) >= guarantee


@pytest.mark.parametrize("constant", [0.0, -9.0, math.nan])
def test_a_constant_outside_its_range_is_refused(constant: float) -> None:
    with pytest.raises(InvalidInput, match="queries_per_nat must be positive, got"):
        voted_examples(Problem(10, 2, 1), queries_per_nat=constant)
