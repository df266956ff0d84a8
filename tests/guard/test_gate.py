import math
import re

import numpy as np
import pytest
from scipy.stats import binom

from holdfast.certificates import log_transcripts
from holdfast.errors import BudgetExhausted, InvalidInput, NotSupported
from holdfast.guard import Guard, Policy, gate
from holdfast.guard.gate_margin import largest_sum
from holdfast.guard.parts import Part

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
        assert result.looks == LOOKS  # before the later of the two, the baseline
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
    # Both at once, and first: a quarter of the risk of 1/20, and nothing was told before.
    assert result.p_needed == pytest.approx(1 / 80)
    heads = (result.differing + result.bought * N) / 2
    assert binom.sf(math.floor(heads), result.differing, 0.5) <= 1 / 80
    assert binom.sf(math.floor(heads) - 1, result.differing, 0.5) > 1 / 80


def test_an_honest_first_look_passes_and_one_after_garbage_needs_little_more(tmp_path):
    """A gain of 73 on 1,196 rows, 3.4 standard deviations: 8.55 points were needed, 15.2 later."""
    assert verdict(1196, 267, 194, "exact", tmp_path).passed
    needed = {}
    for garbage in (0, 1):
        guard = Guard(np.zeros(1196, int), Policy("round:2"), tmp_path / f"{garbage}.db",
                      n_classes=2, create=True)  # fmt: skip
        base = np.arange(1196) % 2
        for at in range(garbage):
            gate(guard, base, np.roll(base, 1 + at), team="lab")
        candidate = base.copy()
        candidate[np.flatnonzero(base == 1)[:267]] = 0
        candidate[np.flatnonzero(base == 0)[:194]] = 1
        needed[garbage] = gate(guard, base, candidate, team="lab")
    assert needed[0].bought < 0.045
    assert needed[1].bought < 0.095
    assert needed[1].p_value == needed[0].p_value


@pytest.mark.parametrize("count", [1, 2, 7, 30, 200])
@pytest.mark.parametrize("nats", [0.1, 1.0, 3.0, 8.0])
def test_coins_add_up_to_more_than_the_margin_no_more_often_than_stated(count, nats):
    """The worst law there is for sums of values in [-1, 1] of mean zero: fair signs."""
    most = largest_sum(count, nats)
    assert most <= min(count, math.sqrt(2 * count * nats)) + 1e-9
    for signs in range(count + 1):  # some of the values may be zero
        above = sum(math.comb(signs, h) for h in range(signs + 1) if 2 * h - signs > most)
        assert above / 2**signs <= math.exp(-nats) * (1 + 1e-9)


def test_gating_the_same_pair_again_costs_no_look_and_gives_the_same_verdict(tmp_path):
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 4, N)
    policy = Policy("gaussian:0.01", looks_per_team=2)
    guard = Guard(labels, policy, tmp_path / "ledger.db", create=True)
    pair = changed(labels, labels, rng, N, 0.5), changed(labels, labels, rng, N, 0.9)
    first = gate(guard, *pair, team="lab")
    guard.score(pair[0], team="another")
    assert gate(guard, *pair, team="lab") == first
    assert guard.allowance(team="lab")[0] == 0
    assert first.looks == 0


def test_coarse_rules_show_fewer_transcripts_and_noise_shows_no_fewer():
    exact = log_transcripts(N, {("exact", "a"): 10})
    assert exact == pytest.approx(10 * math.log(N + 1))
    assert log_transcripts(N, {("gaussian:0.1", "a"): 10}) == exact
    assert log_transcripts(N, {("round:1", "a"): 10}) == pytest.approx(10 * math.log(11))
    assert log_transcripts(N, {("improved", "a"): 10}) == pytest.approx(9 * math.log(2))


@pytest.mark.parametrize(
    "rule", ["rank", "improved", "batch:5", "subsample:0.5+rank", "ladder:0.01+round:1"]
)
def test_a_rule_without_scores_of_its_own_cant_gate_and_costs_no_look(rule, tmp_path):
    guard = Guard(np.arange(N) % 4, Policy(rule), tmp_path / "ledger.db", create=True)
    with pytest.raises(NotSupported, match=r'a gate needs .* such as release = "round:3"'):
        gate(guard, np.zeros(N, int), np.ones(N, int), team="lab")
    assert guard.ledger.entries() == []


