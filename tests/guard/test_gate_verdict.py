"""Gates that tell their verdict alone: on labels, and on passed, graded and repeated outcomes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, NotSupported
from holdfast.guard import Guard, OutcomeGuard, Policy, exposure, gate_verdict
from holdfast.guard.gate_verdict import PASSED, log_weight, p_value
from holdfast.guard.parts import Part

N = 164
TASKS = [f"task_{at}" for at in range(N)]


def guarded(path, rule="round:2", looks=20, between=None):
    policy = Policy(rule, looks_per_team=looks)
    return OutcomeGuard(
        TASKS, policy, path / "ledger.db", secret=b"0123456789abcdef", create=True, between=between
    )


def outcomes(wins, losses, both=60):
    """A baseline and a candidate that alone pass so many tasks."""
    base, candidate = np.zeros(N, bool), np.zeros(N, bool)
    base[:both] = candidate[:both] = True
    candidate[both : both + wins] = True
    base[both + wins : both + wins + losses] = True
    return tuple(dict(zip(TASKS, each.tolist(), strict=True)) for each in (base, candidate))


def test_an_honest_candidate_passes_at_once_and_after_failed_ones(tmp_path):
    guard = guarded(tmp_path)
    first = guard.gate(*outcomes(22, 6), team="lab")
    assert (first.passed, first.p_needed, first.receipt.looks_left) == (
        True,
        pytest.approx(0.025),
        19,
    )
    assert first.p_value == first.p_needed  # 0.0019 by the sign test: no more is told
    for size in range(3):
        failed = guard.gate(*outcomes(10 + size, 10), team="lab")
        assert not failed.passed
    later = guard.gate(*outcomes(28, 4), team="lab")
    assert (later.passed, later.gates, later.looks) == (True, 4, 0)
    again = guard.gate(*outcomes(22, 6), team="lab")
    assert again.receipt.repeated
    assert (again.passed, again.p_needed) == (True, first.p_needed)


def test_a_pair_at_another_confidence_is_another_gate(tmp_path):
    """One that had passed at 0.5 was said to have passed at 0.9999, too, with a p value of 5e-5."""
    guard, pair = guarded(tmp_path), outcomes(18, 10)
    low = guard.gate(*pair, team="lab", confidence=0.5)
    high = guard.gate(*pair, team="lab", confidence=0.9999)
    assert (low.passed, low.p_needed) == (True, 0.25)
    assert (high.passed, high.gates, high.p_value) == (False, 1, 0.1)
    assert guard.gate(*pair, team="lab", confidence=0.5).receipt == replace(
        low.receipt, repeated=True, looks_left=18
    )


def test_scores_that_were_told_count_against_the_next_candidate(tmp_path):
    needed = {}
    for rule in ("improved", "ladder:0.05", "round:2", "exact"):
        (tmp_path / rule).mkdir()
        guard = guarded(tmp_path / rule, rule=rule)
        for at in range(4):
            guard.score(outcomes(at, 3)[1], team="lab")
        needed[rule] = guard.gate(*outcomes(22, 6), team="lab").p_needed
    assert list(needed.values()) == sorted(needed.values(), reverse=True)
    assert needed["exact"] == pytest.approx(0.05 / (N + 1) ** 4 / (5 * 6) * 0.5 / 4)


def test_a_failure_says_what_would_pass_and_no_more_of_the_outcomes(tmp_path):
    failed = guarded(tmp_path).gate(*outcomes(10, 8), team="lab")
    assert failed.p_value == 1.0
    assert failed.advice[0] == "a p value of at most 0.025, where this one is 1 or less"
    won, lost = (int(part.split()[0]) for part in failed.advice[1].split(": ")[1].split(", ")[1]
                 .split(" and "))  # fmt: skip
    (tmp_path / "b").mkdir()
    assert guarded(tmp_path / "b").gate(*outcomes(won, lost), team="lab").passed
    (tmp_path / "c").mkdir()
    assert not guarded(tmp_path / "c").gate(*outcomes(won - 1, lost + 1), team="lab").passed


def test_graded_and_repeated_outcomes_pass_by_a_bound_that_adapts_to_the_variance(tmp_path):
    rng = np.random.default_rng(3)
    guard = guarded(tmp_path, between=(0, 10))
    grades = rng.uniform(2, 7, N)
    base = dict(zip(TASKS, grades.tolist(), strict=True))
    # Half a point of ten, for nearly everybody: small and steady, as no sum of signs is.
    better = dict(zip(TASKS, (grades + rng.normal(0.5, 0.4, N)).tolist(), strict=True))
    assert guard.gate(base, better, team="lab").passed
    assert not guard.gate(better, base, team="lab").passed
    runs = {task: [value, value + 0.5] for task, value in base.items()}
    assert guard.score(runs, team="lab").score == pytest.approx(np.mean(grades) + 0.25, abs=0.006)
    with pytest.raises(InvalidQuery, match="numbers from 0 to 10"):
        guard.gate(base, {**base, TASKS[0]: [3.0, 11.0]}, team="lab")


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.4])
def test_p_values_of_useless_candidates_are_no_smaller_than_they_say(spread):
    """Fair signs are the worst case of both; the spread makes them graded."""
    rng = np.random.default_rng(7)
    for binary in (True, False) if not spread else (False,):
        found = []
        for _ in range(2000):
            differences = rng.choice([-1.0, 0.0, 1.0], 60, p=[0.2, 0.6, 0.2]) * (1 - spread)
            found.append(p_value(differences + rng.uniform(-spread, spread, 60), binary=binary))
        for level in (0.3, 0.1, 0.02):
            most = level + 4 * math.sqrt(level / 2000)
            assert np.mean(np.array(found) <= level) <= most


def test_the_answers_of_a_gate_have_weights_that_add_up_to_one():
    weights = [math.exp(log_weight(answer)) for answer in range(PASSED + 1)]
    assert 0.99 < sum(weights) <= 1.0
    assert weights[0] == max(weights)


@pytest.mark.parametrize("looks", range(3))
def test_all_shares_that_follow_each_other_add_up_to_no_more_than_the_risk(looks, tmp_path):
    """Gates that all fail with the likeliest answer: of each length, its share over its weight."""
    guard, total = guarded(tmp_path, rule="improved"), 0.0
    for at in range(looks):
        guard.score(outcomes(at, 3)[1], team="lab")
    sequences = 2 ** max(looks - 1, 0)
    for gates in range(5):
        found = guard.gate(*outcomes(8, 8 + gates), team="lab")
        assert found.p_value == 1.0
        total += found.p_needed * sequences / math.exp(log_weight(0)) ** gates
    assert total <= 0.05


def test_whose_memory_a_look_meets_may_follow_from_what_was_told(tmp_path):
    """All ways in which three looks are shared by teams have, together, no more than one has."""
    total = 0.0
    for shares in ((3,), (1, 2), (2, 1), (1, 1, 1)):
        (folder := tmp_path / str(shares)).mkdir()
        guard, rng = guarded(folder, rule="improved"), np.random.default_rng(1)
        for number, looks in enumerate(shares):
            for _ in range(looks):
                guard.score(outcomes(*rng.integers(40, size=2))[1], team=f"team {number}")
        sequences = math.prod(2 ** (looks - 1) for looks in shares)
        total += sequences * guard.gate(*outcomes(8, 8), team="lab").p_needed
    assert total <= 0.05 / (4 * 5) * 0.5 / 3 * (1 + 1e-9)


def test_labels_are_gated_in_the_same_way_and_from_the_same_budget(tmp_path):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 4, 400)
    base = np.where(rng.random(400) < 0.5, labels, (labels + 1) % 4)
    better = np.where(rng.random(400) < 0.3, labels, base)
    guard = Guard(labels, Policy("improved", looks_per_team=3), tmp_path / "l.db", create=True)
    found = gate_verdict(guard, base, better, team="lab")
    assert found.passed
    won = np.flatnonzero((better == labels) & (base != labels))
    little = base.copy()
    little[won[:3]] = labels[won[:3]]  # three won and none lost: 1/8
    assert gate_verdict(guard, base, little, team="lab").p_value == 1.0
    assert guard.allowance(team="lab")[0] == 1
    (seen,) = exposure(guard.ledger)
    assert (seen.looks, seen.nats) == (2, pytest.approx(2 * math.log(PASSED + 2)))
    guard.score(better, team="lab")
    with pytest.raises(BudgetExhausted):
        gate_verdict(guard, base, (better + 1) % 4, team="lab")


def test_what_cant_be_gated_is_refused_in_a_sentence(tmp_path):
    labels = np.arange(40) % 2
    keeping = Part("public", np.arange(20), keeps=True)
    guard = Guard(labels, Policy("exact"), tmp_path / "a.db", part=keeping, create=True)
    with pytest.raises(NotSupported, match="a private part decides at the end"):
        gate_verdict(guard, labels, labels, team="lab")
    guard = Guard(labels, Policy("exact", metric="f1"), tmp_path / "b.db", create=True)
    with pytest.raises(NotSupported, match="decides on accuracies, and not on f1"):
        gate_verdict(guard, labels, labels, team="lab")
    guard = Guard(labels, Policy("exact"), tmp_path / "c.db", create=True)
    with pytest.raises(InvalidInput, match="confidence must lie between 0 and 1"):
        gate_verdict(guard, labels, labels, team="lab", confidence=1.0)
    with pytest.raises(InvalidQuery, match="length 40"):
        gate_verdict(guard, labels[:3], labels, team="lab")
    assert [entry.kind for entry in guard.ledger.entries()][-1] == "refused"
