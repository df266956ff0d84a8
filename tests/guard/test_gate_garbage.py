"""No rule lets a useless candidate through the gate, however often somebody tries."""

import contextlib
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import NotSupported
from holdfast.guard import Guard, Policy, gate
from holdfast.guard.policy import POLICY_TEMPLATE
from tests.rules.rules import ALL

N = 400


def with_accuracy(labels, accuracy, rng):
    wrong = rng.random(labels.size) >= accuracy
    return np.where(wrong, (labels + rng.integers(1, 4, labels.size)) % 4, labels)


@pytest.fixture
def memory_folder():
    """A folder in memory where there is one: nothing here is about a disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.parametrize("memory", ["team", "data_set"])
@pytest.mark.parametrize("rule", [*map(str, ALL), "ladder:0.01", "shaky:step=0.01,scale=0.002"])
def test_garbage_never_passes_under_any_rule(rule, memory, tmp_path):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 4, N)
        weak, strong, garbage = (with_accuracy(labels, a, rng) for a in (0.6, 0.85, 0.02))
        policy = Policy(rule, memory=memory)
        path = tmp_path / f"{seed}.db"
        guard = Guard(labels, policy, path, n_classes=4, create=True)
        # A strong model's value stands when the garbage is gated against a weak one.
        guard.score(weak, team="lab")
        guard.score(strong, team="lab")
        for team in ("lab", "other"):
            with contextlib.suppress(NotSupported):
                assert not gate(guard, weak, garbage, team=team).passed


def test_under_the_rule_that_policy_init_writes_a_climber_passes_and_nothing_else(tmp_path):
    rng = np.random.default_rng(6)
    n = 5000
    labels = rng.integers(0, 4, n)
    base, better, worse = (with_accuracy(labels, a, rng) for a in (0.5, 0.8, 0.2))
    policy = Policy.parse(POLICY_TEMPLATE)
    assert policy.release == "ladder:0.01"
    guard = Guard(labels, policy, tmp_path / "ledger.db", create=True)
    assert gate(guard, base, better, team="ci").passed
    refused = gate(guard, base, worse, team="ci")
    assert not refused.passed
    assert (refused.candidate, refused.improvement) == (None, None)
    assert refused.advice == (
        "the candidate's own score was not told: the answer is best so far of team ci, in steps of "
        "0.01, and a candidate that does not climb can't pass",
    )
    looks = guard.allowance(team="ci")[0]
    with pytest.raises(NotSupported, match=r"a gate needs the baseline's own score.*0\.8"):
        gate(guard, worse, with_accuracy(labels, 0.9, rng), team="ci")
    assert guard.allowance(team="ci")[0] == looks  # worse was answered before, nothing new


@pytest.mark.long
def test_somebody_who_tries_often_passes_no_more_often_than_stated(memory_folder):
    # Candidates that differ from the baseline in one prediction: what they seem to win is noise.
    # Twice the stated risk, or a first try with four times its share, fails in eight runs of ten.
    ledgers, tries, scale, confidence = 600, 6, 0.05, 0.95
    rng, passed, first = np.random.default_rng(11), 0, 0
    for number in range(ledgers):
        labels = rng.integers(0, 4, N)
        base = with_accuracy(labels, 0.7, rng)
        path = memory_folder / f"{number}.db"
        guard = Guard(labels, Policy(f"gaussian:{scale}"), path, n_classes=4, create=True)
        for attempt in range(tries):
            candidate = base.copy()
            row = rng.integers(N)
            candidate[row] = (candidate[row] + rng.integers(1, 4)) % 4
            if gate(guard, base, candidate, team="lab", confidence=confidence).passed:
                passed += 1
                first += attempt == 0
                break
        guard.ledger.close()
        path.unlink()
    stated = 1 - confidence
    assert passed <= ledgers * stated + 4 * math.sqrt(ledgers * stated * confidence)
    # A first try gets an eighth of the risk: its pair's share, and half of that for noise.
    assert first <= ledgers * stated / 8 + 4 * math.sqrt(ledgers * stated / 8)
