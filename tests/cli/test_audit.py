import json
import re

import numpy as np
import pytest

LOOKS = ("--looks", 8, "--processes", 1)

# What attacks gain is tested elsewhere: here exact scores give a third away, and all else little.
pytestmark = pytest.mark.usefixtures("played")


@pytest.fixture
def played(made_up):
    made_up(lambda job: 0.3 + 0.02 * ("bayes" in job.attack) if str(job.rule) == "exact" else 0.02)


@pytest.fixture
def files(tmp_path):
    """Write labels with ids, a model's predictions in another order, and a history."""
    rng = np.random.default_rng(2)
    labels = rng.integers(3, size=120)
    ids = rng.permutation(10_000)[:120]
    model = np.where(rng.random(120) < 0.8, labels, (labels + 1) % 3)
    (tmp_path / "truth.csv").write_text(
        "id,label\n" + "".join(f"{i},c{y}\n" for i, y in zip(ids, labels, strict=True))
    )
    order = rng.permutation(120)
    (tmp_path / "model.csv").write_text(
        "id,label\n" + "".join(f"{ids[j]},c{model[j]}\n" for j in order)
    )
    (tmp_path / "history.csv").write_text(
        "team,time,score\nblue,2026-01-01,0.8\nred,2026-01-02,0.5\nblue,2026-01-03,0.82\n"
    )
    return tmp_path


def test_json_carries_the_whole_record(holdfast, files):
    outcome = holdfast(
        "audit", files / "truth.csv", *LOOKS, "--predictions", files / "model.csv",
        "--history", files / "history.csv", "--gap", 3, "--json",
    )  # fmt: skip
    assert outcome.code == 0
    found = outcome.json
    assert found["verdict"]["gap"] == pytest.approx(0.03)
    assert found["board"]["models"][0]["name"] == "model"
    # The predictions were matched by id: in the file's order they would score like chance.
    assert found["board"]["models"][0]["accuracy"] == pytest.approx(0.8, abs=0.1)
    assert found["history"]["looks"] == 3
    assert found["reproduce"]["command"] == (
        "holdfast audit truth.csv --looks 8 --predictions model.csv --history history.csv --gap 3.0"
    )
    assert "pre-flight" in outcome.err


def test_findings_come_first_then_tables_and_the_verdict_with_its_fixes_last(holdfast, files):
    outcome = holdfast(
        "audit", files / "truth.csv", *LOOKS, "--gap", 1, "--history", files / "history.csv"
    )
    assert outcome.code == 0
    text = outcome.out
    assert text.startswith("truth.csv: 120 rows, 3 classes, ")
    words = (
        "warning ",
        "possible:",
        "release rules compared",
        "observed:",
        "UNSAFE",
        "Fix:",
        "Or:",
    )
    places = [text.index(f"\n{word}") for word in words]
    assert places == sorted(places)
    said = " ".join(re.sub("[│┃]", " ", text).split())
    assert (
        "scored submissions" in said.split("looks")[0]
    )  # the word stands where it is needed first
    tables = said.split("possible: ")[1].split("UNSAFE")[0]
    assert tables.count("points") >= 8  # the unit in every head of gains
    assert "blur for" in tables
    assert "naive-bayes: weighs" in tables


def test_exit_code_1_above_the_limit_and_0_below(holdfast, files):
    assert holdfast("audit", files / "truth.csv", *LOOKS, "--fail-above", 0.1).code == 1
    assert holdfast("audit", files / "truth.csv", *LOOKS, "--fail-above", 90).code == 0


@pytest.mark.parametrize("metric", [(), ("--metric", "f1_macro")])
@pytest.mark.parametrize("limit", ["nan", "inf", "-inf"])
def test_a_limit_that_nothing_can_be_compared_with_is_refused(holdfast, files, limit, metric):
    outcome = holdfast("audit", files / "truth.csv", *LOOKS, *metric, "--fail-above", limit)
    assert outcome.code == 2
    assert f"fail_above must be a finite number, got {limit}" in outcome.err


