"""Every digit block of the lattice, one at a time: what is concluded from its value is true."""

from itertools import product

import numpy as np
import pytest

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import hit_split, signed, signed_vectors
from holdfast.attacks.exact.lattice.error_search import error_search, spans_for
from holdfast.attacks.exact.lattice.families.difference_odds import again_odds, sum_odds
from holdfast.attacks.exact.lattice.families.label_differences import leading
from holdfast.attacks.exact.lattice.families.placing import even_sizes
from holdfast.attacks.exact.lattice.few_classes import FewClasses
from holdfast.attacks.exact.lattice.knowledge import LabelKnowledge, ask_round
from holdfast.attacks.exact.lattice.layout import Round
from holdfast.attacks.exact.lattice.packing import Packer
from holdfast.attacks.exact.lattice.round_length import expected_looks, lengths, looks_left
from holdfast.attacks.exact.lattice.rulers import B_SETS, SIX_POSITIONS, part_weights


def ask_one(knowledge, hidden, offer, last):
    """Put one block on a node of its own, and let its value be learnt."""
    bits = max(1, (offer.need - 1).bit_length() + 1)
    rnd = Round(2**bits, halved=knowledge.n_classes == 2)
    rnd.add(2**bits - 1, offer.place(1, last))
    asking = ask_round(knowledge, rnd)
    query = next(asking)
    while True:
        try:
            query = asking.send(int(np.count_nonzero(query == hidden)))
        except StopIteration as stop:
            for learn, value in zip(rnd.tags, stop.value.tolist(), strict=True):
                learn(value)
            return


def assert_true(in_play, hidden):
    known = in_play.knowledge.label >= 0
    assert (in_play.knowledge.label[known] == hidden[known]).all()
    for j, labels in in_play.candidates.items():
        assert hidden[j] in labels
        assert len(set(labels)) == len(labels)
        if j in in_play.wrong and in_play.n_classes > 2:
            assert in_play.wrong[j] != hidden[j]


def play_at_random(hidden, m, seed, trusted=False):
    """Resolve labels with blocks drawn at random; return the kinds that were used."""
    rng = np.random.default_rng(seed)
    hidden = np.array(hidden)
    knowledge = LabelKnowledge(np.zeros(hidden.size, np.int64), m, 10**6)
    few = FewClasses(knowledge, certain=True)
    if trusted:
        for j in range(hidden.size):
            few.admit_trusted(j, 0, m - 1, 0.2)
    else:
        few.admit(range(hidden.size))
    used = set()
    for _ in range(400):
        if not few.in_play.candidates:
            assert (knowledge.label == hidden).all()
            return used
        stock = few.planner.stock()
        menu = few.planner.menu(stock, last_round=bool(rng.random() < 0.1))
        offers = [offer for offer in menu.offers if stock[offer.status] >= offer.amount]
        offer = offers[rng.integers(len(offers))]
        used.add(offer.kind)
        ask_one(knowledge, hidden, offer, not offer.radix or rng.random() < 0.5)
        assert_true(few.in_play, hidden)
    raise AssertionError("it does not come to an end")


@pytest.mark.parametrize(
    ("n", "m", "kinds"),
    [
        (6, 2, {"group-test", "located", "narrowed-single"}),
        (4, 3, {"sum", "signs", "unknown-single"}),
        (3, 4, {"sum", "signs", "unknown-single", "group-test", "narrowed-single"}),
        (2, 7, {"sum", "lead", "sum-again", "unknown-single", "located", "narrowed-part"}),
        (2, 10, {"sum", "lead", "sum-again", "unknown-single", "located"}),
    ],
)
def test_any_labels_are_found_with_any_blocks(n, m, kinds):
    used = set()
    for seed, hidden in enumerate(product(range(m), repeat=n)):
        for again in range(3):
            used |= play_at_random(hidden, m, (seed, again))
    assert kinds <= used


@pytest.mark.parametrize("m", [2, 4, 5, 10])
def test_any_labels_of_a_larger_group_are_found_with_any_blocks(m):
    rng = np.random.default_rng(m)
    used = set()
    for seed in range(60):
        used |= play_at_random(rng.integers(m, size=14), m, seed)
    assert {"group-test", "located"} <= used
    assert m == 2 or "split" in used


@pytest.mark.parametrize("m", [2, 3, 10])
def test_any_labels_are_found_from_a_model_with_any_blocks(m):
    rng = np.random.default_rng(m)
    for seed in range(40):
        likely = np.where(rng.random(16) < 0.7, 0, rng.integers(m, size=16))
        play_at_random(likely, m, seed, trusted=True)


