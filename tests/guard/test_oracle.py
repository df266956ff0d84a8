import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.errors import BudgetExhausted
from holdfast.guard import Guard, GuardOracle, Policy
from holdfast.guard.parts import Part
from holdfast.oracles import LabelOracle
from holdfast.rules import parse_rule

PROBLEM = Problem(60, 3, 12)
HIDDEN = np.random.default_rng(2).integers(3, size=60).astype(np.uint8)


@pytest.fixture
def guard_for(tmp_path):
    def make(rule, looks=12, **settings):
        policy = Policy(rule, looks_per_team=looks)
        return Guard(HIDDEN, policy, tmp_path / "ledger.db", create=True, n_classes=3, **settings)

    return make


def fresh(cls):
    return cls(PROBLEM, rng=np.random.default_rng(5))


@pytest.mark.parametrize(
    ("rule", "cls"),
    [
        ("exact", attacks.ChampionChallenger),
        ("round:2", attacks.HillClimb),
        ("ladder:0.05", attacks.BlockClimb),
        ("subsample:0.5", attacks.BlockMajority),
        ("batch:4", attacks.BlockMajority),
        ("batch:4+round:1", attacks.HadamardBlocks),
    ],
)
def test_an_attack_plays_a_ledger_as_it_plays_labels_in_memory(guard_for, rule, cls):
    guard = guard_for(rule)
    oracle = GuardOracle(guard, "blue")
    assert oracle.problem == PROBLEM
    in_memory = LabelOracle(HIDDEN, problem=PROBLEM, mechanism=parse_rule(rule))
    expected = play(fresh(cls), in_memory)
    np.testing.assert_array_equal(play(fresh(cls), oracle), expected)
    assert guard.allowance(team="blue") == (12 - in_memory.looks, None)
    looks = [entry for entry in guard.ledger.entries() if entry.kind == "look"]
    assert len(looks) == in_memory.looks
    assert guard.ledger.verify(receipts=[look.receipt_id for look in looks]).ok


def test_the_budget_is_what_the_policy_leaves_and_a_refusal_ends_the_play(guard_for):
    guard = guard_for("exact", looks=5)
    oracle = GuardOracle(guard, "blue")
    assert oracle.problem.n_queries == 5
    with pytest.raises(BudgetExhausted, match="all looks of blue on this data set are used up"):
        play(fresh(attacks.BlockMajority), oracle)
    # The same looks again are in the record, and cost nothing.
    again = play(fresh(attacks.BlockMajority), GuardOracle(guard, "blue"), until_refused=True)
    in_memory = LabelOracle(HIDDEN, problem=Problem(60, 3, 5))
    expected = play(fresh(attacks.BlockMajority), in_memory, until_refused=True)
    np.testing.assert_array_equal(again, expected)
    assert guard.ledger.verify().ok


def test_a_prediction_is_about_all_examples_where_a_part_is_scored(guard_for):
    part = Part("public", np.arange(20), keeps=False)
    oracle = GuardOracle(guard_for("exact", part=part), "blue")
    assert oracle.problem == PROBLEM
    right_there = np.where(np.arange(60) < 20, HIDDEN, (HIDDEN + 1) % 3)
    assert oracle.query(right_there) == 1.0
