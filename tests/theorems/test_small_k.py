"""Theorem 3 and its form without features: measured, at both ends of the range of k."""

import math

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.attacks.without_features import BlockMajority as BlindBlockMajority
from holdfast.attacks.without_features import ByIndex
from holdfast.bounds import block_majority
from tests.theorems.measure import measure


def guarantee(n, m, k, constant=1 / 8):
    return 1 / m + constant * math.sqrt(k / (m * n))


EDGES = [
    (n, m, k)
    for n, m in [(400, 2), (600, 3), (2000, 10), (4000, 100)]
    for k in sorted({1, 2, 3, 1 + n // (2 * m)})
]


@pytest.mark.statement("acharya2020 thm:small")
@pytest.mark.statement("acharya2020 fig:smallk")
@pytest.mark.parametrize(("n", "m", "k"), EDGES)
def test_block_majority_reaches_the_guarantee_and_its_exact_value(n, m, k):
    measured = measure(attacks.BlockMajority, (n, m, k), trials=300, seed=n + k)
    assert measured.at_least(guarantee(n, m, k))
    assert measured.agrees_with(block_majority.expected_accuracy(Problem(n, m, k)))


@pytest.mark.statement("acharya2020 thm:small")
@pytest.mark.statement("acharya2020 fig:smallk-unk")
@pytest.mark.parametrize(
    ("n", "m", "k"), [(n, m, k) for n, m, k in EDGES if k in (1, 2, 1 + n // (2 * m))]
)
def test_block_majority_without_features_reaches_half_the_guarantee_and_its_exact_value(n, m, k):
    measured = measure(BlindBlockMajority, (n, m, k), trials=100, seed=n + k, blind=True)
    assert measured.at_least(guarantee(n, m, k, constant=1 / 16))
    exact = block_majority.expected_accuracy_without_features(Problem(n, m, k))
    assert measured.agrees_with(exact)


@pytest.mark.statement("acharya2020 remark:index")
@pytest.mark.statement("acharya2020 thm:small")
@pytest.mark.parametrize(("n", "m", "k"), [(400, 2, 101), (600, 3, 101), (2000, 10, 101)])
def test_an_index_alone_is_enough_for_the_guarantee_where_no_two_rows_differ(n, m, k):
    problem, rows = Problem(n, m, k), np.zeros((n, 1))
    scores = []
    for child in np.random.SeedSequence(n).spawn(100):
        rng = np.random.default_rng(child)
        hidden = rng.integers(m, size=n)
        attack = ByIndex(BlindBlockMajority(problem, rng=rng))
        oracle = oracles.IndexedOracle(rows, hidden, problem=problem, rng=rng)
        scores.append(np.mean(play(attack, oracle).predict(rows, np.arange(n)) == hidden))
    stderr = np.std(scores, ddof=1) / 10
    assert np.mean(scores) >= guarantee(n, m, k) - 4 * stderr
    exact = block_majority.expected_accuracy_without_features(problem)
    assert abs(np.mean(scores) - exact) <= 4 * stderr


@pytest.mark.parametrize(
    ("problem", "accuracy"),
    [((10_000, 10, 2), 0.101784), ((10_000, 10, 101), 0.117751), ((10_000, 100, 51), 0.013860)],
)
def test_reference_values_are_met(problem, accuracy):
    measured = measure(attacks.BlockMajority, problem, trials=200, seed=8)
    assert measured.agrees_with(accuracy)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "accuracy"), [((10_000, 2, 1000), 0.623047), ((10_000, 10, 10_001), 0.2)]
)
def test_reference_values_with_many_blocks_are_met(problem, accuracy):
    measured = measure(attacks.BlockMajority, problem, trials=40, seed=8)
    assert measured.agrees_with(accuracy)


def test_one_block_per_example_scores_exactly_the_share_of_two_labels():
    n, m = 300, 5
    rng = np.random.default_rng(4)
    hidden = rng.integers(m, size=n)
    attack = attacks.BlockMajority(Problem(n, m, n + 1), rng=rng, permuted=False)

    guess = play(attack, oracles.LabelOracle(hidden, problem=attack.problem))
    assert np.sum(guess == hidden) == np.sum(hidden < 2)


def test_climbing_one_pass_equals_comparing_neighbours():
    problem = (1000, 10, 51)
    compared = measure(attacks.BlockMajority, problem, trials=30, seed=3)
    climbed = measure(attacks.HillClimb, problem, trials=30, seed=3)
    # A tie keeps 0 in one and takes 0 in the other, so the games are equal up to ties.
    assert compared.mean == climbed.mean


def test_more_passes_climb_further():
    once = measure(attacks.HillClimb, (500, 10, 26), trials=60, seed=3)
    often = measure(
        lambda problem, rng: attacks.HillClimb(problem, rng=rng, n_blocks=25),
        (500, 10, 226),
        trials=60,
        seed=3,
    )
    assert often.mean > once.mean + 4 * np.hypot(once.stderr, often.stderr)
