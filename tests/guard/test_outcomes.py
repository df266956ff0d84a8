"""Outcomes of tasks through a guard: budgets, refusals, and what selection can buy."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from holdfast.certificates import certify_programs
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, NotSupported
from holdfast.guard import Ledger, OutcomeGuard, Policy
from holdfast.rules import parse_rule

PAGE = Path(__file__).parents[2] / "docs" / "outcomes.md"
SECRET = b"0123456789abcdef"
TASKS = [f"task_{number}" for number in range(20)]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.db", create=True)


def guarded(ledger, tasks=TASKS, rule="exact", secret=SECRET, looks=3, **settings):
    policy = Policy(rule, looks_per_team=looks)
    return OutcomeGuard(tasks, policy, ledger, secret=secret, **settings)


def outcomes(tasks, seed):
    rng = np.random.default_rng(seed)
    return {task: bool(rng.integers(2)) for task in tasks}


def test_the_share_of_passed_tasks_is_released_in_any_order_of_tasks(ledger):
    given = outcomes(TASKS, 1)
    there = guarded(ledger).score(given, team="red")
    assert there.released == sum(given.values()) / 20
    shuffled = dict(sorted(given.items(), key=lambda item: item[0][::-1]))
    again = guarded(ledger, TASKS[::-1]).score(shuffled, team="red")
    assert (again.repeated, again.looks_left, again.released) == (True, 2, there.released)


def test_two_benchmarks_of_equal_size_have_budgets_of_their_own(ledger):
    here, other = guarded(ledger), guarded(ledger, [f"other_{at}" for at in range(20)])
    assert here.guard.data_set != other.guard.data_set
    for seed in range(3):
        here.score(outcomes(here.tasks, seed), team="red")
    with pytest.raises(BudgetExhausted):
        here.score(outcomes(here.tasks, 9), team="red")
    assert other.score(outcomes(other.tasks, 9), team="red").looks_left == 2
    with pytest.raises(BudgetExhausted):  # and after it is opened again
        guarded(ledger).score(outcomes(TASKS, 9), team="red")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([True] * 20, "must map each task's id"),
        ({"task_0": True}, "none for 'task_1' .19 missing"),
        (dict.fromkeys([*TASKS, "new"], True), "unknown id 'new'"),
        (dict.fromkeys(TASKS, 0.5), "must be true or false"),
        (dict.fromkeys(TASKS, float("nan")), "must be true or false"),
        (dict.fromkeys(TASKS, "yes"), "must be true or false"),
    ],
)
def test_what_is_no_outcome_of_every_task_is_refused_and_recorded(ledger, given, message):
    guard = guarded(ledger)
    with pytest.raises(InvalidQuery, match=message):
        guard.score(given, team="red")
    kinds = [entry.kind for entry in ledger.entries()]
    assert kinds[-1] == "refused"
    assert "look" not in kinds


def test_missing_tasks_fail_where_the_owner_says_so(ledger):
    guard = guarded(ledger, missing="fail")
    assert guard.score({"task_0": True}, team="red").released == 0.05


def test_graded_outcomes_are_released_as_their_mean_under_the_rule(ledger):
    guard = guarded(ledger, rule="round:1", between=(0, 10))
    grades = {task: float(at % 10) for at, task in enumerate(TASKS)}
    receipt = guard.score(grades, team="red")
    assert receipt.released == 4.5
    assert receipt.metric == "mean_outcome"
    with pytest.raises(InvalidQuery, match="numbers from 0 to 10"):
        guard.score({**grades, "task_3": 10.5}, team="red")
    assert guard.certificate(5).excess == pytest.approx(
        certify_programs(20, parse_rule("round:1"), 5, between=(0, 10)).excess
    )


@pytest.mark.parametrize("first", [None, (0, 1)])
def test_the_same_tasks_have_no_second_budget_with_a_range_or_without(ledger, first):
    forms = [first, (0, 1) if first is None else None]
    refused = guarded(ledger, between=forms[1])
    with pytest.raises(InvalidQuery):  # this opens the tasks in the other form, and is no look
        refused.score({"task_0": True}, team="red")
    guarded(ledger, between=forms[0]).score(outcomes(TASKS, 1), team="red")
    with pytest.raises(InvalidInput, match="between must be as it was at the first look"):
        guarded(ledger, between=forms[1])
    assert guarded(ledger, between=forms[0]).score(outcomes(TASKS, 2), team="red").looks_left == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"secret": b"short"}, "16 bytes at least"),
        ({"secret": "0123456789abcdef0"}, "16 bytes at least"),
        ({"tasks": ["a", "b", "a"]}, "distinct, got 'a' twice"),
        ({"tasks": "abc"}, "a list of ids"),
        ({"tasks": []}, "one at least"),
        ({"missing": "skip"}, "refuse"),
        ({"between": (1, 0)}, "low must be below high"),
    ],
)
def test_bad_settings_are_refused(ledger, settings, message):
    with pytest.raises(InvalidInput, match=message):
        guarded(ledger, **settings)
    assert not list(ledger.entries())


def test_another_metric_is_refused(ledger):
    policy = Policy("exact", looks_per_team=3, metric="f1")
    with pytest.raises(NotSupported, match="scored by their mean"):
        OutcomeGuard(TASKS, policy, ledger, secret=SECRET)


def test_a_file_that_cannot_be_read_is_a_recorded_refusal(ledger, tmp_path):
    guard, path = guarded(ledger), tmp_path / "run.json"
    path.write_text("{")
    with pytest.raises(InvalidQuery, match="of the submission must be JSON"):
        guard.score_file(path, team="red")
    path.write_text(json.dumps(outcomes(TASKS, 1)))
    assert guard.score_file(path, team="red").looks_left == 2
    assert [entry.kind for entry in ledger.entries()][-2:] == ["refused", "look"]


@pytest.mark.slow
def test_the_commands_of_the_page_score_a_report_from_an_empty_folder(tmp_path):
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "tasks.txt").write_text("\n".join(TASKS))
    report = {"resolved_ids": TASKS[:15], "unresolved_ids": TASKS[15:]}
    (tmp_path / "report.json").write_text(json.dumps(report))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert found.returncode == 0, found.stderr
    assert "released   0.76" in found.stdout
    assert "looks left 7" in found.stdout
    assert "certified  a program chosen by all 1 looks" in found.stdout


@pytest.mark.parametrize("rule", ["exact", "round:1", "ladder:0.05"])
def test_lucky_programs_score_no_more_above_their_value_than_is_certified(rule):
    """Programs of value 1/2: the best of k, and one that takes each task's majority of them."""
    n, looks, games = 40, 12, 400
    rng = np.random.default_rng(5)
    step = {"exact": 0.0, "round:1": 0.1, "ladder:0.05": 0.05}[rule]
    best, voted = [], []
    for _ in range(games):
        passed = rng.integers(2, size=(looks, n))
        scores = passed.mean(axis=1)
        told = np.round(scores / step) * step if step else scores
        if rule.startswith("ladder"):
            told = np.maximum.accumulate(told)
        best.append(scores[int(np.argmax(told))] - 0.5)
        weights = np.sign(told - 0.5)
        # Which of two ways a task goes is known only through the scores.
        voted.append(np.mean((weights @ (2 * passed - 1)) > 0) - 0.5)
    certified = certify_programs(n, parse_rule(rule), looks).excess
    assert np.mean(best) <= certified
    assert np.mean(voted) <= certified
    assert max(np.mean(best), np.mean(voted)) > 0.15 * certified


def test_more_looks_accounts_and_finer_rules_certify_no_less():
    rules = [parse_rule(text) for text in ("ladder:0.05", "ladder:0.01", "exact")]
    found = [certify_programs(100, rule, 20).excess for rule in rules]
    assert found == sorted(found)
    one, many = (certify_programs(100, rules[0], 20, accounts=each).excess for each in (1, 5))
    assert one <= many
    assert certify_programs(100, rules[0], 0).excess == 0.0
    assert certify_programs(1, rules[2], 10**6).excess == 1.0


def test_the_bound_that_is_printed_is_for_all_looks_of_the_ledger_gates_too(ledger):
    guard = guarded(ledger, looks=5)
    assert guard.certified().excess == 0.0
    for seed, team in enumerate(("red", "blue")):
        guard.score(outcomes(TASKS, seed), team=team)
    two = guard.certified()
    assert (two.looks, two.excess) == (2, pytest.approx(guard.certificate(2).excess))
    guard.gate(outcomes(TASKS, 1), outcomes(TASKS, 2), team="red")
    assert guard.certified().excess > two.excess
