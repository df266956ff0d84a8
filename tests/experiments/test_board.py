import numpy as np
import pytest

from holdfast import Problem, attacks
from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.experiments.board import Board, looks_of_accounts, play_on
from holdfast.loop import play
from holdfast.mechanisms import parse_mechanism
from holdfast.oracles import LabelOracle

PROBLEM = Problem(200, 4, 24)
HIDDEN = np.random.default_rng(4).integers(4, size=200).astype(np.uint8)


def board(rule, accounts=1, problem=PROBLEM):
    return Board(
        HIDDEN,
        problem=problem,
        rule=parse_mechanism(rule),
        rng=np.random.default_rng(0),
        accounts=accounts,
    )


def builder(cls, problem=PROBLEM):
    return lambda: cls(problem, rng=np.random.default_rng(8))


def test_accounts_share_the_looks_evenly():
    assert looks_of_accounts(10, 3) == [4, 3, 3]
    assert looks_of_accounts(4, 4) == [1, 1, 1, 1]


def test_one_account_plays_as_against_an_oracle():
    oracle = LabelOracle(HIDDEN, problem=PROBLEM)
    expected = play(builder(attacks.BlockMajority)(), oracle)
    played = board("exact")
    np.testing.assert_array_equal(play_on(builder(attacks.BlockMajority), played), expected)
    assert played.looks == 24


def test_every_account_starts_from_a_fresh_state():
    single, fresh = board("improved"), board("improved", accounts=24)
    good, bad = HIDDEN.copy(), (HIDDEN + 1) % 4
    assert [single.query(good), single.query(bad)] == [1.0, 0.0]
    assert [fresh.query(good), fresh.query(bad)] == [1.0, 1.0]


def test_the_budget_is_that_of_all_accounts_together():
    small = board("exact", accounts=2, problem=Problem(200, 4, 2))
    small.query(HIDDEN)
    small.query(HIDDEN)
    with pytest.raises(BudgetExhausted, match="all 2 looks are used up"):
        small.query(HIDDEN)


@pytest.mark.parametrize("size", [1, 5, 8, 24])
def test_a_non_adaptive_attack_loses_nothing_to_a_batch_that_fills(size):
    expected = play_on(builder(attacks.BlockMajority), board("exact"))
    played = play_on(builder(attacks.BlockMajority), board(f"batch:{size}"))
    if 24 % size == 0:
        np.testing.assert_array_equal(played, expected)
    else:
        # The last looks were never answered: some block may be decided otherwise.
        answered = 24 - 24 % size
        blocks = 200 * (answered - 1) // 23
        np.testing.assert_array_equal(played[:blocks], expected[:blocks])


@pytest.mark.parametrize(
    "cls", [attacks.HillClimb, attacks.BlockClimb, attacks.ChampionChallenger, attacks.Lattice]
)
def test_an_adaptive_attack_cannot_play_within_a_batch(cls):
    with pytest.raises(NotSupported, match="queries depend on answers that the batch holds back"):
        play_on(builder(cls), board("batch:12"))


@pytest.mark.parametrize("cls", [attacks.HadamardBlocks, attacks.PooledDetecting])
def test_a_batch_of_all_looks_does_not_stop_a_non_adaptive_attack(cls):
    np.testing.assert_array_equal(
        play_on(builder(cls), board("batch:24")), play_on(builder(cls), board("exact"))
    )


def test_a_batch_that_never_fills_tells_nothing():
    played = board("batch:25")
    guess = play_on(builder(attacks.BlockMajority), played)
    assert played.looks == 24
    np.testing.assert_array_equal(guess, builder(attacks.BlockMajority)().predict())


def test_a_rule_that_refuses_ends_the_play():
    played = board("thresholdout:threshold=0.001,scale=0.0001,budget=3")
    guess = play_on(builder(attacks.BlockMajority), played)
    assert 3 <= played.looks < 24
    assert guess.shape == HIDDEN.shape
