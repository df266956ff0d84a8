import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bounds.binomial import divergence
from holdfast.bounds.information import (
    accuracy_from_information,
    information_non_adaptive,
    nats_non_adaptive,
)
from holdfast.bounds.label_model import nats_any_labels
from holdfast.bounds.tilted import information_adaptive_tilted, nats_adaptive_tilted
from holdfast.problem import Problem
from tests.bounds.exhaustive import (
    best_adaptive_accuracy,
    best_fixed_accuracy,
    largest_adaptive_entropy,
    largest_fixed_entropy,
)

TINY = [(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (2, 4), (1, 6)]
PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**9))


def test_reference_value() -> None:
    found = information_non_adaptive(Problem(50_000, 1000, 1000)).accuracy
    assert found == pytest.approx(0.0282, abs=5.1e-5)


@pytest.mark.parametrize(("n", "m"), TINY)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_adaptive_analyst_beats_the_bound(n: int, m: int, k: int) -> None:
    problem = Problem(n, m, k)
    most = largest_adaptive_entropy(n, m, k)
    assert most <= nats_adaptive_tilted(problem) + 1e-12
    accuracy = information_adaptive_tilted(problem).accuracy
    assert accuracy is not None
    assert best_adaptive_accuracy(n, m, k) <= accuracy + 1e-15


@pytest.mark.parametrize(("n", "m"), TINY)
@pytest.mark.parametrize("k", [1, 2])
def test_no_fixed_queries_beat_the_non_adaptive_bound(n: int, m: int, k: int) -> None:
    problem = Problem(n, m, k)
    assert largest_fixed_entropy(n, m, k) <= nats_non_adaptive(problem) + 1e-12
    accuracy = information_non_adaptive(problem).accuracy
    assert accuracy is not None
    assert best_fixed_accuracy(n, m, k) <= accuracy + 1e-15


def test_one_look_is_never_adaptive() -> None:
    problem = Problem(1000, 7, 1)
    assert nats_adaptive_tilted(problem) == nats_non_adaptive(problem)
    assert nats_non_adaptive(problem) == pytest.approx(largest_fixed_entropy(1, 7, 1), abs=10)


@given(PROBLEMS)
def test_the_three_entropies_are_ordered(problem: Problem) -> None:
    fixed, tilted = nats_non_adaptive(problem), nats_adaptive_tilted(problem)
    plain = nats_any_labels(problem)
    assert fixed <= tilted * (1 + 1e-12)
    assert tilted <= plain * (1 + 1e-12)


def test_parity_costs_a_bit_a_look_with_two_classes() -> None:
    one, ten = nats_non_adaptive(Problem(1000, 2, 1)), nats_non_adaptive(Problem(1000, 2, 10))
    assert ten == pytest.approx(10 * one - 9 * math.log(2), rel=1e-14)


@given(
    n=st.integers(1, 10**12),
    m=st.integers(2, 10**6),
    share=st.floats(1e-15, 0.999),
)
def test_the_inverse_spends_all_the_information(n: int, m: int, share: float) -> None:
    nats = share * n * math.log(m)
    accuracy = accuracy_from_information(nats, n, m)
    assert 1 / m <= accuracy <= 1
    gain = accuracy - 1 / m
    slack = 4e-16 / max(gain, 1e-300)  # 1/m + gain has been rounded
    assert n * divergence(gain * (1 + slack), m) >= nats * (1 - 1e-12)
    assert n * divergence(gain * (1 - slack - 1e-12), m) <= nats * (1 + 1e-12)


@given(
    n=st.integers(1, 10**6),
    m=st.integers(2, 1000),
    nats=st.floats(0, 1e7),
    more=st.floats(0, 1e3),
)
def test_more_information_never_lowers_the_bound(n: int, m: int, nats: float, more: float) -> None:
    less = accuracy_from_information(nats, n, m)
    assert less <= accuracy_from_information(nats + more, n, m)


def test_the_inverse_is_exact_at_both_ends() -> None:
    assert accuracy_from_information(0.0, 7, 3) == 1 / 3
    assert accuracy_from_information(7 * math.log(3), 7, 3) == 1.0
    assert accuracy_from_information(7 * math.log(3) * 0.999999, 7, 3) < 1.0


@pytest.mark.parametrize("m", [2, 10, 1000])
def test_block_sums_are_within_a_percent_of_full_sums(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.bounds import tilted

    problems = [Problem(60_000, m, k) for k in (2, 10, 100, 1000, 10_000)]
    full = [nats_adaptive_tilted(problem) for problem in problems]
    tilted._lines.cache_clear()
    monkeypatch.setattr(tilted, "MOST_SUMMED_COUNTS", 0)
    blocks = [nats_adaptive_tilted(problem) for problem in problems]
    tilted._lines.cache_clear()
    for exact, upper in zip(full, blocks, strict=True):
        assert exact <= upper <= 1.01 * exact