@pytest.mark.parametrize("limits", [{"looks_per_team": 2}, {"min_gap": "1 minute"}])
@pytest.mark.parametrize("rule", ["exact", "ladder:0.01"])
def test_a_pair_that_is_not_allowed_is_refused_before_either_is_scored(rule, limits, ledger_url):
    """Both were undone after the first had been a new best, and only then: a free oracle."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, N)
    guard = Guard(labels, Policy(rule, **limits), ledger_url, create=True)
    poor = changed(labels, labels, rng, N, 0.3)
    if "min_gap" not in limits:
        guard.score(poor, team="lab")
    before, told = len(guard.ledger.entries()), set()
    for skill in (0.0, 0.2, 0.6, 0.9):
        baseline = changed(labels, labels, rng, N, skill)
        with pytest.raises(BudgetExhausted, match="two looks at once are needed, and") as refusal:
            gate(guard, baseline, changed(baseline, labels, rng, 200, 0.9), team="lab")
        told.add(str(refusal.value))
    assert len(told) == 1
    assert len(guard.ledger.entries()) <= before + 1  # the labels were opened
    assert guard.allowance(team="lab")[0] == guard.policy.looks_per_team - (before > 0)


def test_a_first_answer_stays_where_the_rule_gives_no_second_one(ledger_url):
    """Whether it does may depend on the labels, so it is recorded and paid for."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 4, N)
    rule = "thresholdout:threshold=0.04,scale=0.001,budget=1"
    guard = Guard(labels, Policy(rule, looks_per_team=9), ledger_url, create=True)
    pair = changed(labels, labels, rng, N, 0.6), changed(labels, labels, rng, N, 0.9)
    for _ in range(2):
        with pytest.raises(BudgetExhausted, match=r"thresholdout.* answers no more looks"):
            gate(guard, *pair, team="lab")
        assert [entry.kind for entry in guard.ledger.entries()][1:] == ["host", "look"]
        assert guard.allowance(team="lab")[0] == 8


def test_a_confidence_is_a_probability(tmp_path):
    guard = Guard(np.arange(N) % 4, Policy("exact"), tmp_path / "ledger.db", create=True)
    with pytest.raises(InvalidInput, match="confidence must lie between 0 and 1, got 1"):
        gate(guard, np.zeros(N, int), np.ones(N, int), team="lab", confidence=1.0)


def verdict(n, gained, lost, rule, folder):
    """Gate a candidate that wins and loses these numbers of examples, on n zeros of two classes."""
    base = np.arange(n) % 2
    candidate = base.copy()
    candidate[np.flatnonzero(base == 1)[:gained]] = 0
    candidate[np.flatnonzero(base == 0)[:lost]] = 1
    labels = np.zeros(n, int)
    guard = Guard(labels, Policy(rule), folder / f"{n}-{gained}-{lost}.db", create=True)
    return gate(guard, base, candidate, team="lab")


def number_in(sentence):
    return int(re.search(r"([0-9,]+) (differing|examples)", sentence)[1].replace(",", ""))


def test_a_gate_that_fails_says_what_would_pass_and_that_does_pass(tmp_path):
    n, gained, lost = 1000, 115, 85
    failed = verdict(n, gained, lost, "round:3", tmp_path)
    assert failed.improvement == pytest.approx(0.03)
    assert not failed.passed
    needed, fewer, more, finer = [*failed.advice, None][:4]
    assert needed == f"an improvement of more than {100 * (failed.bought + failed.blur):.3f} points"
    assert "differing predictions" in fewer
    most = number_in(fewer)
    # The same improvement of 30 examples with that many differing, and with two more.
    same = [(30 + d, d) for d in ((most - 30) // 2, (most - 30) // 2 + 1)]
    assert verdict(n, *same[0], "round:3", tmp_path).passed
    assert not verdict(n, *same[1], "round:3", tmp_path).passed
    assert "on" in more
    times = number_in(more) / n
    bigger = verdict(
        math.ceil(times * n), math.ceil(times * gained), math.floor(times * lost), "round:3",
        tmp_path,
    )  # fmt: skip
    assert bigger.passed
    assert finer is None


def test_a_gate_under_too_coarse_a_rule_says_how_fine_it_must_be(tmp_path):
    failed = verdict(10_000, 600, 0, "round:1", tmp_path)
    assert not failed.passed
    assert failed.advice[-1].startswith("a finer rule: one that blurs a difference by less than")
    assert verdict(10_000, 600, 1, "round:3", tmp_path).passed


def test_a_candidate_that_does_not_score_higher_gets_no_hope(tmp_path):
    failed = verdict(1000, 10, 20, "exact", tmp_path)
    assert failed.advice[-1].endswith("the candidate does not score higher")


def test_only_predictions_on_the_part_that_is_scored_count_as_differing(tmp_path):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, N)
    base = changed(labels, labels, rng, N, 0.5)
    candidate = base.copy()
    candidate[:300] = labels[:300]
    candidate[N // 2 :] = (base[N // 2 :] + 1) % 4
    public = Part("public", np.arange(N // 2))
    guard = Guard(labels, Policy("exact"), tmp_path / "ledger.db", part=public, create=True)
    result = gate(guard, base, candidate, team="lab")
    assert result.differing == np.count_nonzero(base[:300] != labels[:300])
    assert result.improvement == pytest.approx(result.differing / (N // 2))
    assert result.passed
