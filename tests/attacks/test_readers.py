"""Boards that show ranks, or one bit, feed attacks that only compare."""

import numpy as np

from holdfast import Problem
from holdfast.attacks import (
    BlockClimb,
    BlockMajority,
    GridReader,
    HillClimb,
    ImprovementReader,
    RankReader,
)
from tests.attacks.boards import error, gains

PROBLEM = Problem(2000, 5, 61)


def test_ranks_lose_nothing_of_the_small_k_attack():
    exact = gains(lambda p, rng: BlockMajority(p, rng=rng), "exact", PROBLEM, 10)
    ranks = gains(lambda p, rng: RankReader(BlockMajority(p, rng=rng)), "rank", PROBLEM, 10)
    np.testing.assert_array_equal(ranks, exact)


def test_one_bit_a_look_loses_nothing_of_hill_climbing():
    exact = gains(lambda p, rng: HillClimb(p, rng=rng), "exact", PROBLEM, 10)
    bits = gains(lambda p, rng: ImprovementReader(HillClimb(p, rng=rng)), "improved", PROBLEM, 10)
    np.testing.assert_array_equal(bits, exact)


def test_one_bit_a_look_gains_as_much_as_exact_scores_gave_the_paper():
    def climb(p, rng):
        return ImprovementReader(BlockClimb(p, rng=rng))

    found = gains(climb, "improved", PROBLEM, 20)
    blocks = gains(lambda p, rng: BlockMajority(p, rng=rng), "exact", PROBLEM, 20)
    assert found.mean() >= blocks.mean() - 4 * error(found - blocks)


class Listener:
    """An attack that writes down what it is told."""

    problem = Problem(4, 2, 99)

    def __init__(self):
        self.told = []

    def ask(self):
        return np.zeros(4, dtype=np.uint8)

    def tell(self, answer):
        self.told.append(answer)

    def predict(self):
        return np.zeros(4, dtype=np.uint8)


def test_made_up_scores_have_the_order_that_the_ranks_tell():
    scores = np.random.default_rng(3).permutation(200)
    listener = Listener()
    reader = RankReader(listener)
    for t, score in enumerate(scores):
        reader.ask()
        reader.tell(1 + np.count_nonzero(scores[:t] > score))
    assert np.argsort(listener.told).tolist() == np.argsort(scores).tolist()


def test_an_equal_score_counts_as_at_least_as_good():
    listener = Listener()
    reader = RankReader(listener)
    for rank in (1, 2, 1, 2):
        reader.tell(rank)
    first, second, third, fourth = listener.told
    assert third > first > second
    assert third > fourth > first


def test_improvements_raise_the_made_up_score_and_nothing_lowers_it():
    listener = Listener()
    reader = ImprovementReader(listener)
    for bit in (1.0, 0.0, 1.0, 0.0):
        reader.tell(bit)
    assert listener.told == [1.0, 1.0, 2.0, 2.0]


def test_a_rounding_finer_than_the_scores_is_undone():
    listener = Listener()
    reader = GridReader(listener, size=300)
    for count in range(301):
        reader.tell(round(count / 300, 3))
    assert listener.told == [count / 300 for count in range(301)]


def test_fine_rounding_of_a_public_part_hides_nothing():
    rounded = gains(
        lambda p, rng: GridReader(BlockMajority(p, rng=rng), size=600),
        "subsample:0.3+round:3",
        PROBLEM,
        10,
    )
    exact = gains(lambda p, rng: BlockMajority(p, rng=rng), "subsample:0.3", PROBLEM, 10)
    np.testing.assert_array_equal(rounded, exact)
