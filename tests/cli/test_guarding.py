import json

import numpy as np
import pytest

from holdfast.cli.plain import points
from holdfast.guard import Guard, Ledger, OutcomeGuard, Policy

N = 400


@pytest.fixture
def host(tmp_path):
    """A host's files: labels with ids in a shuffled order, a policy, and a way to submit."""
    rng = np.random.default_rng(3)
    truth = rng.choice(["cat", "dog", "emu"], N)
    ids = rng.permutation(N)

    class Host:
        labels = tmp_path / "truth.csv"
        policy = tmp_path / "policy.toml"
        ledger = tmp_path / "ledger.db"

        def submit(self, name, wrong):
            """Write a submission that is wrong on the first `wrong` examples, in id order."""
            guess = truth.copy()
            guess[:wrong] = np.where(truth[:wrong] == "cat", "dog", "cat")
            path = tmp_path / name
            rows = sorted(zip(ids, guess, strict=True))
            path.write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in rows))
            return path

        def options(self):
            return ("--policy", self.policy, "--labels", self.labels, "--ledger", self.ledger)

    host = Host()
    host.labels.write_text(
        "id,label\n" + "".join(f"{i},{label}\n" for i, label in zip(ids, truth, strict=True))
    )
    host.labels.chmod(0o600)
    host.policy.write_text('release = "exact"\nlooks_per_team = 2\n')
    Ledger(host.ledger, create=True).close()
    return host


def score(holdfast, host, path, *more, team="blue"):
    return holdfast("score", *host.options(), "--submission", path, "--team", team, *more)


def test_score_prints_the_released_score_and_nothing_more(holdfast, host):
    outcome = score(holdfast, host, host.submit("a.csv", 100), "--json")
    assert outcome.code == 0
    assert set(outcome.json) == {
        "team", "released", "score", "looks_left", "next_allowed_at", "receipt_id", "repeated",
        "meaning", "new_best", "own", "part",
    }  # fmt: skip
    assert outcome.json["released"] == 0.75
    assert outcome.json["looks_left"] == 1
    assert outcome.json["next_allowed_at"] is None
    again = score(holdfast, host, host.submit("copy.csv", 100), "--json")
    assert again.json["repeated"] is True
    assert again.json["receipt_id"] == outcome.json["receipt_id"]


def test_score_speaks_to_people_too(holdfast, host):
    outcome = score(holdfast, host, host.submit("a.csv", 100))
    assert "released   0.75\n" in outcome.out
    assert "meaning    exact score of this submission\n" in outcome.out
    assert "looks left 1 (scored submissions)\n" in outcome.out
    assert "next look  now\n" in outcome.out
    assert "next look  never\n" in score(holdfast, host, host.submit("b.csv", 120)).out


def test_score_says_that_a_standing_value_is_not_the_submissions_own(holdfast, host):
    host.policy.write_text('release = "ladder:0.01"\nmemory = "data_set"\n')
    assert "new best   yes\n" in score(holdfast, host, host.submit("a.csv", 100)).out
    worse = score(holdfast, host, host.submit("b.csv", 300), "--json").json
    assert (worse["released"], worse["score"], worse["own"]) == (0.75, None, False)
    assert worse["new_best"] is False
    assert worse["meaning"] == "best so far of all teams, in steps of 0.01"


def test_a_spent_budget_is_exit_code_three(holdfast, host):
    for wrong in (1, 2):
        assert score(holdfast, host, host.submit(f"{wrong}.csv", wrong)).code == 0
    outcome = score(holdfast, host, host.submit("3.csv", 3), "--json")
    assert outcome.code == 3
    assert outcome.json == {
        "team": "blue",
        "released": None,
        "error": "all looks of blue on this data set are used up.",
        "next_allowed_at": None,
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("id,label\n1,cat\n", "must have 400 rows, one per example, got 1."),
        (
            "id,label\n" + "".join(f"{i + 1},cat\n" for i in range(N)),
            "got none for '0' (1 missing)",
        ),
        ("id,label\n" + "".join(f"{i},gnu\n" for i in range(N)), "must hold only known classes"),
        ("", "got an empty file"),
    ],
)
def test_a_submission_that_cant_be_scored_is_exit_code_one(holdfast, host, tmp_path, rows, message):
    bad = tmp_path / "bad.csv"
    bad.write_text(rows)
    outcome = score(holdfast, host, bad)
    assert outcome.code == 1
    assert message in outcome.err
    host.policy.write_text('release = "exact"\nfailed = "look"\n')
    assert score(holdfast, host, bad).code == 1
    assert [entry.kind for entry in Ledger(host.ledger).entries()] == [
        "opened",
        "linked",
        "refused",
        "failed",
    ]


