"""A second round on open labels: proofs, posteriors by enumeration, and wrong counts."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.attacks.exact.lindstrom import pool_gains
from holdfast.attacks.exact.second_round import SecondRound, fillings, pool_gain
from holdfast.errors import InconsistentAnswer


@pytest.mark.parametrize("m", [2, 3, 4, 10])
def test_a_pool_gains_as_one_of_so_many_classes(m: int) -> None:
    expected = pool_gains(40, m)[1:]
    assert [pool_gain(g, 1 / m) for g in range(1, 41)] == pytest.approx(expected, abs=1e-12)


def test_digits_and_pools_keep_to_the_room_of_their_node() -> None:
    stock = {2: 9, 4: 40, 6: 40, 30: 5}
    placed = dict.fromkeys(stock, 0)
    needs = {2: 1, 4: 3, 6: 6}
    for node, (digits, pool) in fillings(64, stock, 100.0, 0.1):
        room, unit = 2 ** (node.bit_count() - 1), 1
        for c in digits:
            assert needs[c] * unit <= room
            unit *= c
            placed[c] += 1
        assert pool in (0, unit)
        assert pool <= room
    assert all(placed[c] <= stock[c] for c in stock)
    assert placed[30] == 0
    assert placed[4] > 20


def told(attack: SecondRound, hidden: np.ndarray) -> None:
    while (query := attack.ask()) is not None:
        attack.tell(float((query == hidden).mean()))


def open_labels(rng: np.random.Generator, n: int, m: int, most: int) -> tuple[np.ndarray, ...]:
    """Return labels, odds and a wrong label: up to `most` candidates, or all m equally likely."""
    labels = rng.permuted(np.tile(np.arange(m, dtype=np.uint8), (n, 1)), axis=1)
    candidates = rng.integers(2, most + 1, size=n)
    candidates[rng.random(n) < 0.3] = m
    odds = (np.arange(m) < candidates[:, None]) / candidates[:, None]
    wrong = np.where(candidates < m, labels[:, -1].astype(np.int64), -1)
    hidden = labels[np.arange(n), rng.integers(0, candidates)]
    return labels, odds, wrong, hidden


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60), m=st.integers(3, 12), rows=st.integers(2, 40), seed=st.integers(0, 999)
)
def test_what_it_is_sure_of_is_right_and_what_it_says_is_possible(
    n: int, m: int, rows: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    labels, odds, wrong, hidden = open_labels(rng, n, m, min(8, m - 1))
    attack = SecondRound(labels, odds, wrong, rows, rng)
    told(attack, hidden)
    _, after = attack.posterior()
    truth = after[labels == hidden[:, None]]
    assert (truth[attack.certain()] == 1.0).all()
    assert (truth > 0.0).all()
    np.testing.assert_allclose(after.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("m", [3, 5])
def test_pools_are_weighed_as_all_labels_with_their_surplus(m: int) -> None:
    # Two rows have one node of one bit, whose only place is a pool: all examples are in it.
    n = 5
    labels = np.tile(np.arange(m, dtype=np.uint8), (n, 1))
    vectors = np.array(list(itertools.product(range(m), repeat=n)))
    surplus = (vectors == 0).sum(axis=1) - (vectors == 1).sum(axis=1)
    for s in np.unique(surplus):
        hidden = vectors[(surplus == s).argmax()]
        attack = SecondRound(
            labels, np.full((n, m), 1 / m), np.full(n, -1), 2, np.random.default_rng(0)
        )
        told(attack, hidden)
        expected = (vectors[surplus == s][:, :, None] == np.arange(m)).mean(axis=0)
        np.testing.assert_allclose(attack.posterior()[1], expected, atol=1e-12)


def test_counts_that_no_labels_give_are_refused() -> None:
    rng = np.random.default_rng(1)
    labels, odds, wrong, hidden = open_labels(rng, 40, 6, 5)
    refused = 0
    for bad in range(16):
        attack = SecondRound(labels, odds, wrong, 16, np.random.default_rng(2))
        try:
            for x in range(16):
                attack.tell(float((attack.ask() == hidden).mean()) + 30 / hidden.size * (x == bad))
        except InconsistentAnswer as error:
            refused += "of the second round contradict" in str(error)
    assert refused >= 12
