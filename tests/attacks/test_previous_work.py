"""The attacks that the paper builds on, against the constants known for them."""

import math

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.errors import InvalidInput
from tests.theorems.measure import measure


def test_boosting_and_its_weighted_form_reach_their_constants():
    n, k = 4000, 400
    boosted = measure(attacks.Boosting, (n, 2, k), trials=40, seed=1)
    weighted = measure(attacks.NaiveBayes, (n, 2, k), trials=40, seed=1)
    # The constants of the Gaussian limit; the limit itself is off by less than .003 here.
    for measured, constant in [(boosted, 0.225), (weighted, 0.399)]:
        assert abs(measured.mean - 0.5 - constant * math.sqrt(k / n)) < 4 * measured.stderr + 0.003


def test_boosting_is_for_two_classes():
    with pytest.raises(InvalidInput, match=r"n_classes must be 2 for Boosting .* got 3\."):
        attacks.Boosting(Problem(10, 3, 2), rng=np.random.default_rng(0))


def test_naive_bayes_reaches_its_constant_at_ten_classes():
    n, m, k = 10_000, 10, 100
    measured = measure(attacks.NaiveBayes, (n, m, k), trials=40, seed=2)
    # e_10 / sqrt(9) = .513 of sqrt(k/(mn)) in the Gaussian limit, e_10 the mean of the largest
    # of ten standard normals; a tenth is allowed for the limit.
    gain = (measured.mean - 1 / m) / math.sqrt(k / (m * n))
    assert abs(gain - 0.513) < 0.05 + 4 * measured.stderr / math.sqrt(k / (m * n))


def test_block_majority_beats_naive_bayes_when_classes_are_many():
    problem = (20_000, 100, 20)
    ours = measure(attacks.BlockMajority, problem, trials=150, seed=3)
    theirs = measure(attacks.NaiveBayes, problem, trials=150, seed=3)
    assert ours.mean > theirs.mean + 4 * np.hypot(ours.stderr, theirs.stderr)


@pytest.mark.parametrize(("n", "m", "k"), [(200, 2, 24), (200, 3, 38), (9, 2, 18)])
def test_exhaustive_search_decides_its_t_examples_almost_always(n, m, k):
    wrong = total = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        hidden = rng.integers(m, size=n)
        attack = attacks.Exhaustive(Problem(n, m, k), rng=rng)
        guess = play(attack, oracles.LabelOracle(hidden, problem=attack.problem))
        live = attack.n_live
        wrong += int(np.sum(guess[:live] != hidden[:live]))
        total += live
    assert wrong / total < 0.03


def test_exhaustive_search_decides_more_examples_than_column_vote_can_prove():
    problem = Problem(200, 2, 24)
    rng = np.random.default_rng(0)
    assert (
        attacks.Exhaustive(problem, rng=rng).n_live
        > 2 * attacks.ColumnVote(problem, rng=rng).n_live
    )


def test_a_search_out_of_reach_is_refused_with_what_would_be_in_reach():
    with pytest.raises(
        InvalidInput, match=r"must be at most 16777216 .* got 10 \*\* 30; choose n_live <= 7"
    ):
        attacks.Exhaustive(Problem(100, 10, 200), rng=np.random.default_rng(0))


@pytest.mark.parametrize("n_live", [0, 101])
def test_the_number_of_live_examples_must_fit(n_live):
    with pytest.raises(InvalidInput, match="n_live must be at"):
        attacks.Exhaustive(Problem(100, 2, 20), rng=np.random.default_rng(0), n_live=n_live)


@pytest.mark.parametrize("n_blocks", [0, 11])
def test_hill_climb_checks_its_blocks(n_blocks):
    with pytest.raises(InvalidInput, match="n_blocks must be at"):
        attacks.HillClimb(Problem(10, 2, 4), rng=np.random.default_rng(0), n_blocks=n_blocks)


def test_too_many_queries_for_block_majority_are_refused():
    with pytest.raises(InvalidInput, match=r"n_queries must be at most n_examples \+ 1 = 11"):
        attacks.BlockMajority(Problem(10, 2, 12), rng=np.random.default_rng(0))


def test_the_baseline_asks_nothing():
    attack = attacks.Constant(Problem(10, 2, 3), rng=np.random.default_rng(0))
    assert attack.ask() is None
