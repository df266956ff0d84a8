"""Matches drawn from the law of counts: the same law as whole games on labels."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from holdfast import Problem, play
from holdfast.attacks import BlockMajority, Constant, Lattice
from holdfast.bounds.block_majority import expected_accuracy
from holdfast.oracles import LabelOracle


def played(cls, problem, labels, rng):
    guess = play(cls(problem, rng=rng), LabelOracle(labels, problem=problem))
    return int(np.count_nonzero(guess == labels))


@pytest.mark.parametrize("sizes", [(4, 2, 3), (5, 2, 1), (4, 3, 3), (5, 3, 2)])
def test_tiny_problems_have_the_law_of_full_enumeration(sizes):
    """Every label vector once, without the permutation: the exact law of uniform labels."""
    problem = Problem(*sizes)
    n, m, _ = problem
    law = np.zeros(n + 1)
    for labels in product(range(m), repeat=n):
        attack = BlockMajority(problem, rng=np.random.default_rng(0), permuted=False)
        hidden = np.array(labels)
        guess = play(attack, LabelOracle(hidden, problem=problem))
        law[int(np.count_nonzero(guess == hidden))] += m**-n
    rng, draws = np.random.default_rng(71), 20_000
    seen = np.bincount(
        [BlockMajority.drawn_matches(problem, rng) for _ in range(draws)], minlength=n + 1
    )
    assert not seen[law == 0].any()
    assert stats.chisquare(seen[law > 0], draws * law[law > 0]).pvalue > 1e-3


@pytest.mark.parametrize("sizes", [(60, 3, 7), (101, 10, 11), (40, 2, 1)])
@pytest.mark.parametrize("labels", ["uniform", "one class"])
def test_whole_games_have_the_same_law_on_any_labels(sizes, labels):
    problem, rng, games = Problem(*sizes), np.random.default_rng(72), 1500
    n, m, _ = problem
    hidden = np.zeros(n, dtype=int) if labels == "one class" else rng.integers(m, size=n)
    real = [played(BlockMajority, problem, hidden, rng) for _ in range(games)]
    drawn = [BlockMajority.drawn_matches(problem, rng) for _ in range(games)]
    assert stats.ks_2samp(real, drawn).pvalue > 1e-3


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_the_mean_is_the_exact_expectation_at_every_size(n):
    problem, rng, games = Problem(n, 10, 101), np.random.default_rng(73), 400
    drawn = np.array([BlockMajority.drawn_matches(problem, rng) / n for _ in range(games)])
    error = drawn.std(ddof=1) / math.sqrt(games)
    assert abs(drawn.mean() - expected_accuracy(problem)) < 4 * error


def test_a_guess_is_right_with_probability_one_in_m():
    rng = np.random.default_rng(74)
    drawn = [Constant.drawn_matches(Problem(300, 5, 1), rng) for _ in range(2000)]
    assert abs(np.mean(drawn) - 60) < 4 * math.sqrt(300 * 0.16 / 2000)


def test_an_attack_whose_law_needs_labels_draws_nothing():
    assert Lattice.drawn_matches(Problem(30, 2, 5), np.random.default_rng(0)) is None
