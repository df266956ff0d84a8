"""Accounts that work together: each has its own looks and, if the rule remembers, its own past."""

import numpy as np
import pytest

from holdfast.attacks.registry import attack_types
from holdfast.audit import audit, parse_looks
from holdfast.audit.baseline import Baseline
from holdfast.audit.scenarios.plays import Job, play_job
from holdfast.audit.scenarios.scenarios import (
    Scenario,
    compared_scenarios,
    suite_scenarios,
)
from holdfast.experiments import Experiment, Matrix, run_matrix, run_trial
from holdfast.experiments.suite import SUITE
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Exact, Ladder, parse_rule
from tests.audit.conftest import played_on

PROBLEM = Problem(400, 4, 60)


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(7).integers(4, size=400).astype(np.uint8)


@pytest.fixture(scope="module")
def context(labels):
    model = np.where(np.random.default_rng(8).random(400) < 0.6, labels, 0).astype(np.int64)
    prior = Prior.candidates(model[:, None], np.full((400, 1), 0.6), 4)
    return played_on(labels, Baseline(400, 4), 3, prior)


@pytest.mark.parametrize("rule", ["exact", "round:2", "gaussian:0.01"])
def test_a_rule_without_memory_only_adds_up_the_looks(rule):
    rule = parse_rule(rule)
    assert not rule.keeps_state
    alone = suite_scenarios(rule, PROBLEM, 1, models=True)
    assert suite_scenarios(rule, PROBLEM, 12, models=True) == alone
    assert {scenario.accounts for scenario in alone} == {1}
    assert {scenario.attack for scenario in alone if scenario.setting == "features"} == {
        entry.name for entry in SUITE if entry.accounts == 1
    }


@pytest.mark.parametrize("rule", ["ladder", "ladder:0.01", "improved", "rank"])
@pytest.mark.parametrize("accounts", [2, 12, 60])
def test_a_rule_with_memory_meets_as_many_accounts_as_there_are(rule, accounts):
    rule = parse_rule(rule)
    scenarios = suite_scenarios(rule, PROBLEM, accounts, models=True)
    assert {scenario.accounts for scenario in scenarios} == {accounts}
    jobs = [scenario.job(Ladder(0.01), 60, 0) for scenario in scenarios]
    assert {job.accounts for job in jobs} == {accounts}
    assert {job.looks for job in jobs} == ({accounts, 60} if accounts < 60 else {60})
    assert {scenario.accounts for scenario in compared_scenarios(rule, PROBLEM, accounts)} == {
        accounts
    }
    # With and without features and from a model, all of them.
    assert {scenario.setting for scenario in scenarios} == {"features", "no features", "model"}


def test_a_way_is_named_by_its_accounts():
    assert Scenario("features", "hill-climb").name == "hill-climb"
    assert Scenario("features", "hill-climb", 1200).name == "hill-climb, 1,200 accounts"
    first = Scenario("features", "hill-climb", 5, first=True)
    assert first.name == "hill-climb, first look of 5 accounts"
    assert Scenario("features", "block-climb, 2 accounts", 2).name == "block-climb, 2 accounts"
    assert first.job(Exact(), 3, 0) == Job("features", Exact(), "hill-climb", 3, 0, 3)


def test_the_suites_own_entries_for_accounts_give_the_numbers_of_the_matrix(labels, context):
    rule = Ladder(0.01)
    matrix = run_matrix(Matrix(PROBLEM, trials=2, seed=3, rules=[rule], labels=labels))
    cells = {cell.attack: cell.bias for cell in matrix["cells"] if cell.bias is not None}
    compared = 0
    for accounts in (1, 2, 60):
        for scenario in suite_scenarios(rule, PROBLEM, accounts, models=False):
            if scenario.attack not in cells or scenario.setting != "features":
                continue
            if accounts > 1 and "," not in scenario.attack:
                continue  # from more accounts than in the suite
            plays = [play_job(context, scenario.job(rule, 60, trial)) for trial in range(2)]
            assert np.mean([play.bias for play in plays]) == pytest.approx(
                cells[scenario.attack].mean
            )
            compared += 1
    assert compared >= 14


def test_one_account_without_features_is_a_trial_of_attack_and_more_are_not(labels, context):
    experiment = Experiment(
        "naive-bayes", Problem(400, 4, 60), trials=1, seed=3, labels=labels, without_features=True
    )
    job = Job("no features", Exact(), "naive-bayes", 60, 0)
    assert play_job(context, job).bias == run_trial(experiment, 0)["bias"]
    assert play_job(context, job._replace(accounts=7)).bias == play_job(context, job).bias
    ladder = job._replace(rule=Ladder(0.01))
    assert play_job(context, ladder).bias != play_job(context, ladder._replace(accounts=60)).bias


