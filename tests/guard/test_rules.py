"""Every release rule behind the ledger tells what it tells in memory."""

import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import BudgetExhausted
from holdfast.guard import Guard, Policy
from holdfast.oracles import LabelOracle
from holdfast.rules import parse_rule

N, LOOKS = 300, 6
RULES = [
    "exact", "round:1", "ladder:0.05", "ladder", "rank", "improved", "subsample:0.5+round:2",
    "batch:1", "split:3",
]  # fmt: skip
NOISY = ["gaussian:0.01", "laplace:0.01", "shaky:step=0.05,scale=0.01", "fresh:0.5"]


def looks(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, N)
    queries = []
    for step in range(LOOKS):
        query = labels.copy()
        wrong = rng.choice(N, 200 - 25 * step if step % 3 else 180, replace=False)
        query[wrong] = (labels[wrong] + 1) % 4
        queries.append(query)
    return labels, queries


@pytest.mark.parametrize("memory", ["team", "data_set"])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_without_noise_answers_as_in_memory_though_every_look_is_a_new_process(
    rule, memory, tmp_path
):
    labels, queries = looks(1)
    policy = Policy(rule, looks_per_data_set=LOOKS, memory=memory)
    oracle = LabelOracle(labels, problem=Problem(N, 4, LOOKS), mechanism=parse_rule(policy.release))
    for query in queries:
        guard = Guard(labels, policy, tmp_path / "ledger.db", create=True, n_classes=4)
        assert guard.score(query, team="blue").released == oracle.query(query)
        guard.ledger.close()
    assert Guard(labels, policy, tmp_path / "ledger.db").ledger.verify().ok


@pytest.mark.parametrize("rule", NOISY)
def test_a_noisy_rule_answers_near_the_score_and_repeats_itself_from_the_record(rule, tmp_path):
    labels, queries = looks(2)
    guard = Guard(labels, Policy(rule), tmp_path / "ledger.db", create=True, n_classes=4)
    first = guard.score(queries[0], team="blue")
    exact = np.mean(queries[0] == labels)
    assert abs(first.released - exact) < 0.2
    assert [guard.score(queries[0], team="blue").released for _ in range(5)] == [first.released] * 5


def test_a_rule_that_has_spent_its_own_budget_refuses_and_nothing_is_counted(ledger_url):
    labels, queries = looks(3)
    policy = Policy("thresholdout:threshold=0.0001,scale=0.00001,budget=1")
    guard = Guard(labels, policy, ledger_url, create=True, n_classes=4)
    assert math.isfinite(guard.score(queries[0], team="blue").released)
    before = guard.ledger.entries()
    with pytest.raises(BudgetExhausted, match=r"thresholdout.* answers no more looks"):
        guard.score(queries[1], team="blue")
    assert guard.ledger.entries() == before


def test_another_rule_starts_its_own_history_and_keeps_the_budget(ledger_url):
    labels, queries = looks(4)
    ladder = Guard(labels, Policy("ladder:0.05", looks_per_team=3), ledger_url, create=True)
    exact = Guard(labels, Policy("exact", looks_per_team=3), ledger_url, create=True)
    ladder.score(queries[5], team="blue")
    receipt = exact.score(queries[5], team="blue")
    assert not receipt.repeated
    assert receipt.looks_left == 1
    assert receipt.released == np.mean(queries[5] == labels)
