import numpy as np
import pytest

from holdfast import Problem
from holdfast.guard import Guard, Policy, exposure
from holdfast.guard.exposure import nats, worst_gain
from holdfast.mechanisms import parse_mechanism

RULES = ["exact", "round:2", "ladder:0.01", "ladder", "gaussian:0.01", "subsample:0.3", "improved"]


@pytest.mark.parametrize("rule", RULES)
def test_one_history_allows_what_its_rule_guarantees(rule):
    guarantee = parse_mechanism(rule).guarantee(Problem(5000, 10, 60))
    assert worst_gain(5000, 10, {(rule, "blue"): 60}) == pytest.approx(guarantee.accuracy - 0.1)


# But "improved": the first look of each history tells nothing.
@pytest.mark.parametrize("rule", RULES[:-1])
def test_two_accounts_never_allow_less_than_one(rule):
    one = nats(5000, 10, {(rule, "blue"): 60})
    two = nats(5000, 10, {(rule, "blue"): 30, (rule, "red"): 30})
    assert two >= one * (1 - 1e-9)


def test_looks_under_several_rules_add_up():
    coarse, exact = {("round:1", "a"): 50}, {("exact", "a"): 5}
    both = nats(5000, 10, {**coarse, **exact})
    assert max(nats(5000, 10, coarse), nats(5000, 10, exact)) < both
    assert both <= nats(5000, 10, {("exact", "a"): 55})


def test_no_looks_allow_nothing():
    assert nats(100, 5, {}) == 0.0
    assert worst_gain(100, 5, {}) == 0.0


def test_a_ledger_shows_every_team_and_all_together(ledger_url):
    labels = np.arange(300) % 3
    guard = Guard(labels, Policy("exact", failed="look"), ledger_url, create=True)
    rng = np.random.default_rng(0)
    for team in ("red", "blue", "red"):
        guard.score(rng.integers(0, 3, 300), team=team)
    with pytest.raises(ValueError, match="prediction must"):
        guard.score([1], team="blue")
    (found,) = exposure(guard.ledger)
    assert (found.looks, found.failed, found.n_examples, found.n_classes) == (3, 1, 300, 3)
    assert [(team.team, team.looks, team.failed) for team in found.teams] == [
        ("blue", 1, 1),
        ("red", 2, 0),
    ]
    assert found.gain == pytest.approx(worst_gain(300, 3, {("exact", "x"): 3}))
    assert found.teams[0].gain < found.teams[1].gain < found.gain