def test_labels_that_others_can_read_are_refused_unless_said_otherwise(holdfast, host):
    host.labels.chmod(0o644)
    outcome = score(holdfast, host, host.submit("a.csv", 0))
    assert outcome.code == 2
    assert "readable by their owner alone, got mode 0644; run: chmod 600" in outcome.err
    assert score(holdfast, host, host.submit("a.csv", 0), "--shared-labels").code == 0


def test_a_ledger_that_cant_be_used_is_exit_code_four(holdfast, host, tmp_path):
    host.ledger = tmp_path / "no" / "such" / "folder.db"
    outcome = score(holdfast, host, host.submit("a.csv", 0))
    assert outcome.code == 4
    assert "Nothing was released." in outcome.err


def test_a_missing_ledger_is_exit_code_four_and_the_command_that_makes_one(holdfast, host):
    host.ledger.unlink()
    submission = host.submit("a.csv", 100)
    command = f"run: holdfast ledger init {host.ledger}\n"
    for outcome in (
        score(holdfast, host, submission),
        gated(holdfast, host, submission, submission),
        holdfast("ledger", "show", host.ledger),
        holdfast("ledger", "verify", host.ledger),
    ):
        assert outcome.code == 4
        assert outcome.out == ""
        assert outcome.err.endswith(command)
        assert not host.ledger.exists()
    assert holdfast("ledger", "init", host.ledger).code == 0
    assert score(holdfast, host, submission).code == 0


def test_ledger_init_makes_one_ledger_and_never_a_second_in_its_place(holdfast, refused, host):
    score(holdfast, host, host.submit("a.csv", 100))
    assert "must not exist yet" in refused("ledger", "init", host.ledger)
    assert len(Ledger(host.ledger).entries()) == 3
    made = holdfast("ledger", "init", host.ledger.with_name("other.db"), "--json")
    assert (made.code, made.json) == (0, {"made": True})


def test_policy_init_writes_what_policy_check_accepts(holdfast, refused, tmp_path):
    path = tmp_path / "policy.toml"
    assert holdfast("policy", "init", path).code == 0
    settings = json.loads(json.dumps(dict(Policy.read(path).settings())))
    assert holdfast("policy", "check", path, "--json").json == settings
    assert "looks_per_team     100" in holdfast("policy", "check", path).out
    assert "must not exist yet" in refused("policy", "init", path)
    assert holdfast("policy", "init", path, "--force").code == 0
    path.write_text('release = "exact"\nlooks_per_team = -1')
    assert refused("policy", "check", path).endswith(
        "line 2: looks_per_team must be at least 1, got -1."
    )


def test_ledger_verify_and_show(holdfast, refused, host):
    receipt = score(holdfast, host, host.submit("a.csv", 100), "--json").json["receipt_id"]
    fine = holdfast("ledger", "verify", host.ledger, "--receipt", receipt, "--labels", host.labels)
    assert fine.code == 0
    assert "The chain holds." in fine.out
    shown = holdfast("ledger", "show", host.ledger, "--json").json["data_sets"]
    assert (shown[0]["looks"], shown[0]["n_examples"], shown[0]["n_classes"]) == (1, N, 3)
    assert 0 < shown[0]["gain"] < 0.2
    assert [team["team"] for team in shown[0]["teams"]] == ["blue"]
    told = holdfast("ledger", "show", host.ledger).out
    assert f" {points(shown[0]['gain'])} " in told.split("all together")[1]
    assert "no attack can gain more, points" in told
    assert "scored submissions (looks)" in told
    with Ledger(host.ledger).storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_entries SET released = '0.8' WHERE number = 2", ()
        )
    edited = holdfast("ledger", "verify", host.ledger, "--json")
    assert edited.code == 1
    assert edited.json["problems"] == ["entry 2 was edited: its hash does not fit."]


