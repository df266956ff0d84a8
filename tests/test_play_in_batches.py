import numpy as np
import pytest

from holdfast import Problem, Transcript, attacks, play
from holdfast.attacks import without_features
from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.oracles import ClassifierOracle, LabelOracle
from holdfast.rules import PENDING, parse_rule

PROBLEM = Problem(200, 4, 24)
HIDDEN = np.random.default_rng(4).integers(4, size=200).astype(np.uint8)
REFUSING = "thresholdout:threshold=0.001,scale=0.0001,budget=3"


def oracle(rule):
    return LabelOracle(HIDDEN, problem=PROBLEM, mechanism=parse_rule(rule))


def fresh(cls):
    return cls(PROBLEM, rng=np.random.default_rng(8))


@pytest.mark.parametrize("size", [1, 5, 8, 24])
def test_a_non_adaptive_attack_loses_nothing_to_a_batch_that_fills(size):
    expected = play(fresh(attacks.BlockMajority), oracle("exact"))
    seen = []
    played = play(fresh(attacks.BlockMajority), oracle(f"batch:{size}"), on_look=seen.append)
    assert seen == list(range(1, 25))
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
        play(fresh(cls), oracle("batch:12"))


@pytest.mark.parametrize("cls", [attacks.HadamardBlocks, attacks.PooledDetecting])
def test_a_batch_of_all_looks_does_not_stop_a_non_adaptive_attack(cls):
    np.testing.assert_array_equal(
        play(fresh(cls), oracle("batch:24")), play(fresh(cls), oracle("exact"))
    )


def test_a_batch_that_never_fills_tells_nothing():
    asked = oracle("batch:25")
    guess = play(fresh(attacks.BlockMajority), asked)
    assert asked.looks == 24
    np.testing.assert_array_equal(guess, fresh(attacks.BlockMajority).predict())


@pytest.mark.parametrize("batch", ["", "batch:2+"])
def test_a_rule_that_refuses_ends_the_play_if_that_is_asked_for(batch):
    asked = oracle(batch + REFUSING)
    guess = play(fresh(attacks.BlockMajority), asked, until_refused=True)
    assert 3 <= asked.looks < 24
    assert guess.tolist() != fresh(attacks.BlockMajority).predict().tolist()
    with pytest.raises(BudgetExhausted, match="spent its budget of 3"):
        play(fresh(attacks.BlockMajority), oracle(batch + REFUSING))


def test_classifiers_are_not_rehearsed():
    asked = ClassifierOracle(
        np.arange(200), HIDDEN, problem=PROBLEM, mechanism=parse_rule("batch:24")
    )
    with pytest.raises(NotSupported, match="not played where answers come in batches"):
        play(fresh(without_features.BlockMajority), asked)


def test_held_back_answers_are_not_recorded():
    transcript = Transcript(PROBLEM)
    with pytest.raises(NotSupported, match="can't be recorded where answers are held back"):
        play(fresh(attacks.BlockMajority), oracle("batch:24"), transcript=transcript)
    assert len(transcript) == 0


def test_an_oracle_that_never_tells_a_batch_is_named():
    class Silent:
        problem = PROBLEM

        def query(self, labels):
            return PENDING

    with pytest.raises(NotSupported, match="has no `batch` to tell them"):
        play(fresh(attacks.BlockMajority), Silent())


def test_an_adaptive_attack_is_refused_before_it_is_rehearsed_to_the_end():
    asked = []

    class Climber(attacks.HillClimb):
        def ask(self):
            asked.append(self)
            return super().ask()

    with pytest.raises(NotSupported, match="depend on answers that the batch holds back"):
        play(fresh(Climber), oracle("batch:24"))
    assert len(asked) < 24
