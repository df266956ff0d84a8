import itertools
import math

import pytest

from holdfast.bounds import acharya2020
from holdfast.bounds.block_majority import expected_accuracy, expected_accuracy_without_features
from holdfast.bounds.record import Bound
from holdfast.problem import Problem
from tests.bounds.exhaustive import best_adaptive_accuracy, matches, vectors

CLASSES = [2, 3, 10, 100]


def value(bound: Bound) -> float:
    assert bound.accuracy is not None, bound.reason
    return bound.accuracy


@pytest.mark.statement("acharya2020 thm:small")
@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("blocks", [1, 2, 7, 50])
def test_small_k_holds_up_to_one_plus_n_over_two_m_and_no_further(m: int, blocks: int) -> None:
    n = 2 * m * blocks
    for k in {1, 2, blocks, blocks + 1}:
        problem = Problem(n, m, k)
        assert value(acharya2020.small_k(problem)) == 1 / m + math.sqrt(k / (m * n)) / 8
        assert value(acharya2020.small_k(problem)) <= expected_accuracy(problem)
    beyond = acharya2020.small_k(Problem(n, m, blocks + 2))
    assert beyond.accuracy is None
    assert beyond.reason == f"k must be at most 1 + n/(2m) = {blocks + 1}, got {blocks + 2}."
    # One example less and the last k is outside.
    assert not acharya2020.small_k(Problem(n - 1, m, blocks + 1)).applies


@pytest.mark.statement("acharya2020 thm:small")
def test_small_k_compares_integers_at_the_edge() -> None:
    # 1 + n/(2m) is not a float here: 2m (k-1) = n exactly, beyond 2^53.
    m, blocks = 3, 2**53 + 1
    assert acharya2020.small_k(Problem(2 * m * blocks, m, blocks + 1)).applies
    assert not acharya2020.small_k(Problem(2 * m * blocks - 1, m, blocks + 1)).applies


@pytest.mark.statement("acharya2020 thm:small")
def test_small_k_needs_as_many_examples_as_classes() -> None:
    assert acharya2020.small_k(Problem(10, 10, 1)).applies
    assert acharya2020.small_k(Problem(9, 10, 1)).reason == "n must be at least m = 10, got 9."


@pytest.mark.statement("acharya2020 fig:smallk-unk")
@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("blocks", [1, 2, 7, 50])
def test_small_k_without_features_has_half_the_gain(m: int, blocks: int) -> None:
    n = 2 * m * blocks
    for k in {1, 2, blocks + 1}:
        problem = Problem(n, m, k)
        bound = acharya2020.small_k_without_features(problem)
        assert value(bound) == 1 / m + math.sqrt(k / (m * n)) / 16
        assert value(bound) <= expected_accuracy_without_features(problem)
    assert not acharya2020.small_k_without_features(Problem(n, m, blocks + 2)).applies


@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.parametrize("m", CLASSES)
def test_large_k_holds_between_its_two_limits(m: int) -> None:
    n = 4 * m
    lowest = math.floor(9 * m * math.log(m)) + 1
    highest = math.floor(9 * (n - 1) * math.log(m))
    for k in (lowest, highest):
        expected = 1 / m + k / (36 * n * math.log(m))
        assert value(acharya2020.large_k(Problem(n, m, k))) == pytest.approx(expected, rel=1e-14)
    below = acharya2020.large_k(Problem(n, m, lowest - 1))
    beyond = acharya2020.large_k(Problem(n, m, highest + 1))
    assert below.accuracy is None
    assert "above 9 m log m" in str(below.reason)
    assert beyond.accuracy is None
    assert "at most 9 (n-1) log m" in str(beyond.reason)


@pytest.mark.statement("acharya2020 thm:large")
def test_large_k_never_claims_more_than_everything() -> None:
    # The paper's right side is 1.31 here.
    assert not acharya2020.large_k(Problem(10_000, 10, 10**6)).applies


def error_of_one_vote(m: int, k: int) -> float:
    """The proof's bound on P(a voted label is wrong), docs/bounds/achievable.md."""
    per_label, rest = divmod(k, m)
    most = per_label + (rest > 0)
    others = math.floor(k / (9 * math.log(m)))
    if m == 2:
        reach = 1 / per_label + 1 / most
        return math.exp(-2 / (others * most * reach**2))
    variance = others * most * 2 / (per_label * k)
    return (m - 1) * math.exp(-0.5 / (variance + 1 / (3 * per_label)))


@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.parametrize("m", [2, 3, 4, 5, 10, 100, 1000])
def test_the_corrected_proof_covers_every_k_and_not_only_multiples_of_m(m: int) -> None:
    lowest = math.floor(9 * m * math.log(m)) + 1
    for k in range(lowest, lowest + 5 * m + 50):
        assert error_of_one_vote(m, k) <= 3 / 4 - 1 / m


def best_rule_by_brute_force(n: int, m: int) -> float:
    """Try every query with every map from answers to outputs."""
    everything = vectors(n, m)
    best = 0
    for query in everything:
        for rule in itertools.product(everything, repeat=n + 1):
            total = sum(matches(rule[matches(query, z)], z) for z in everything)
            best = max(best, total)
    return best / (n * m**n)


@pytest.mark.statement("acharya2020 thm:info")
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 2), (1, 3), (1, 5), (3, 2), (2, 3)])
def test_the_one_query_optimum_is_the_best_of_all_decision_rules(n: int, m: int) -> None:
    best = best_rule_by_brute_force(n, m)
    assert value(acharya2020.one_query_optimum(Problem(n, m, 1))) == pytest.approx(best, rel=1e-14)


@pytest.mark.statement("acharya2020 thm:info")
@pytest.mark.parametrize(("n", "m"), [(4, 2), (7, 2), (4, 3), (3, 4), (2, 7)])
def test_the_one_query_optimum_is_the_best_answer_by_answer(n: int, m: int) -> None:
    best = best_adaptive_accuracy(n, m, 1)
    assert value(acharya2020.one_query_optimum(Problem(n, m, 1))) == pytest.approx(best, rel=1e-14)


@pytest.mark.statement("acharya2020 thm:info")
@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("n", [1, 2, 10, 99, 100, 10**4, 10**12])
def test_theorem_nine_lies_above_the_optimum_and_the_attack_attains_the_optimum(
    n: int, m: int
) -> None:
    problem = Problem(n, m, 1)
    optimum = value(acharya2020.one_query_optimum(problem))
    assert optimum == expected_accuracy(problem)
    limit = min(1.0, 1 / m + 1 / (2 * math.sqrt(n * (m - 1))))
    assert value(acharya2020.one_query(problem)) == limit
    assert optimum <= limit


@pytest.mark.statement("acharya2020 thm:info")
def test_one_query_bounds_say_nothing_about_two_queries() -> None:
    for bound in (acharya2020.one_query, acharya2020.one_query_optimum):
        assert bound(Problem(10, 2, 2)).reason == "It is proved for k = 1 only, got k = 2."
