"""No attack of the paper holds its k x n queries: they are made when asked, and again to decode."""

import tracemalloc

import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.attacks import without_features
from holdfast.oracles import ClassifierOracle, LabelOracle

N = K = 4000
MATRIX = N * K  # bytes, at one byte a label


def peak_of_a_game(attack, oracle):
    """Return the most bytes allocated at a time while the game is played."""
    play(attack(), oracle())  # once before, so that compiled code is there
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        play(attack(), oracle())
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "m", "options"),
    [
        ("BlockMajority", 3, {}),
        ("HillClimb", 3, {}),
        ("ColumnVote", 3, {"queries_per_nat": 1e-6}),
        ("UniformVote", 3, {"queries_per_nat": 1e-6}),
        ("NaiveBayes", 3, {}),
        ("Boosting", 2, {}),
        ("Exhaustive", 3, {"n_live": 3}),
    ],
)
def test_a_game_needs_a_small_part_of_the_whole_matrix(name, m, options):
    problem = Problem(N, m, K)
    hidden = np.random.default_rng(0).integers(m, size=N)

    def attack():
        return getattr(attacks, name)(problem, rng=np.random.default_rng(1), **options)

    def oracle():
        return LabelOracle(hidden, problem=problem)

    assert peak_of_a_game(attack, oracle) < MATRIX / 8


@pytest.mark.parametrize("name", ["BlockMajority", "ColumnVote", "NaiveBayes"])
def test_nor_does_a_game_without_features(name):
    problem = Problem(N, 3, 500)
    X = np.arange(N, dtype=np.uint64)[:, None]

    def attack():
        return getattr(without_features, name)(problem, rng=np.random.default_rng(1))

    def oracle():
        return ClassifierOracle(X, np.arange(N) % 3, problem=problem)

    assert peak_of_a_game(attack, oracle) < 500 * N / 4
