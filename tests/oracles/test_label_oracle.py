import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Problem
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery
from holdfast.evaluate import LEAST_COMPILED
from holdfast.oracles import LabelOracle


@given(
    n=st.integers(1, 40),
    m=st.sampled_from([2, 3, 256, 257, 70_000]),
    seed=st.integers(0, 1000),
)
def test_the_answer_is_the_share_of_matches(n, m, seed):
    rng = np.random.default_rng(seed)
    hidden, query = rng.integers(m, size=n), rng.integers(m, size=n)
    query[::2] = hidden[::2]
    oracle = LabelOracle(hidden, problem=Problem(n, m, 1))
    assert oracle.query(query) == sum(int(a == b) for a, b in zip(hidden, query, strict=True)) / n


def test_long_vectors_are_counted_like_short_ones():
    n = LEAST_COMPILED + 5
    rng = np.random.default_rng(0)
    hidden, query = rng.integers(300, size=n), rng.integers(300, size=n)
    oracle = LabelOracle(hidden, problem=Problem(n, 300, 3))
    assert oracle.query(query) == np.mean(hidden == query)
    assert oracle.query(query.astype(np.uint16)) == np.mean(hidden == query)
    doubled = np.repeat(query.astype(np.uint16), 2)
    assert oracle.query(doubled[::2]) == np.mean(hidden == query)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ([0, 1], r"query must have length 3, got 2\."),
        ([0, 1, 2], r"query must lie in 0 \.\. 1, got 2 at position 2\."),
        (np.array([0, 1, 7], dtype=np.uint8), r"query must lie in 0 \.\. 1, got 7 at position 2\."),
        ([0, -1, 1], r"query must lie in 0 \.\. 1, got -1 at position 1\."),
        ([0.0, 1.5, 1.0], r"query must be integers, got 1\.5 at position 1\."),
        ([0.0, 1.0, float("nan")], r"query must be integers, got NaN at position 2\."),
        ([[0, 1, 1]], r"query must be one-dimensional"),
    ],
)
def test_an_invalid_query_costs_nothing(query, message):
    oracle = LabelOracle([0, 1, 1], problem=Problem(3, 2, 1))
    with pytest.raises(InvalidQuery, match=message):
        oracle.query(query)
    assert oracle.looks_left == 1
    assert oracle.query([0, 1, 1]) == 1.0


def test_a_long_query_out_of_range_is_refused_too():
    n = LEAST_COMPILED
    oracle = LabelOracle(np.zeros(n, int), problem=Problem(n, 2, 1))
    query = np.zeros(n, dtype=np.uint8)
    query[10] = 2
    with pytest.raises(InvalidQuery, match="got 2 at position 10"):
        oracle.query(query)
    assert oracle.looks == 0


def test_the_budget_ends_and_refusals_change_nothing():
    oracle = LabelOracle([0, 1], problem=Problem(2, 2, 2))
    oracle.query([0, 0])
    oracle.query([1, 1])
    for _ in range(3):
        with pytest.raises(BudgetExhausted, match="all 2 looks are used up"):
            oracle.query([0, 1])
    assert (oracle.looks, oracle.looks_left) == (2, 0)


def test_the_labels_are_copied_and_hidden_from_the_repr():
    hidden = np.array([0, 1], dtype=np.uint8)
    oracle = LabelOracle(hidden, problem=Problem(2, 2, 1))
    hidden[:] = 1
    assert "[" not in repr(oracle)
    assert oracle.query([0, 1]) == 1.0


def test_labels_must_fit_the_problem():
    with pytest.raises(InvalidInput, match="labels must have length 3, got 2"):
        LabelOracle([0, 1], problem=Problem(3, 2, 1))
