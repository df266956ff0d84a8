"""Every coin of the lattice, one at a time: what is concluded from its value is true."""

from itertools import product

import numpy as np
import pytest

from holdfast.attacks.exact.lattice.board import Board, ask_round
from holdfast.attacks.exact.lattice.coins import signed
from holdfast.attacks.exact.lattice.crowds import Crowds
from holdfast.attacks.exact.lattice.layout import Round
from holdfast.attacks.exact.lattice.packing import Packer
from holdfast.attacks.exact.lattice.pairs import SUMS, again_odds, leading, sum_odds
from holdfast.attacks.exact.lattice.positions import Positions
from holdfast.attacks.exact.lattice.sizes import expected_looks, looks_left, sizes
from holdfast.attacks.exact.lattice.splits import split


def ask_one(positions, board, hidden, offer, kind, last):
    """Put one coin on a node of its own, and let its value be learnt."""
    bits = max(1, (offer.need - 1).bit_length() + 1)
    rnd = Round(2**bits, halved=board.n_classes == 2)
    rnd.add(2**bits - 1, positions._place(offer, kind, 1, last))
    asking = ask_round(board, rnd)
    query = next(asking)
    while True:
        try:
            query = asking.send(int(np.count_nonzero(query == hidden)))
        except StopIteration as stop:
            for (key, what), value in zip(rnd.tags, stop.value.tolist(), strict=True):
                positions._learn(key, what, value)
            return


def assert_true(positions, board, hidden):
    known = board.label >= 0
    assert (board.label[known] == hidden[known]).all()
    for j, order in positions._order.items():
        assert hidden[j] in order
        assert len(set(order)) == len(order)
        if j in positions._wrong and board.n_classes > 2:
            assert positions._wrong[j] != hidden[j]


def play_at_random(hidden, m, seed, trusted=False):
    """Resolve labels with coins drawn at random; return the kinds that were used."""
    rng = np.random.default_rng(seed)
    hidden = np.array(hidden)
    board = Board(np.zeros(hidden.size, np.int64), m, 10**6)
    positions = Positions(board, certain=True)
    if trusted:
        for j in range(hidden.size):
            positions.admit_trusted(j, 0, m - 1, 0.2)
    else:
        positions.admit(range(hidden.size))
    used = set()
    for _ in range(400):
        if not positions.left:
            assert (board.label == hidden).all()
            return used
        stock = positions._stock()
        menu = [
            (offer, kind)
            for offer, kind in positions._offers(stock, last_round=bool(rng.random() < 0.1))
            if stock[offer.pool] >= offer.amount
        ]
        offer, kind = menu[rng.integers(len(menu))]
        used.add(offer.key[0])
        ask_one(positions, board, hidden, offer, kind, not offer.radix or rng.random() < 0.5)
        assert_true(positions, board, hidden)
    raise AssertionError("it does not come to an end")


@pytest.mark.parametrize(
    ("n", "m", "kinds"),
    [
        (6, 2, {"some", "block", "open"}),
        (4, 3, {"sum", "signed", "new"}),
        (3, 4, {"sum", "signed", "new", "some", "open"}),
        (2, 7, {"sum", "lead", "again", "new", "block", "part"}),
        (2, 10, {"sum", "lead", "again", "new", "block"}),
    ],
)
def test_any_labels_are_found_with_any_coins(n, m, kinds):
    used = set()
    for seed, hidden in enumerate(product(range(m), repeat=n)):
        for again in range(3):
            used |= play_at_random(hidden, m, (seed, again))
    assert kinds <= used


@pytest.mark.parametrize("m", [2, 4, 5, 10])
def test_any_labels_of_a_larger_crowd_are_found_with_any_coins(m):
    rng = np.random.default_rng(m)
    used = set()
    for seed in range(60):
        used |= play_at_random(rng.integers(m, size=14), m, seed)
    assert {"some", "block"} <= used
    assert m == 2 or "cut" in used


@pytest.mark.parametrize("m", [2, 3, 10])
def test_any_labels_are_found_from_a_model_with_any_coins(m):
    rng = np.random.default_rng(m)
    for seed in range(40):
        likely = np.where(rng.random(16) < 0.7, 0, rng.integers(m, size=16))
        play_at_random(likely, m, seed, trusted=True)


@pytest.mark.parametrize("c", [3, 4])
def test_a_sum_is_resolved_by_one_coin(c):
    for g in SUMS.get(c, (2,)):
        for surplus in range(1 - g, g):
            kind = signed(g, surplus, c)
            told = [v for v in kind.outcomes if v is not None]
            assert sorted(told) == [v for v in product((-1, 0, 1), repeat=g) if sum(v) == surplus]


def test_chances_of_sums_add_up():
    for c in range(3, 17):
        assert sum(sum_odds(2, c)) == pytest.approx(1.0)
    for a, b, ties in product(range(5, 9), range(5, 9), range(1, 3)):
        # Every pair of free labels, and two more for each tie, is equally likely.
        assert sum(again_odds(a, b, ties)) == a * b + 2 * ties


def test_a_leading_coin_asks_for_the_labels_that_are_not_tied():
    assert leading(10, 8, False).radix == 9
    assert leading(8, 6, True).radix == 7


@pytest.mark.parametrize(("g", "hits"), [(g, w) for g in range(2, 13) for w in range(1, g)])
def test_a_cut_tells_the_hits_of_every_part(g, hits):
    for weights in Crowds._kinds(g, hits):
        parts = [part.size for part in np.array_split(np.arange(g), len(weights))]
        kind = split(weights, hits, tuple(min(hits, size) for size in parts), False)
        told = [h for h in kind.hits if h is not None]
        possible = [
            h for h in product(*(range(min(hits, size) + 1) for size in parts)) if sum(h) == hits
        ]
        assert sorted(told) == sorted(possible)


def test_dear_positions_are_not_shared():
    board = Board(np.zeros(40, np.int64), 3, 10**6)
    positions = Positions(board, certain=True)
    positions.admit(range(40))
    stock = positions._stock()
    offers = [offer for offer, _ in positions._offers(stock, last_round=False)]
    shared = [
        sum(offers[i].amount for i in Packer(offers, stock, 8, price).take(1, 1)[1])
        for price in (0.0, 10.0)
    ]
    assert shared == [4, 1]


def test_looks_grow_with_what_is_left():
    for m in (2, 4, 10, 16):
        looks = [expected_looks(bits, m) for bits in (10.0, 100.0, 1000.0, 10000.0)]
        assert looks == sorted(looks)
    assert looks_left(1000.0) < 10 * looks_left(100.0)
    assert all(5 <= size < 20 for size in sizes(5, 20))