def test_a_ledger_of_tasks_shows_what_holds_of_programs(holdfast, tmp_path):
    ledger = str(tmp_path / "ledger.db")
    tasks = [f"fix-{number}" for number in range(164)]
    guard = OutcomeGuard(tasks, Policy("exact"), ledger, secret=b"0" * 16, create=True)
    guard.score(dict.fromkeys(tasks, True), team="red")
    [shown] = holdfast("ledger", "show", ledger, "--json").json["data_sets"]
    assert (shown["gain"], shown["tasks"]) == (guard.certified().excess, [0.0, 1.0])
    told = " ".join(holdfast("ledger", "show", ledger).out.split())
    assert "164 tasks" in told
    assert "0.125" in told  # sqrt(ln(165) / 328)
    assert "classes" not in told
    assert "attack" not in told


@pytest.mark.parametrize(
    ("metric", "hidden"),
    [("mae", [1.0, 2.5, 4.0]), ("hamming_loss", [[0, 1], [1, 1], [0, 0]])],
)
def test_a_ledger_of_numbers_or_label_sets_shows_no_gain(holdfast, tmp_path, metric, hidden):
    ledger = tmp_path / "ledger.db"
    guard = Guard(hidden, Policy("exact", metric=metric), ledger, create=True)
    guard.score(hidden, team="red")
    [shown] = holdfast("ledger", "show", ledger, "--json").json["data_sets"]
    assert (shown["gain"], shown["teams"][0]["gain"]) == (None, None)
    told = holdfast("ledger", "show", ledger).out
    assert "50.00" not in told
    assert "classes" not in told
    assert "No gain is certified: numbers or label sets are hidden" in told


def gated(holdfast, host, better, worse, *more):
    return holdfast("gate", *host.options(), "--baseline", worse, "--candidate", better, *more)


def test_the_gate_opens_for_a_large_improvement_and_not_for_a_small_one(holdfast, host):
    best, middle, worst = (host.submit(f"{w}.csv", w) for w in (10, 14, 250))
    host.policy.write_text('release = "exact"\n')
    passed = gated(holdfast, host, best, worst, "--json")
    assert passed.code == 0
    assert passed.json["passed"] is True
    assert passed.json["improvement"] == pytest.approx(0.6)
    assert passed.json["differing"] == 240
    failed = gated(holdfast, host, best, middle)
    assert failed.code == 1
    assert "FAIL: looking could explain it" in failed.out
    assert "improvement +1.000 points (96.500 % to 97.500 %, 4 predictions differ)" in failed.out
    assert "scored submissions (looks) and chance could have bought" in failed.out
    assert "0.062 as the one look at fresh labels" in " ".join(failed.out.split())
    silent = gated(holdfast, host, middle, worst, "--verdict-only", "--json")
    assert (silent.code, silent.json["passed"], silent.json["gates"]) == (0, True, 0)
    assert "improvement" not in silent.json


def test_score_prints_every_released_number(tmp_path, holdfast):
    labels, guess, policy = (tmp_path / name for name in ("y.csv", "guess.csv", "policy.toml"))
    labels.write_text("id,label,region\n1,a,x\n2,b,x\n3,b,y\n")
    labels.chmod(0o600)
    guess.write_text("id,label\n1,a\n2,b\n3,a\n")
    policy.write_text('release = "round:2"\nmetric = "f1_macro"\nbreakdown = "region"\n')
    ledger = tmp_path / "ledger.db"
    Ledger(ledger, create=True).close()
    arguments = ("--policy", policy, "--labels", labels, "--submission", guess, "--team", "red")
    told = holdfast("score", *arguments, "--ledger", ledger, "--json").json
    assert (told["metric"], told["released"]) == ("f1_macro", 0.67)
    assert told["numbers"] == {"region=x": 1.0, "region=y": 0.0, "f1_macro": 0.67}
    shown = holdfast("score", *arguments, "--ledger", ledger).out
    assert "region=x  1.0" in shown
    assert "meaning    f1_macro by region: score of this submission" in shown
    assert holdfast("ledger", "verify", ledger).code == 0
    assert holdfast("ledger", "show", ledger).code == 0
