import importlib
from collections import Counter

import numpy as np
import pytest

from holdfast.certificates import certify_histories
from holdfast.errors import LedgerError
from holdfast.guard import Guard, OutcomeGuard, Policy, exposure
from holdfast.ledger.moments import as_datetime


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
    assert found.gain == pytest.approx(certify_histories(300, 3, {("exact", "x"): 3}).gain)
    assert found.teams[0].gain < found.teams[1].gain < found.gain


def test_a_team_is_told_more_by_a_state_that_all_teams_share(tmp_path):
    """Where others look too, the first look at "improved" may be no best: it tells a bit."""
    labels, rng = np.arange(60) % 3, np.random.default_rng(2)
    gains = []
    for memory in ("team", "data_set"):
        guard = Guard(
            labels, Policy("improved", memory=memory), tmp_path / f"{memory}.db", create=True
        )
        for team in ("red", "blue"):
            guard.score(rng.integers(0, 3, 60), team=team)
        (found,) = exposure(guard.ledger)
        gains.append([team.gain for team in found.teams])
    assert gains[0] == [0.0, 0.0]
    assert min(gains[1]) > 0.0


def test_a_team_is_not_bound_by_its_own_looks_where_all_teams_climb_one_ladder(sqlite_url):
    rng, policy = np.random.default_rng(1), Policy("ladder:0.1", memory="data_set")
    guard = Guard(np.arange(300) % 3, policy, sqlite_url, create=True)
    for team in ("red", "blue") * 3:
        guard.score(rng.integers(0, 3, 300), team=team)
    (found,) = exposure(guard.ledger)
    shared = certify_histories(300, 3, {("ladder:0.1", ""): 3}, everyone=False).gain
    own = certify_histories(300, 3, {("ladder:0.1", "red"): 3}).gain
    assert own < shared
    assert [team.gain for team in found.teams] == [shared, shared]


def test_what_looks_allow_is_computed_once_for_all_teams_with_as_many(sqlite_url, monkeypatch):
    module = importlib.import_module("holdfast.guard.exposure")
    asked = []

    def counted(n, m, looks, **settings):
        asked.append(sorted(looks.values()))
        return certify_histories(n, m, looks, **settings)

    monkeypatch.setattr(module, "certify_recorded", counted)
    module._gain.cache_clear()  # what other tests asked
    rng = np.random.default_rng(3)
    guard = Guard(np.arange(60) % 3, Policy("exact"), sqlite_url, create=True)
    for team in range(12):
        for _ in range(1 + team % 2):
            guard.score(rng.integers(0, 3, 60), team=f"team {team}")
    (found,) = exposure(guard.ledger)
    assert [team.looks for team in found.teams if team.team in ("team 4", "team 7")] == [1, 2]
    assert sorted(asked) == [[1], [1] * 6 + [2] * 6, [2]]


@pytest.mark.parametrize("between", [None, (0.0, 10.0)])
def test_tasks_are_shown_what_holds_of_programs(between, sqlite_url):
    """Nobody guesses their hidden bits."""
    tasks, policy = [f"fix-{number}" for number in range(164)], Policy("exact")
    guard = OutcomeGuard(tasks, policy, sqlite_url, secret=b"0" * 16, create=True, between=between)
    for passed in (3, 4, 5):
        guard.score({task: int(number % passed > 0) for number, task in enumerate(tasks)},
                    team=f"team {passed % 2}")  # fmt: skip
    (found,) = exposure(guard.guard.ledger)
    assert found.tasks == (between or (0.0, 1.0))
    assert (found.gain, found.not_covered) == (guard.certified().excess, "")
    assert [team.gain for team in found.teams] == [
        pytest.approx(guard.certificate(1).excess),
        pytest.approx(guard.certificate(2).excess),
    ]


def counted(entries):
    return Counter((entry.rule, entry.scope) for entry in entries if entry.kind == "look")


def test_the_database_counts_what_the_entries_say(ledger_url):
    rng = np.random.default_rng(4)
    labels = np.arange(60) % 3
    Guard(labels, Policy("exact"), ledger_url, create=True)
    guards = [
        Guard(labels, Policy(rule, memory=memory, failed="look"), ledger_url)
        for rule, memory in [("exact", "team"), ("round:1", "team"), ("round:1", "data_set")]
    ]
    for _ in range(40):
        guard, team = guards[rng.integers(3)], f"team {rng.integers(4)}"
        if rng.random() < 0.2:
            with pytest.raises(ValueError, match="prediction must"):
                guard.score([0], team=team)
        else:
            guard.score(rng.integers(0, 3, 60), team=team)
    (found,) = exposure(guards[0].ledger)
    entries = guards[0].ledger.entries()
    for team in found.teams:
        mine = [entry for entry in entries if entry.team == team.team]
        assert team.looks == sum(entry.kind == "look" for entry in mine)
        assert team.failed == sum(entry.kind == "failed" for entry in mine)
        assert team.last == as_datetime(mine[-1].time)
        allowed = certify_histories(60, 3, counted(mine), everyone=False).gain
        assert team.gain == pytest.approx(allowed)
    everyone = certify_histories(60, 3, counted(entries))
    assert (found.looks, found.failed) == (
        sum(team.looks for team in found.teams),
        sum(team.failed for team in found.teams),
    )
    assert found.gain == pytest.approx(everyone.gain)


def test_a_merged_team_knows_what_both_were_told(ledger_url):
    """20 looks and 20 looks are the knowledge of 40, and 40 looks of all teams all the while."""
    rng = np.random.default_rng(3)
    labels, policy = np.arange(600) % 3, Policy("round:2")
    guard = Guard(labels, policy, ledger_url, create=True)
    for team, looks in {"one": 20, "two": 20, "forty": 40}.items():
        for _ in range(looks):
            guard.score(rng.integers(0, 3, 600), team=team)
    before = exposure(guard.ledger)[0]
    guard.note("merged", by="host", pooled=("one", "two"))
    after = exposure(guard.ledger)[0]
    told = {team.team: (team.looks, team.gain) for team in after.teams}
    assert told["one"] == told["forty"]
    assert told["two"] == next((t.looks, t.gain) for t in before.teams if t.team == "two")
    assert (after.looks, after.nats, after.gain) == (80, before.nats, before.gain)
    assert guard.allowance(team="one")[0] == guard.allowance(team="forty")[0] == 60


def test_a_data_set_that_has_only_seen_a_refusal_allows_nothing(ledger_url):
    guard = Guard(np.arange(60) % 3, Policy("exact"), ledger_url, create=True)
    with pytest.raises(ValueError, match="prediction must"):
        guard.score([0], team="blue")
    (found,) = exposure(guard.ledger)
    assert (found.looks, found.failed, found.gain, found.teams) == (0, 0, 0.0, ())


@pytest.mark.parametrize("detail", ["", "[]", "{}", '{"n_examples": "x", "n_classes": 2}'])
def test_an_edited_opening_is_said_in_one_sentence(detail, sqlite_url):
    guard = Guard(np.arange(60) % 3, Policy("exact"), sqlite_url, create=True)
    guard.score(np.zeros(60, dtype=int), team="blue")
    with guard.ledger.storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_entries SET detail = ? WHERE number = 1", (detail,)
        )
    with pytest.raises(LedgerError, match=r"the opening of data set .* was edited"):
        exposure(guard.ledger)
