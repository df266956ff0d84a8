import math

import numpy as np
import pytest

from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard import Guard, Policy, gate
from holdfast.guard.gate import log_transcripts

N, LOOKS = 2000, 40


def changed(prediction, labels, rng, rows, skill):
    """Return a prediction that differs on `rows` examples and is right there with `skill`."""
    candidate = prediction.copy()
    where = rng.choice(N, rows, replace=False)
    right = rng.random(rows) < skill
    candidate[where] = np.where(
        right, labels[where], (labels[where] + rng.integers(1, 4, rows)) % 4
    )
    return candidate


@pytest.mark.parametrize("rule", ["exact", "round:3"])
def test_the_best_of_many_useless_changes_does_not_pass(rule, tmp_path):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 4, N)
        baseline = changed(labels, labels, rng, N, 0.7)
        guard = Guard(labels, Policy(rule), tmp_path / f"{seed}.db", create=True)
        candidates = [changed(baseline, labels, rng, 200, 0.7) for _ in range(LOOKS)]
        best = max(candidates, key=lambda c: guard.score(c, team="lab").released)
        result = gate(guard, baseline, best, team="lab")
        assert result.improvement > 0
        assert result.looks == LOOKS + 1
        assert not result.passed


def test_a_true_improvement_passes_with_few_looks(ledger_url):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, N)
    baseline = changed(labels, labels, rng, N, 0.5)
    better = changed(baseline, labels, rng, 900, 0.95)
    result = gate(
        Guard(labels, Policy("exact"), ledger_url, create=True), baseline, better, team="lab"
    )
    assert result.passed
    assert result.improvement == pytest.approx(
        np.mean(better == labels) - np.mean(baseline == labels)
    )
    expected = math.sqrt(2 * result.differing * (math.log(N + 1) + math.log(20))) / N
    assert result.bought == pytest.approx(expected)


def test_gating_the_same_pair_again_costs_no_look_but_buys_more(tmp_path):
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 4, N)
    guard = Guard(labels, Policy("exact", looks_per_team=2), tmp_path / "ledger.db", create=True)
    pair = changed(labels, labels, rng, N, 0.5), changed(labels, labels, rng, N, 0.9)
    first, second = (gate(guard, *pair, team="lab") for _ in range(2))
    assert guard.allowance(team="lab")[0] == 0
    assert (first.looks, second.looks) == (1, 2)
    assert second.bought > first.bought


def test_coarse_rules_show_fewer_transcripts_and_noise_shows_no_fewer():
    exact = log_transcripts(N, {("exact", "a"): 10})
    assert exact == pytest.approx(10 * math.log(N + 1))
    assert log_transcripts(N, {("gaussian:0.1", "a"): 10}) == exact
    assert log_transcripts(N, {("round:1", "a"): 10}) == pytest.approx(10 * math.log(11))
    assert log_transcripts(N, {("improved", "a"): 10}) == pytest.approx(9 * math.log(2))


@pytest.mark.parametrize("rule", ["rank", "improved", "batch:5", "subsample:0.5+rank"])
def test_a_rule_without_scores_cant_gate(rule, tmp_path):
    guard = Guard(np.arange(N) % 4, Policy(rule), tmp_path / "ledger.db", create=True)
    with pytest.raises(NotSupported, match="a gate needs"):
        gate(guard, np.zeros(N, int), np.ones(N, int), team="lab")


def test_a_confidence_is_a_probability(tmp_path):
    guard = Guard(np.arange(N) % 4, Policy("exact"), tmp_path / "ledger.db", create=True)
    with pytest.raises(InvalidInput, match="confidence must lie between 0 and 1, got 1"):
        gate(guard, np.zeros(N, int), np.ones(N, int), team="lab", confidence=1.0)
