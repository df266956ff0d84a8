"""Parts of the test set are used up over the looks that one memory really has."""

import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.certificates import certify_histories
from holdfast.guard import Guard, Policy, exposure
from holdfast.rules import Split, parse_rule

N, PARTS = 120, 4


def parts_used(policy, looks, folder, team="blue"):
    """Return the part that each look was scored on, as its receipt says."""
    labels = np.zeros(N, int)
    guard = Guard(labels, policy, folder / "ledger.db", n_classes=2, create=True)
    rng = np.random.default_rng(0)
    used = []
    for _ in range(looks):
        receipt = guard.score(rng.integers(0, 2, N), team=team)
        used.append(int(receipt.meaning.split("part ")[1].split(" ")[0]) - 1)
    guard.ledger.close()
    return used


def test_the_parts_are_spread_over_a_teams_own_looks(tmp_path):
    policy = Policy(f"split:{PARTS}", looks_per_team=8)
    assert parts_used(policy, 8, tmp_path) == [0, 0, 1, 1, 2, 2, 3, 3]
    # Each team has a memory of its own, and its own parts.
    assert parts_used(policy, 3, tmp_path, team="red") == [0, 0, 1]


def test_with_one_memory_for_everybody_they_are_spread_over_all_looks(tmp_path):
    policy = Policy(f"split:{PARTS}", memory="data_set", looks_per_team=8, looks_per_data_set=12)
    assert parts_used(policy, 4, tmp_path) == [0, 0, 0, 1]
    assert parts_used(policy, 3, tmp_path, team="red") == [1, 1, 2]


def test_windows_renew_a_teams_looks_for_as_many_days_as_the_board_runs(tmp_path):
    policy = Policy(f"split:{PARTS}", looks_per_team=4, window="2 days", days=4)
    assert parts_used(policy, 4, tmp_path) == [0, 0, 1, 1]


def test_a_running_split_goes_on_under_a_new_budget_and_takes_up_no_part_again(tmp_path):
    spread_too_wide = Policy(f"split:{PARTS}", looks_per_team=400)
    assert parts_used(spread_too_wide, 4, tmp_path) == [0, 0, 0, 0]
    labels_again = Policy(f"split:{PARTS}", looks_per_team=12)
    rng = np.random.default_rng(1)
    guard = Guard(np.zeros(N, int), labels_again, tmp_path / "ledger.db", n_classes=2)
    used = [guard.score(rng.integers(0, 2, N), team="blue").meaning for _ in range(6)]
    assert [text.split("part ")[1][0] for text in used] == ["2", "2", "3", "3", "3", "4"]
    guard.ledger.close()
    # More looks than before: it stays where it was.
    guard = Guard(np.zeros(N, int), spread_too_wide, tmp_path / "ledger.db", n_classes=2)
    assert "part 4" in guard.score(rng.integers(0, 2, N), team="blue").meaning


def test_a_state_without_its_part_goes_on_where_it_was():
    rule = Split(10)
    old = {"looks": 35, "n_queries": 100}
    assert rule.resume(old, Problem(500, 2, 100))["part"] == 3
    assert rule.resume(old, Problem(500, 2, 1000))["part"] == 3


def most_however_spread(n, parts, m, k):
    """The largest sum over the parts of what exact counts can tell, over all ways to spread k."""
    size = -(-n // parts)
    exact = parse_rule("exact")
    tells = [0.0, *(exact.counts_nats(Problem(size, m, looks)) for looks in range(1, k + 1))]
    best = [0.0] + [-math.inf] * k
    for _ in range(parts):
        best = [max(best[used - i] + tells[i] for i in range(used + 1)) for used in range(k + 1)]
    return best[k]


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_what_is_shown_of_looks_so_far_holds_however_they_are_spread(m, k):
    rule, problem = Split(3), Problem(90, m, k)
    limit = rule.counts_nats_of(problem, {k: 1}, whole=False)
    assert limit >= most_however_spread(90, 3, m, k) - 1e-9
    assert limit >= rule.counts_nats_of(problem, {k: 1}) - 1e-9


def test_the_exposure_of_a_split_does_not_assume_that_the_looks_were_spread_evenly(tmp_path):
    policy = Policy(f"split:{PARTS}", looks_per_team=400)
    assert set(parts_used(policy, 20, tmp_path)) == {0}
    from holdfast.guard import Ledger

    (shown,) = exposure(Ledger(tmp_path / "ledger.db"))
    on_one_part = parse_rule("exact").counts_nats(Problem(N // PARTS, 2, 20))
    assert shown.nats >= min(on_one_part, 20 * math.log(N // PARTS + 1)) * 0.999
    assert shown.nats == certify_histories(N, 2, {(policy.release, "blue"): 20}).nats
