"""Sums over subsets, against their definitions."""

import numpy as np
import pytest

from holdfast.attacks.exact.subset_lattice import (
    bit_counts,
    bits_inside,
    moebius,
    node_sizes,
    odd_bits,
    subtract_from_subsets,
)


def subsets(node):
    return [x for x in range(node + 1) if x & node == x]


def sign(node, x):
    return (-1) ** (node.bit_count() - x.bit_count())


@pytest.mark.parametrize("n_queries", [1, 2, 3, 7, 8, 100, 1023])
def test_node_sizes_by_counting(n_queries):
    bits = [a.bit_count() for a in range(1, n_queries)]
    assert node_sizes(n_queries) == {s: bits.count(s) for s in sorted(set(bits))}
    assert bit_counts(n_queries).tolist() == [0, *bits]


@pytest.mark.parametrize("length", [1, 2, 5, 16, 23])
def test_the_transform_is_the_alternating_sum_over_subsets(length):
    values = np.random.default_rng(length).integers(-9, 10, size=length)
    sums = values.copy()
    moebius(sums)
    assert sums.tolist() == [sum(sign(c, x) * values[x] for x in subsets(c)) for c in range(length)]


def test_bits_inside_a_node_are_moved_together():
    inside = np.zeros(64, np.int64)
    for row in range(64):
        bits_inside(row, bit_counts(64), inside)
        for node in range(64):
            kept = [row >> bit & 1 for bit in range(6) if node >> bit & 1]
            assert inside[node] == sum(one << place for place, one in enumerate(kept))


def test_odd_numbers_of_bits():
    assert [odd_bits(x) for x in range(70)] == [x.bit_count() % 2 for x in range(70)]


@pytest.mark.parametrize("node", [1, 6, 13, 15])
def test_what_a_node_shows_leaves_the_sums_of_its_subsets(node):
    """A node that adds to every row what its inside says, and nothing else: nothing is left."""
    shown = np.random.default_rng(node).integers(-9, 10, size=2 ** node.bit_count())
    inside = np.zeros(16, np.int64)
    sums = np.zeros(16, np.int64)
    for row in range(16):
        bits_inside(row, bit_counts(16), inside)
        sums[row] = shown[inside[node]]
    moebius(sums)
    subtract_from_subsets(sums, node, shown)
    assert not sums.any()
