import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.kernels.columns import BalancedColumns, UniformColumns
from holdfast.kernels.keyed import hash_keys
from holdfast.kernels.permutations import grid, rounds_for, striped_grid
from holdfast.labels import label_dtype
from tests import plain_network


def matrix(columns, keys):
    """Return the whole query matrix, row by row: only tests have room for it."""
    out = np.empty((columns.n_queries, keys.size), dtype=np.uint32)
    unshifted(columns, keys).write_rows(0, out)
    return out


def unshifted(columns, keys):
    return columns.on(keys, np.zeros(keys.size, dtype=np.uint32))


def some_keys(count, seed=1):
    return hash_keys(np.arange(count, dtype=np.uint64), np.uint64(seed))


# Beyond 1,024 queries the grid is striped where the labels allow it.
@given(
    k=st.integers(1, 300) | st.integers(1020, 3000),
    m=st.integers(2, 40) | st.integers(60, 300),
    seed=st.integers(0, 2**32),
)
def test_balanced_columns_use_every_label_floor_or_ceil_of_k_over_m_times(k, m, seed):
    rows = matrix(BalancedColumns(k, m), some_keys(5, seed))
    counts = np.stack([(rows == label).sum(axis=0) for label in range(m)])
    assert counts.min() >= k // m
    assert counts.max() <= -(-k // m)
    assert counts.sum(axis=0).tolist() == [k] * 5


@pytest.mark.parametrize(
    ("k", "m"),
    [
        *((1, 2), (2, 3), (7, 50_000), (1024, 32), (1025, 2), (1030, 32), (2000, 40_000)),
        *((16_385, 128), (40_000, 199), (207_212, 10), (2**20, 1024), (10**6, 2**31)),
        # Both sides of the grid and the moduli at the edge of sixteen bits.
        *((2**29 + 1, 2), (2**30 - 5, 3), (2**30, 32_768), (2**30, 32_769), (10**9, 70_000)),
    ],
)
def test_rows_are_those_of_the_permutation_in_plain_integers(k, m):
    keys = some_keys(30)
    shifts = np.random.default_rng(0).integers(m, size=30).astype(np.uint32)
    drawn = BalancedColumns(k, m).on(keys, shifts)
    shape = striped_grid(k, m) or grid(k)
    for index in sorted({0, k // 3, k // 2, k - 1}):
        row = np.empty((1, 30), dtype=label_dtype(m))
        drawn.write_rows(index, row)
        images = [
            plain_network.image(index, int(key), k, shape, rounds_for(k)) for key in keys.tolist()
        ]
        assert row[0].tolist() == [
            (image % m + shift) % m for image, shift in zip(images, shifts.tolist(), strict=True)
        ]


def test_more_queries_than_sixteen_bit_coordinates_hold_are_refused_at_once():
    BalancedColumns(2**30, 2)
    with pytest.raises(InvalidInput) as caught:
        BalancedColumns(2**30 + 1, 2)
    assert str(caught.value) == (
        "n_queries must be at most 1073741824 for balanced columns, got 1073741825."
    )


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
    voted = unshifted(columns, keys).vote(weights, average=average)
    best = score.max(axis=0)
    assert np.allclose(score[voted, np.arange(keys.size)], best, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("k", "m"), [(60, 3), (1030, 4), (4145, 100), (16_400, 10), (20_001, 2), (207_212, 10)]
)
def test_pairs_of_rows_agree_as_often_as_balance_demands(k, m):
    examples = 10_000
    drawn = unshifted(BalancedColumns(k, m), some_keys(examples))
    counts = np.array([k // m + (label < k % m) for label in range(m)])
    expected = float((counts * (counts - 1)).sum() / (k * (k - 1)))
    spread = np.sqrt(expected * (1 - expected) / examples)
    side = int(np.sqrt(k - 1)) + 1
    deviations = []
    for gap in (1, 2, m, side - 1, side, side + 1, k // 2):
        for first in (0, k // 3):
            rows = np.empty((1, examples), np.uint32), np.empty((1, examples), np.uint32)
            drawn.write_rows(first, rows[0])
            drawn.write_rows(first + gap, rows[1])
            deviations.append(((rows[0] == rows[1]).mean() - expected) / spread)
    # Fourteen standard normals: none beyond four, and together no more spread than they should.
    assert np.abs(deviations).max() < 4
    assert np.square(deviations).sum() < 14 + 4 * np.sqrt(2 * 14)


def test_neighbouring_columns_are_unrelated():
    k, m = 3000, 5
    rows = matrix(UniformColumns(k, m), some_keys(2))
    spread = np.sqrt(0.2 * 0.8 / k)
    assert abs((rows[:, 0] == rows[:, 1]).mean() - 0.2) < 4 * spread


def test_ties_are_broken_at_random_and_the_same_way_every_time():
    columns, keys = BalancedColumns(4, 4), some_keys(4000)
    drawn = unshifted(columns, keys)
    votes = drawn.vote(np.ones(4), average=True)
    counts = np.bincount(votes, minlength=4)
    assert np.abs(counts - 1000).max() < 4 * np.sqrt(4000 * 0.25 * 0.75)
    assert votes.tolist() == drawn.vote(np.ones(4), average=True).tolist()


def test_shifts_move_every_label_around_the_circle():
    columns, keys = UniformColumns(3, 5), some_keys(100)
    moved = np.empty((3, 100), np.uint8)
    columns.on(keys, np.full(100, 3, np.uint32)).write_rows(0, moved)
    assert moved.tolist() == ((matrix(columns, keys) + 3) % 5).tolist()


@pytest.mark.parametrize("kind", [BalancedColumns, UniformColumns])
def test_a_row_is_the_same_alone_and_among_others_and_across_threads(kind):
    columns, keys = kind(40, 6), some_keys(140_000)
    alone = np.empty((1, keys.size), np.uint32)
    unshifted(columns, keys).write_rows(17, alone)
    few = unshifted(columns, keys[:50])
    several = np.empty((20, 50), np.uint32)
    few.write_rows(5, several)
    assert alone[0, :50].tolist() == several[12].tolist()
    assert alone[0, -9:].tolist() == matrix(columns, keys[-9:])[17].tolist()


@pytest.mark.parametrize("answered", [1, 2, 7, 2048, 2049, 4999, 5000])
def test_votes_from_the_first_answers_only_count_those(answered):
    columns, keys = BalancedColumns(5000, 7), some_keys(20)
    weights = np.random.default_rng(3).integers(100, size=answered).astype(float)
    rows = matrix(columns, keys)[:answered]
    averages = np.full((7, 20), weights.mean())
    for label in range(7):
        for j in range(20):
            if (rows[:, j] == label).any():
                averages[label, j] = weights[rows[:, j] == label].mean()
    voted = unshifted(columns, keys).vote(weights, average=True)
    assert np.allclose(averages[voted, np.arange(20)], averages.max(axis=0), rtol=1e-12, atol=0)


def test_without_answers_every_vote_is_label_zero():
    drawn = unshifted(BalancedColumns(4, 3), some_keys(5))
    assert drawn.vote(np.empty(0), average=True).tolist() == [0] * 5