@pytest.mark.parametrize("attack", ["hadamard-blocks", "champion-challenger", "lattice"])
def test_a_model_is_improved_more_from_many_accounts_than_from_one(context, attack):
    """Under a Ladder one account sees hardly an answer; strangers' first looks are answered."""
    jobs = [
        Job("model", Ladder(0.0025), attack, 60, trial, accounts)
        for accounts in (1, 60)
        for trial in range(6)
    ]
    played = [play_job(context, job) for job in jobs]
    if any(play.reason for play in played):
        assert attack == "lattice"  # it needs answers that are nearly exact
        return
    one, many = np.reshape([play.bias for play in played], (2, 6))
    error = np.hypot(one.std(ddof=1), many.std(ddof=1)) / np.sqrt(6)
    assert many.mean() - one.mean() > 4 * error


@pytest.mark.slow
def test_the_audits_figures_follow_the_number_of_accounts(request_for, labels):
    """The same 40 looks in all, under a rule that remembers: the more strangers the worse."""
    found = {}
    for accounts in (1, 40):
        request = request_for(
            labels[:200], m=4, release="ladder:0.01", looks=parse_looks(str(40 // accounts)),
            accounts=accounts, gap=1.0, seed=1,
        )  # fmt: skip
        found[accounts] = audit(request)
    one, many = found[1], found[40]
    assert many.board.looks == one.board.looks == 40
    assert many.verdict.points.mean > one.verdict.points.high
    assert many.limits.allowed > one.limits.allowed
    assert {gain.accounts for gain in many.gains} == {40}
    ladder = {row.rule: row for row in many.rules}["ladder:0.005"]
    alone = {row.rule: row for row in one.rules}["ladder:0.005"]
    assert ladder.allowed > alone.allowed
    assert ladder.possible.mean > alone.possible.mean


def test_one_memory_for_the_data_set_makes_accounts_one(request_for, labels):
    request = request_for(
        labels, m=4, release="ladder:0.01", looks=parse_looks("5"), accounts=12, memory="data_set"
    )
    assert request.n_looks == 60
    assert request.histories == 1


@pytest.mark.parametrize(
    ("rule", "sizes", "plays"),
    [
        ("exact", (10_000, 10, 1000), {"pooled-detecting", "steered-pools"}),
        ("exact", (10_000, 100, 1000), {"hit-pools"}),
        ("exact", (10_000, 100, 30), set()),
        ("round:3", (900, 100, 200), {"hit-pools"}),  # rounded to less than one match
        ("round:3", (10_000, 100, 1000), set()),
        ("batch:1000", (10_000, 10, 1000), {"pooled-detecting"}),  # the others must adapt
        ("improved", (10_000, 100, 1000), set()),
    ],
)
def test_rules_are_compared_by_the_attacks_that_a_forecast_finds_near_the_best(rule, sizes, plays):
    scenarios = compared_scenarios(parse_rule(rule), Problem(*sizes), 1)
    chosen = {"hit-pools", "pooled-detecting", "steered-pools"}
    assert chosen & {scenario.attack for scenario in scenarios} == plays


def test_who_starts_from_nothing_is_compared_only_where_a_majority_can_be_made_up():
    problem = Problem(10_000, 10, 1000)
    for head_start, plays in ((200.0, True), (4000.0, False)):
        scenarios = compared_scenarios(Exact(), problem, 1, shares=True, head_start=head_start)
        assert (Scenario("features", "steered-pools") in scenarios) is plays
        assert Scenario("class shares", "hit-pools") in scenarios


def test_every_attack_that_may_be_the_strongest_plays_from_what_is_known():
    scenarios = suite_scenarios(Exact(), PROBLEM, 1, models=True, shares=True)
    for cls in attack_types():
        if cls.takes_prior and cls.strongest_by_forecast:
            assert Scenario("class shares", cls.name) in scenarios
            assert Scenario("model", cls.name) in scenarios


@pytest.mark.parametrize(("rule", "rounded"), [("exact", 0), ("gaussian:0.01", 0), ("round:2", 1)])
def test_the_attack_on_rounding_is_compared_where_answers_are_rounded(rule, rounded):
    scenarios = compared_scenarios(parse_rule(rule), PROBLEM, 1)
    assert [scenario.attack for scenario in scenarios].count("boundary-challenger") == rounded
    assert [scenario.attack for scenario in scenarios].count("champion-challenger") == 1
