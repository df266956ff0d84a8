import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bounds import block_majority
from holdfast.bounds.block_majority import expected_accuracy, expected_accuracy_without_features
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from tests.bounds.exhaustive import vectors


@pytest.mark.statement("acharya2020 fig:smallk")
@pytest.mark.parametrize(
    ("problem", "accuracy"),
    [
        ((10_000, 10, 2), 0.101784),
        ((10_000, 10, 101), 0.117751),
        ((10_000, 100, 51), 0.013860),
        ((10_000, 2, 1000), 0.623047),
        ((100, 2, 1), 0.539795),
        ((1000, 10, 1), 0.104202),
        ((10_000, 10, 1), 0.101330),
        ((2, 2, 1), 0.75),
        ((10_000, 10, 10_001), 0.2),
    ],
)
def test_reference_values(problem: tuple[int, int, int], accuracy: float) -> None:
    # Found by summing over the number T of examples with either label; see test_lazy_walk.
    assert expected_accuracy(Problem(*problem)) == pytest.approx(accuracy, abs=5.1e-7)


@pytest.mark.statement("acharya2020 fig:smallk-unk")
def test_reference_value_without_features() -> None:
    accuracy = expected_accuracy_without_features(Problem(10_000, 10, 101))
    assert accuracy == pytest.approx(0.117729, abs=5.1e-7)


def score(labels: tuple[int, ...], blocks: tuple[int, ...]) -> int:
    """Matches of the attack when example j is in block blocks[j]."""
    total = 0
    for block in set(blocks):
        inside = [z for z, b in zip(labels, blocks, strict=True) if b == block]
        total += max(inside.count(0), inside.count(1))
    return total


SIZES = [(1, 2, 2), (2, 2, 2), (2, 2, 3), (5, 2, 3), (5, 3, 4), (4, 3, 2), (3, 4, 4), (3, 7, 3)]


@pytest.mark.statement("acharya2020 fig:smallk")
@pytest.mark.parametrize(("n", "m", "k"), SIZES)
def test_known_features_match_full_enumeration(n: int, m: int, k: int) -> None:
    blocks = tuple(j % (k - 1) for j in range(n))
    total = sum(score(labels, blocks) for labels in vectors(n, m))
    assert expected_accuracy(Problem(n, m, k)) == pytest.approx(total / (n * m**n), rel=1e-13)


@pytest.mark.statement("acharya2020 fig:smallk-unk")
@pytest.mark.parametrize(("n", "m", "k"), SIZES)
def test_unknown_features_match_full_enumeration(n: int, m: int, k: int) -> None:
    total = Fraction(0)
    for blocks in itertools.product(range(k - 1), repeat=n):
        total += sum(score(labels, blocks) for labels in vectors(n, m))
    expected = float(total / (n * m**n * (k - 1) ** n))
    accuracy = expected_accuracy_without_features(Problem(n, m, k))
    assert accuracy == pytest.approx(expected, rel=1e-13)


@given(n=st.integers(1, 400), m=st.integers(2, 30), data=st.data())
def test_another_query_never_hurts(n: int, m: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    for accuracy in (expected_accuracy, expected_accuracy_without_features):
        assert accuracy(Problem(n, m, k)) <= accuracy(Problem(n, m, k + 1)) + 1e-13


@given(n=st.integers(1, 10**12), m=st.integers(2, 10**6), k=st.integers(1, 10**12))
def test_two_labels_never_score_more_than_two_in_m(n: int, m: int, k: int) -> None:
    problem = Problem(n, m, min(k, n + 1))
    for bound in (block_majority.known_features, block_majority.unknown_features):
        accuracy = bound(problem).accuracy
        assert accuracy is not None
        assert 1 / m <= accuracy <= min(1.0, 2 / m * (1 + 1e-12))


def test_more_blocks_than_examples_are_refused() -> None:
    assert block_majority.known_features(Problem(10, 2, 11)).applies
    assert block_majority.known_features(Problem(10, 2, 12)).reason == (
        "k - 1 must be at most n = 10, got k = 12."
    )
    for accuracy in (expected_accuracy, expected_accuracy_without_features):
        with pytest.raises(InvalidInput, match="k - 1 must be at most n = 10, got k = 12"):
            accuracy(Problem(10, 2, 12))