def test_a_policy_file_gives_rule_looks_and_limits(holdfast, files):
    policy = files / "policy.toml"
    policy.write_text('release = "round:2"\nlooks_per_team = 2\nwindow = "day"\n')
    outcome = holdfast(
        "audit", files / "truth.csv", "--policy", policy, "--days", 4, "--processes", 1, "--json"
    )
    board = outcome.json["board"]
    assert (board["rule"], board["looks"], board["looks_text"]) == (
        "round:2",
        8,
        "2/day for 4 days",
    )


def test_the_recommended_policy_is_all_that_the_next_audit_needs(holdfast, files):
    policy = files / "policy.toml"
    first = holdfast(
        "audit", files / "truth.csv", "--looks", "8/day", "--days", 2, "--teams", 3, "--gap", 20,
        "--write-policy", policy, "--processes", 1, "--json",
    )  # fmt: skip
    assert first.code == 0
    assert f"Wrote {policy}" in first.err
    held, *others = first.json["verdict"]["fixes"]
    assert held["hold_back"] > 0  # rows, which no policy holds back
    fix = next(each for each in others if each["verdict"] == "SAFE")
    assert f"Its fix: {fix['text']}" in first.err
    again = holdfast("audit", files / "truth.csv", "--policy", policy, "--processes", 1, "--json")
    board = again.json["board"]
    assert (board["rule"], board["looks"], board["teams"]) == (fix["rule"], fix["looks"], 3)
    assert again.json["verdict"]["gap"] == pytest.approx(0.2)
    assert again.json["verdict"]["gain"]["mean"] < first.json["verdict"]["gain"]["mean"]


def test_without_a_policy_to_recommend_none_is_written_and_the_exit_code_is_1(holdfast, files):
    truth, policy = files / "sorted.csv", files / "policy.toml"
    truth.write_text("id,label\n" + "".join(f"{i},c{i // 40}\n" for i in range(120)))
    outcome = holdfast("audit", truth, *LOOKS, "--write-policy", policy)
    assert outcome.code == 1
    assert (
        "no policy mends this, and none was written: The rows are sorted by label." in outcome.err
    )
    assert not policy.exists()


def test_a_policy_is_not_overwritten(refused, files):
    (files / "old.toml").write_text("")
    message = refused("audit", files / "truth.csv", *LOOKS, "--write-policy", files / "old.toml")
    assert message.startswith("write_policy must be a new file, got ")


def test_the_page_is_written_and_holds_the_sentence(holdfast, files):
    page = files / "new" / "audit.html"
    outcome = holdfast("audit", files / "truth.csv", *LOOKS, "--report", page, "--json")
    assert outcome.code == 0
    sentence = outcome.json["verdict"]["sentence"]
    reason = sentence.split(": ")[1].split("(")[0]  # "8 points "
    assert reason in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--looks", "few"), "looks must be a number such as 1000 or a rate"),
        (("--looks", "5/day"), "days must be given with a rate"),
        (("--rule", "rung"), "release rule must be one of batch, "),
        (("--policy", "none.toml"), "policy none.toml must be a file, but there is none"),
        (
            ("--policy", "none.toml", "--looks", "5"),
            "looks must not be given together with policy.",
        ),
        (("--final", "some"), "final must be private, all or public, got 'some'."),
        (("--gap", "-1"), "gap must lie in (0, 100] points, got -1.0."),
        (("--accounts", "0"), "accounts must be at least 1, got 0."),
    ],
)
def test_bad_options_are_one_line_and_exit_code_2(refused, arguments, message):
    assert refused("audit", *arguments).startswith(message)


def test_a_page_that_can_not_be_written_is_refused_before_playing(refused, files):
    assert "report must be a file" in refused("audit", "--report", files)


def test_json_is_one_document(holdfast, files):
    outcome = holdfast("audit", files / "truth.csv", *LOOKS, "--json")
    assert json.loads(outcome.out)["grain"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "round:14"), "mechanism must not round finer than 1/1,000,000,000,000"),
        (("--processes", 0), "processes must be at least 1, got 0."),
    ],
)
def test_slips_of_the_pen_are_refused_before_anything_is_played(refused, files, options, message):
    assert refused("audit", files / "truth.csv", *options).startswith(message)
