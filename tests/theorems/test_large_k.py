"""Theorem 6 and its form without features: measured at both ends of the range of k."""

import math

import numpy as np
import pytest

from holdfast import Problem, attacks
from holdfast.attacks.without_features import ColumnVote as BlindColumnVote
from holdfast.attacks.without_features import UniformVote as BlindUniformVote
from holdfast.bounds import column_vote
from tests.theorems.measure import measure


def smallest_k(m):
    return math.floor(9 * m * math.log(m)) + 1


def largest_k(n, m):
    return math.floor(9 * (n - 1) * math.log(m))


def guarantee(n, m, k):
    return 1 / m + k / (36 * n * math.log(m))


EDGES = [
    (100, 2, smallest_k(2)),
    (100, 2, largest_k(100, 2)),
    (100, 3, smallest_k(3)),
    (100, 3, largest_k(100, 3)),
    (300, 10, smallest_k(10)),
    (100, 10, largest_k(100, 10)),
    pytest.param(150, 100, smallest_k(100), marks=pytest.mark.slow),
    pytest.param(150, 100, largest_k(150, 100), marks=pytest.mark.slow),
]


@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.statement("acharya2020 fig:largek")
@pytest.mark.parametrize(("n", "m", "k"), EDGES)
def test_column_vote_reaches_the_guarantee(n, m, k):
    measured = measure(attacks.ColumnVote, (n, m, k), trials=25, seed=n + m)
    assert measured.at_least(guarantee(n, m, k))


@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.statement("acharya2020 fig:largek-unk")
@pytest.mark.parametrize(("n", "m", "k"), EDGES)
def test_column_vote_without_features_reaches_the_guarantee(n, m, k):
    trials = 12 if k < 1000 else 4  # a query that is a classifier takes longer to ask
    measured = measure(BlindColumnVote, (n, m, k), trials=trials, seed=n + m, blind=True)
    assert measured.at_least(guarantee(n, m, k))


@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.statement("acharya2020 remark:uniform")
@pytest.mark.statement("acharya2020 remark:multiple")
@pytest.mark.parametrize("cls", [attacks.ColumnVote, attacks.UniformVote])
@pytest.mark.parametrize(("n", "m", "k"), [(2000, 10, 2080), (1000, 3, 1001), (1000, 2, 501)])
def test_each_of_the_t_labels_is_right_more_than_three_times_in_four(cls, n, m, k):
    measured = measure(cls, (n, m, k), trials=20, seed=6)
    t = cls(Problem(n, m, k), rng=np.random.default_rng(0)).n_live
    # The other n - t examples are right one time in m.
    needed = (0.75 * t + (n - t) / m) / n
    assert measured.at_least(needed)
    predicted = column_vote.predicted_accuracy(Problem(n, m, k))
    # The normal limit is good to two points of each of the t labels.
    assert abs(measured.mean - predicted) <= 4 * measured.stderr + 0.02 * t / n


@pytest.mark.statement("acharya2020 remark:uniform")
def test_sums_instead_of_averages_fail_on_uniform_columns():
    class Sums(attacks.UniformVote):
        _average = False

    problem = (2000, 10, 2080)
    averages = measure(attacks.UniformVote, problem, trials=10, seed=6)
    sums = measure(Sums, problem, trials=10, seed=6)
    assert averages.mean > sums.mean + 4 * np.hypot(averages.stderr, sums.stderr)


@pytest.mark.statement("acharya2020 remark:uniform")
def test_uniform_columns_without_features_gain_as_much():
    known = measure(attacks.UniformVote, (400, 3, 600), trials=30, seed=9)
    blind = measure(BlindUniformVote, (400, 3, 600), trials=20, seed=9, blind=True)
    assert known.agrees_with(blind.mean, other_stderr=blind.stderr)


@pytest.mark.slow
def test_deciding_every_example_less_surely_gains_more_in_total():
    problem = (10_000, 10, 1000)
    sure = measure(attacks.ColumnVote, problem, trials=10, seed=1)
    eager = measure(
        lambda problem, rng: attacks.ColumnVote(problem, rng=rng, queries_per_nat=1e-9),
        problem,
        trials=10,
        seed=1,
    )
    assert abs((sure.mean - 0.1) * 10_000 - 54) <= 4 * sure.stderr * 10_000 + 10
    assert abs((eager.mean - 0.1) * 10_000 - 614) <= 4 * eager.stderr * 10_000 + 10


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_the_constant_must_be_positive(value):
    from holdfast.errors import InvalidInput

    with pytest.raises(InvalidInput, match="queries_per_nat must be positive"):
        attacks.ColumnVote(Problem(10, 2, 5), rng=np.random.default_rng(0), queries_per_nat=value)
