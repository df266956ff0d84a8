"""Matches drawn from the law of counts: the same law as whole games on labels."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from holdfast import Problem, play
from holdfast.attacks import (
    BlockMajority,
    ColumnVote,
    Constant,
    Lattice,
    UniformVote,
)
from holdfast.bounds.block_majority import expected_accuracy
from holdfast.experiments.suite import attack_on
from holdfast.oracles import LabelOracle
from holdfast.rules import Exact
from holdfast.sweeps.drawn import drawn_matches


def played(cls, problem, labels, rng):
    attack = attack_on(cls, problem, rng, Exact())
    guess = play(attack, LabelOracle(labels, problem=problem), until_refused=True)
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
        [drawn_matches(BlockMajority, problem, rng) for _ in range(draws)], minlength=n + 1
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
    drawn = [drawn_matches(BlockMajority, problem, rng) for _ in range(games)]
    assert stats.ks_2samp(real, drawn).pvalue > 1e-3


@pytest.mark.parametrize(
    ("cls", "sizes"),
    [
        (ColumnVote, (60, 3, 90)),
        (ColumnVote, (101, 10, 40)),
        (UniformVote, (60, 3, 90)),
    ],
)
def test_other_laws_of_counts_are_those_of_whole_games(cls, sizes):
    problem, rng, games = Problem(*sizes), np.random.default_rng(75), 1200
    n, m, _ = problem
    hidden = rng.integers(m, size=n)
    real = [played(cls, problem, hidden, rng) for _ in range(games)]
    drawn = [drawn_matches(cls, problem, rng) for _ in range(games)]
    assert stats.ks_2samp(real, drawn).pvalue > 1e-3
    error = math.sqrt((np.var(real) + np.var(drawn)) / games)
    assert abs(np.mean(real) - np.mean(drawn)) < 4 * error + 1e-12


def test_live_columns_are_played_however_many_the_others_are():
    rng = np.random.default_rng(76)
    problem = Problem(10**12, 4, 1000)
    drawn = [drawn_matches(ColumnVote, problem, rng) for _ in range(20)]
    spread = math.sqrt(10**12 * 3 / 16 / 20)
    assert abs(np.mean(drawn) - 10**12 / 4) < 4 * spread


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_the_mean_is_the_exact_expectation_at_every_size(n):
    problem, rng, games = Problem(n, 10, 101), np.random.default_rng(73), 400
    drawn = np.array([drawn_matches(BlockMajority, problem, rng) / n for _ in range(games)])
    error = drawn.std(ddof=1) / math.sqrt(games)
    assert abs(drawn.mean() - expected_accuracy(problem)) < 4 * error


def test_a_guess_is_right_with_probability_one_in_m():
    rng = np.random.default_rng(74)
    drawn = [drawn_matches(Constant, Problem(300, 5, 1), rng) for _ in range(2000)]
    assert abs(np.mean(drawn) - 60) < 4 * math.sqrt(300 * 0.16 / 2000)


def test_an_attack_whose_law_needs_labels_draws_nothing():
    assert drawn_matches(Lattice, Problem(30, 2, 5), np.random.default_rng(0)) is None
