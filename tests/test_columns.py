import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.columns import BalancedColumns, UniformColumns
from holdfast.keyed import hash_keys


def matrix(columns, keys):
    """Return the whole query matrix, row by row: only tests have room for it."""
    out = np.empty((columns.n_queries, keys.size), dtype=np.uint32)
    unshifted = np.zeros(keys.size, dtype=np.uint32)
    for index in range(columns.n_queries):
        columns.write_row(keys, index, unshifted, out[index])
    return out


def some_keys(count, seed=1):
    return hash_keys(np.arange(count, dtype=np.uint64), np.uint64(seed))


@given(k=st.integers(1, 300), m=st.integers(2, 40), seed=st.integers(0, 2**32))
def test_balanced_columns_use_every_label_floor_or_ceil_of_k_over_m_times(k, m, seed):
    rows = matrix(BalancedColumns(k, m), some_keys(5, seed))
    counts = np.stack([(rows == label).sum(axis=0) for label in range(m)])
    assert counts.min() >= k // m
    assert counts.max() <= -(-k // m)
    assert counts.sum(axis=0).tolist() == [k] * 5


@pytest.mark.parametrize("kind", [BalancedColumns, UniformColumns])
@pytest.mark.parametrize(("k", "m"), [(1, 2), (7, 3), (60, 4), (1500, 5)])
@pytest.mark.parametrize("average", [True, False])
def test_votes_equal_those_of_the_whole_matrix(kind, k, m, average):
    columns, keys = kind(k, m), some_keys(300)
    weights = np.random.default_rng(2).normal(size=k)
    rows = matrix(columns, keys)
    score = np.empty((m, keys.size))
    for label in range(m):
        chosen = rows == label
        total, count = np.where(chosen, weights[:, None], 0).sum(axis=0), chosen.sum(axis=0)
        mean = np.where(count > 0, total / np.maximum(count, 1), weights.mean())
        score[label] = mean if average else total
    voted = columns.vote(keys, weights, average=average)
    best = score.max(axis=0)
    assert np.allclose(score[voted, np.arange(keys.size)], best, rtol=0, atol=1e-9)


def test_pairs_of_rows_agree_as_often_as_balance_demands():
    k, m, examples = 60, 3, 20_000
    rows = matrix(BalancedColumns(k, m), some_keys(examples))
    expected = (k / m - 1) / (k - 1)
    spread = np.sqrt(expected * (1 - expected) / examples)
    for first, second in [(0, 1), (0, 59), (17, 42), (30, 31)]:
        assert abs((rows[first] == rows[second]).mean() - expected) < 4 * spread


def test_neighbouring_columns_are_unrelated():
    k, m = 3000, 5
    rows = matrix(UniformColumns(k, m), some_keys(2))
    spread = np.sqrt(0.2 * 0.8 / k)
    assert abs((rows[:, 0] == rows[:, 1]).mean() - 0.2) < 4 * spread


def test_ties_are_broken_at_random_and_the_same_way_every_time():
    columns, keys = BalancedColumns(4, 4), some_keys(4000)
    votes = columns.vote(keys, np.ones(4), average=True)
    counts = np.bincount(votes, minlength=4)
    assert np.abs(counts - 1000).max() < 4 * np.sqrt(4000 * 0.25 * 0.75)
    assert votes.tolist() == columns.vote(keys, np.ones(4), average=True).tolist()


def test_shifts_move_every_label_around_the_circle():
    columns, keys = UniformColumns(3, 5), some_keys(100)
    plain, moved = np.empty(100, np.uint8), np.empty(100, np.uint8)
    columns.write_row(keys, 1, np.zeros(100, np.uint32), plain)
    columns.write_row(keys, 1, np.full(100, 3, np.uint32), moved)
    assert moved.tolist() == ((plain + 3) % 5).tolist()


def test_without_answers_every_vote_is_label_zero():
    assert BalancedColumns(4, 3).vote(some_keys(5), np.empty(0), average=True).tolist() == [0] * 5