@pytest.mark.parametrize("c", [3, 4])
def test_a_sum_is_resolved_by_one_block(c):
    for g in tuning.SUM_SIZES.get(c, (2,)):
        for surplus in range(1 - g, g):
            told = [v for v in signed(g, surplus).outcomes if v is not None]
            assert sorted(told) == signed_vectors(g, surplus)


def test_chances_of_sums_add_up():
    for c in range(3, 17):
        assert sum(sum_odds(2, c)) == pytest.approx(1.0)
    for a, b, ties in product(range(5, 9), range(5, 9), range(1, 3)):
        # Every pair of free labels, and two more for each tie, is equally likely.
        assert sum(again_odds(a, b, ties)) == a * b + 2 * ties


def test_a_leading_block_asks_for_the_labels_that_are_not_tied():
    assert leading(10, 8, False).radix == 9
    assert leading(8, 6, True).radix == 7


@pytest.mark.parametrize("hits", B_SETS)
def test_sums_of_weights_tell_their_terms(hits):
    for weights in B_SETS[hits]:
        sums = {}
        for terms in product(weights, repeat=hits):
            sums.setdefault(sum(terms), set()).add(tuple(sorted(terms)))
        assert all(len(terms) == 1 for terms in sums.values())


@pytest.mark.parametrize("hits", SIX_POSITIONS)
def test_hits_among_six_positions_are_told_by_their_weights(hits):
    """All sums differ; for three hits they even fill their range."""
    sums = sorted(
        sum(w for w, hit in zip(SIX_POSITIONS[hits], v, strict=True) if hit)
        for v in product((0, 1), repeat=6)
        if sum(v) == hits
    )
    assert len(set(sums)) == len(sums)
    assert hits != 3 or sums == list(range(sums[0], sums[0] + len(sums)))


@pytest.mark.parametrize(("g", "hits"), [(g, w) for g in range(2, 13) for w in range(1, g)])
def test_a_split_tells_the_hits_of_every_part(g, hits):
    for weights in part_weights(g, hits, tuning.ONE_HIT_PARTS):
        parts = even_sizes(g, len(weights))
        block = hit_split(weights, hits, tuple(min(hits, size) for size in parts))
        told = [h for h in block.outcomes if h is not None]
        possible = [
            h for h in product(*(range(min(hits, size) + 1) for size in parts)) if sum(h) == hits
        ]
        assert sorted(told) == sorted(possible)


@pytest.mark.parametrize("c", [2, 5, 8, 14])
@pytest.mark.parametrize("size", [2, 3, 9])
def test_a_search_tells_position_and_label_apart(size, c):
    """Every place of the wrong label and every label, by counting rows."""
    for spans in spans_for(size, c):
        block = error_search(spans, c)
        told = {}
        for part in range(len(spans)):
            mine = [run for run in block.runs if run.part == part]
            for slot in range(c):
                # The likely label's loss counts in every run, the label's own gain once.
                value = sum(
                    run.sign * (run.stop - run.start) * (1 + (run.slot == slot)) for run in mine
                )
                case = block.outcomes[value - block.low]
                assert case.part == part
                assert slot in case.slots
                told.setdefault(value, set()).add(slot)
                expected = [(1 + (r.slot == slot)) * (r.part == part) for r in block.runs]
                assert block.table[value - block.low].tolist() == expected
        for value, slots in told.items():
            assert set(block.outcomes[value - block.low].slots) == slots
        chances = sum(case.chance for case in block.outcomes if case)
        assert chances == pytest.approx(len(spans))
        for part, sign in product(range(len(spans)), (1, -1)):
            runs = [run for run in block.runs if (run.part, run.sign) == (part, sign)]
            rows = [row for run in runs for row in range(run.start, run.stop)]
            assert len(rows) == len(set(rows))
            assert max(rows, default=0) < block.need


def test_dear_positions_are_not_shared():
    few = FewClasses(LabelKnowledge(np.zeros(40, np.int64), 3, 10**6), certain=True)
    few.admit(range(40))
    menu = few.planner.menu(few.planner.stock(), last_round=False)
    shared = [
        sum(menu.offers[i].amount for i in Packer(menu, 8, price).take(1, 1)[1])
        for price in (0.0, 10.0)
    ]
    assert shared == [4, 1]


def test_looks_grow_with_what_is_left():
    for m in (2, 4, 10, 16):
        looks = [expected_looks(bits, m) for bits in (10.0, 100.0, 1000.0, 10000.0)]
        assert looks == sorted(looks)
    assert looks_left(1000.0) < 10 * looks_left(100.0)
    assert all(5 <= size < 20 for size in lengths(5, 20))
