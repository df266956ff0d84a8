"""k = 1: Theorem 9, and the attack against the best of ALL algorithms by full enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from tests.theorems.measure import measure


def best_of_all_algorithms(n, m):
    """Return the largest expected accuracy of any algorithm with one query.

    By symmetry the query is all 0. For each answer, the best output is found per position by
    counting the labels of all vectors with that answer: no output could do better.
    """
    total = 0
    vectors = list(itertools.product(range(m), repeat=n))
    for answer in range(n + 1):
        group = [z for z in vectors if z.count(0) == answer]
        for position in range(n):
            total += max(sum(z[position] == label for z in group) for label in range(m))
    return Fraction(total, n * m**n)


@pytest.mark.statement("acharya2020 thm:info")
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 2), (5, 2), (8, 2), (4, 3), (6, 3), (4, 5)])
def test_the_attack_attains_the_optimum_over_all_algorithms(n, m):
    problem = Problem(n, m, 1)
    matched = 0
    for hidden in itertools.product(range(m), repeat=n):
        attack = attacks.BlockMajority(problem, rng=np.random.default_rng(0), permuted=False)
        guess = play(attack, oracles.LabelOracle(np.array(hidden), problem=problem))
        matched += int(np.sum(guess == np.array(hidden)))
    best = best_of_all_algorithms(n, m)
    assert Fraction(matched, n * m**n) == best
    assert best <= 1 / m + 0.5 * math.sqrt(1 / (n * (m - 1))) + 1e-12


@pytest.mark.statement("acharya2020 thm:info")
@pytest.mark.parametrize(("n", "m"), [(100, 2), (300, 3), (1000, 10), (1000, 100)])
def test_no_measured_accuracy_exceeds_the_upper_bound(n, m):
    for cls in (attacks.BlockMajority, attacks.NaiveBayes, attacks.ColumnVote):
        measured = measure(cls, (n, m, 1), trials=300, seed=2)
        assert measured.mean <= 1 / m + 0.5 * math.sqrt(1 / (n * (m - 1))) + 4 * measured.stderr


@pytest.mark.parametrize(
    ("n", "m", "accuracy"),
    [(100, 2, 0.539795), (1000, 10, 0.104202), (10_000, 10, 0.101330), (2, 2, 0.75)],
)
def test_reference_values_are_met(n, m, accuracy):
    assert measure(attacks.BlockMajority, (n, m, 1), trials=1500, seed=5).agrees_with(accuracy)


@pytest.mark.parametrize("matches", [99, 100, 101])
def test_the_only_answer_is_compared_as_an_integer(matches):
    # 100/1000 is not a binary fraction: a float comparison with 1/10 could go either way.
    attack = attacks.BlockMajority(
        Problem(1000, 10, 1), rng=np.random.default_rng(0), permuted=False
    )
    attack.ask()
    attack.tell(matches / 1000)
    assert set(attack.predict().tolist()) == ({0} if matches >= 100 else {1})
