import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from holdfast.errors import InvalidInput
from holdfast.kernels import keyed
from holdfast.kernels.permutations import grid, permutation, rounds_for
from tests import plain_network

keys64 = st.integers(0, 2**64 - 1).map(np.uint64)


@given(size=st.integers(1, 3000), key=keys64)
def test_a_keyed_permutation_is_a_permutation(size, key):
    values = np.arange(size)
    images = permutation(values, key, size)
    assert sorted(images.tolist()) == values.tolist()


@pytest.mark.parametrize("size", [1, 2, 5, 1024, 1025, 16_384, 16_385, 2**20 + 1, 2**30])
def test_images_are_those_of_plain_integers(size):
    values = np.unique(np.random.default_rng(1).integers(size, size=200))
    key = 0xFEDC_BA98_7654_3210
    images = permutation(values, np.uint64(key), size)
    assert images.tolist() == [
        plain_network.image(value, key, size, grid(size), rounds_for(size))
        for value in values.tolist()
    ]


@pytest.mark.parametrize("size", [3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_every_order_of_a_small_domain_is_equally_likely(size):
    draws = 200 * len(list(itertools.permutations(range(size))))
    hashed = keyed.hash_keys(np.arange(draws, dtype=np.uint64), np.uint64(99))
    orders = Counter(tuple(permutation(np.arange(size), key, size)) for key in hashed)
    observed = [orders[order] for order in itertools.permutations(range(size))]
    # Fixed keys; a p-value below 1e-4 would be a deviation of about four standard errors.
    assert stats.chisquare(observed).pvalue > 1e-4


def test_images_of_a_large_domain_are_uniform_and_pairwise_unrelated():
    size = 100_003
    hashed = keyed.hash_keys(np.arange(4000, dtype=np.uint64), np.uint64(5))
    pairs = np.array([permutation(np.array([0, 1]), key, size) for key in hashed]) / size
    assert stats.kstest(pairs[:, 0], "uniform").pvalue > 1e-4
    gap = (pairs[:, 1] - pairs[:, 0]) % 1.0
    assert stats.kstest(gap, "uniform").pvalue > 1e-4


def test_a_domain_without_elements_is_refused():
    with pytest.raises(InvalidInput, match="size must be at least 1, got 0"):
        permutation(np.arange(1), np.uint64(1), 0)


def test_a_domain_beyond_sixteen_bit_coordinates_is_refused():
    with pytest.raises(InvalidInput, match="size must be at most 1073741824"):
        permutation(np.arange(1), np.uint64(1), 2**30 + 1)


@pytest.mark.parametrize("size", [1024, 1025, 65_536, 2**20 + 1, 2**30])
def test_large_domains_are_undone_too(size):
    values = np.random.default_rng(0).integers(size, size=500)
    images = permutation(values, np.uint64(12345), size)
    assert images.max() < size
    assert np.unique(images).size == np.unique(values).size
