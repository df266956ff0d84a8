"""What an audit of a metric writes: verdicts of both boards, files for other programs, policies."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.audit.exports import badge, junit, sarif
from holdfast.audit.metrics import scenarios as plays
from holdfast.audit.metrics.scenarios import metric_scenarios, only_climbed
from holdfast.audit.metrics.starts import group_rows, starts_of
from holdfast.audit.metrics.units import constant_value, model_value, unit_for
from holdfast.cli import main
from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.metrics.display import Display
from holdfast.rules import Exact, Rounding, parse_rule
from tests.audit.conftest import gaining, make_request
from tests.audit.sample import fix, sample_audit
from tests.audit.test_schema import valid

N = 100
RNG = np.random.default_rng(5)
SKEWED = (RNG.random(N) < 0.2).astype(np.uint8)
GROUPS = np.arange(N) % 5
# A model that is right on four of five examples.
MODEL = np.where(RNG.random(N) < 0.8, SKEWED, 1 - SKEWED).astype(np.uint8)


def asked(metric="f1", breakdown=None, also=(), **settings):
    settings = {"labels": SKEWED, "m": 2, "looks": auditing.parse_looks("6"), **settings}
    request = make_request(**settings)
    groups = GROUPS[request.parts.where] if breakdown else None
    return replace(request, display=Display.of(metric, breakdown, also), groups=groups)


@pytest.fixture(autouse=True, scope="module")
def few_rules():
    """Compare with two rules: enough to see that more than the policy's is played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.audit.scenarios.rules.RULES", (Exact(), Rounding(decimals=1)))
        yield


@pytest.fixture(scope="module")
def found():
    """Return an audit of F1 by group from a model, which all tests of files share."""
    board = asked("f1", "subject", predictions=[MODEL])
    return auditing.audit(board, command="holdfast", play=gaining(0.2))


@pytest.fixture
def label_file(tmp_path):
    """Write labels of two classes in five subjects, and return the file."""
    names = np.random.default_rng(6).permutation(N)
    rows = [f"{names[i]},{SKEWED[i]},s{GROUPS[i]}" for i in range(N)]
    path = tmp_path / "truth.csv"
    path.write_text("\n".join(["id,label,subject", *rows, ""]))
    return path


# Files for other programs.


def test_the_badge_has_the_gain_in_the_metrics_unit(found):
    picture = ET.fromstring(badge(found))
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["test set", f"{found.verdict.word}: +{found.worst:g} points of f1"]


def test_sarif_and_junit_have_verdict_limit_and_findings(found):
    (run,) = json.loads(sarif(found, subject="policy.toml", limit=0.5))["runs"]
    kinds = [each["ruleId"] for each in run["results"]]
    assert kinds[:2] == ["verdict-final-ranking", "gain-limit"]
    assert {"breakdown", "reveals"} <= set(kinds)
    wanted = {"verdict": "UNSAFE", "gain": found.worst, "unit": "points of f1", "metric": "f1"}
    assert run["properties"].items() >= wanted.items()
    cases = {
        each.get("name"): each for each in ET.fromstring(junit(found, limit=0.5)).iter("testcase")
    }
    assert cases["verdict-final-ranking"].find("failure").get("message") == found.verdict.sentence
    assert (
        f"{found.worst:g} points of f1, above the limit" in cases["gain-limit"].find("failure").text
    )
    assert cases["breakdown"].find("failure") is None


def test_a_saved_audit_is_read_back_as_it_was(found, tmp_path):
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(valid(auditing.as_json(found))))
    assert auditing.read_audit(path) == found


# Models.


def test_attacks_from_a_model_count_from_the_model(found):
    request = asked("f1", predictions=[MODEL])
    vote = model_value(request)
    assert vote == request.metric.score(SKEWED, MODEL)  # one model's vote is its own
    assert vote > constant_value(request)
    assert found.board.model == pytest.approx(100 * vote, abs=found.rounding_unit / 2 + 1e-9)
    settings = {each.setting for each in found.gains}
    assert settings == {"class shares", "model"}
    several = metric_scenarios(request, "total only")
    reader = next(each for each in several if each.setting == "model" and not each.climbs)
    gains = [reader.job(Exact(), 60, trial).played(request).bias for trial in range(3)]
    assert 0.0 < np.mean(gains) <= 1.0 - vote + 1e-9


def test_each_group_starts_from_its_own_rows_of_the_model():
    request = asked("accuracy", "subject", predictions=[MODEL])
    start = starts_of(request)[1]
    for rows in group_rows(request.groups):
        assert (GROUPS[rows] == GROUPS[rows[0]]).all()
        assert (start.of(rows).beliefs.top() == MODEL[rows]).all()
    shown = metric_scenarios(request, "with subject scores")
    assert {each.start.setting for each in shown} == {"class shares", "model"}
    at = next(i for i, each in enumerate(shown) if each.start.model)
    job = plays.MetricJob("with subject scores", at, Exact(), 1, 0)
    # Almost nothing is learned with one look, but nothing of the model is lost either.
    assert plays.play_metric_job(request, job).bias >= -0.05


def test_models_of_roc_auc_and_of_several_classes_are_used():
    for metric in ("roc_auc", "matthews_corrcoef"):
        named = [
            each.name for each in metric_scenarios(asked(metric, predictions=[MODEL]), "total only")
        ]
        assert any("lattice" in name for name in named)
    behind = asked("f1", release="ladder:0.01", predictions=[MODEL])
    shown = [each for each in metric_scenarios(behind, "total only") if each.start.model]
    at = next(i for i, each in enumerate(shown) if each.reads == "f1, as it rises")
    first = len(metric_scenarios(behind, "total only")) - len(shown)
    job = plays.MetricJob("total only", first + at, behind.rule, 60, 0)
    assert plays.play_metric_job(behind, job).bias > 0.0  # climbs from the model
    labels = (np.arange(N) % 4).astype(np.uint8)
    several = asked("cohen_kappa", m=4, labels=labels, predictions=[labels])
    shown = [each.name for each in metric_scenarios(several, "total only") if each.start.model]
    assert "count-reader, lattice" in shown


@pytest.mark.parametrize("metric", ["log_loss", "brier", "mse", "rmse", "r2", "mae"])
def test_what_is_not_read_of_a_skewed_set_costs_no_more_than_before(metric):
    # Few large targets among many small ones: the middle of the range is far from all of them.
    draws = np.random.default_rng(1).random(300)
    values = (
        (draws < 0.05) if metric in ("log_loss", "brier") else 40 * (draws < 0.02) + (draws > 0.5)
    )
    names, codes = np.unique(values.astype(int), return_inverse=True)
    gains = []
    for looks in (1, 2, 6):
        request = asked(metric, labels=codes.astype(np.uint8), m=names.size)
        file = replace(request.file, class_names=tuple(map(str, names)))
        request = replace(request, file=file)
        assert request.baseline.unequal
        job = plays.MetricJob("total only", 0, Exact(), looks, 0)
        gains.append(plays.play_metric_job(request, job).bias)
    assert 0.0 <= gains[0] <= gains[1] <= gains[2]
    assert gains[2] > 0.0


def test_f1_is_climbed_from_everything_called_positive():
    # That has 46 points where three of ten are positive; nothing called positive has none.
    labels = (np.random.default_rng(1).random(600) < 0.3).astype(np.uint8)
    request = asked("f1", labels=labels, looks=auditing.parse_looks("60"))
    shown = [each.name for each in metric_scenarios(request, "total only")]
    job = plays.MetricJob("total only", shown.index("prior-climb"), Exact(), 60, 0)
    assert plays.play_metric_job(request, job).bias > 0.01
    # Of balanced accuracy both constants have 1/2, and of rare positives small parts are added.
    for metric, share in (("balanced_accuracy", 0.3), ("f1", 0.02), ("f1_macro", 0.3)):
        rare = (np.random.default_rng(1).random(600) < share).astype(np.uint8)
        others = metric_scenarios(asked(metric, labels=rare), "total only")
        assert "prior-climb" not in [each.name for each in others]


# Several classes that are read, not climbed.


def test_kappa_macro_f1_and_jaccard_of_four_classes_are_read():
    labels = (np.arange(N) * 7 % 4).astype(np.uint8)
    kappa = asked("cohen_kappa", m=4, labels=labels, looks=auditing.parse_looks("150"))
    first = metric_scenarios(kappa, "total only")[0]
    assert first.name.startswith("count-reader")
    assert not only_climbed(kappa, kappa.metric)
    job = plays.MetricJob("total only", 0, Exact(), 150, 0)
    assert plays.play_metric_job(kappa, job).bias == pytest.approx(1.0)  # every label
    macro = asked("f1_macro", m=4, labels=labels)
    assert not only_climbed(macro, macro.metric)
    jaccard = asked("jaccard_macro", m=4, labels=labels)
    assert not only_climbed(jaccard, jaccard.metric)


# Parts, accounts, gaps.


def parts(n_public=70):
    return ["Public" if i < n_public else "Private" for i in range(N)]


def test_a_private_part_decides_and_the_public_board_is_judged_beside_it():
    found = auditing.audit(asked("f1", split=parts()), play=gaining(0.2))
    assert (found.verdict.about, found.verdict.word, found.worst) == ("final ranking", "SAFE", 0.0)
    assert "30 examples that no look is scored on decide it" in found.verdict.sentence
    assert found.public.about == "public board"
    assert (found.public.word, found.public.points.mean) == ("UNSAFE", 20.0)
    lucky = auditing.audit(asked("f1", split=parts(), final_choices=0), play=gaining(0.2))
    assert lucky.verdict.word == "MARGINAL"
    assert "what its luck is worth in f1 was not measured" in lucky.verdict.sentence


def test_what_counts_by_its_share_is_an_average_of_examples():
    both = auditing.audit(asked("log_loss", split=parts(50), final="all"), play=gaining(0.2))
    assert both.board.final_share == 0.5
    assert both.worst == pytest.approx(
        both.public.points.mean / 2, abs=both.rounding_unit / 2 + 1e-9
    )
    with pytest.raises(
        InvalidInput, match="final must be private or public for f1, got all: it is no average"
    ):
        asked("f1", split=parts(), final="all")


def test_accounts_meet_a_rule_that_remembers_afresh():
    rule = parse_rule("ladder:0.3")
    alone, many = (
        asked(
            "balanced_accuracy",
            release="ladder:0.3",
            accounts=accounts,
            looks=auditing.parse_looks("3"),
        )
        for accounts in (1, 3)
    )
    job = plays.MetricJob("total only", 0, rule, 9, 0)
    told = []
    for request in (alone, many):
        board = plays.board_of(request, job, np.random.default_rng(0))
        told.append([board.query(each) for each in [SKEWED, *[1 - SKEWED] * 8]])
    # One account is told its best, in steps of 0.3; each new one the first score of its own.
    assert told[0] == [0.9] * 9
    assert told[1] == [0.9] * 3 + [0.0] * 6


def test_gaps_of_losses_are_in_their_own_unit(label_file):
    far = auditing.read_request(label_file, metric="log_loss", looks="3", gap=250.0)
    assert far.gap == 250.0
    with pytest.raises(InvalidInput, match=r"gap must lie in \(0, 100\] points, got 250"):
        auditing.read_request(label_file, metric="f1", looks="3", gap=250.0)
    with pytest.raises(InvalidInput, match="gap must be above 0, got -1"):
        auditing.read_request(label_file, metric="log_loss", looks="3", gap=-1.0)


# Fixes and policies.


def test_a_policy_says_what_is_shown_and_drops_what_a_fix_drops(found):
    request = asked("f1", "subject", predictions=[MODEL])
    offered = fix("round:1", 6, 5.0)
    for show, breakdown in (("total only", None), ("all that is shown", "subject")):
        verdict = replace(found.verdict, fixes=(replace(offered, show=show),))
        text = auditing.recommended_policy(request, replace(found, verdict=verdict))
        policy = Policy.parse(text)
        assert 'metric = "f1"' in text
        assert 'release = "round:1"' in text
        assert policy.display.breakdown == breakdown


def test_every_file_is_written_and_the_policy_is_audited_as_it_was(
    label_file, tmp_path, capsys, made_up
):
    made_up(0.2)
    files = {name: tmp_path / name for name in ("b.svg", "s.json", "j.xml", "p.toml", "a.html")}
    arguments = ["audit", str(label_file), "--metric", "f1", "--looks", "4", "--processes", "1"]
    arguments += ["--gap", "60", "--badge", str(files["b.svg"]), "--sarif", str(files["s.json"])]
    arguments += ["--junit", str(files["j.xml"]), "--write-policy", str(files["p.toml"])]
    arguments += ["--title", "Birds & bees", "--report", str(files["a.html"]), "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"]["word"] == "SAFE"
    assert all(path.stat().st_size for path in files.values())
    policy = Policy.read(files["p.toml"])
    assert (str(policy.display), policy.looks_per_team, policy.ranking_gap) == ("f1", 4, 60.0)
    page = files["a.html"].read_text()
    assert "<h1>Birds &amp; bees</h1>" in page
    assert "Holdfast audit, metric: f1" in page
    request = auditing.read_request(label_file, policy=files["p.toml"])
    assert request.shown == "f1"


# Before and after.


def test_two_audits_are_compared_in_the_metrics_unit(found, tmp_path, capsys):
    board = asked("f1", predictions=[MODEL], release="round:1")
    after = auditing.audit(board, play=gaining(0.1))
    made = auditing.compare(found, after)
    assert "points of f1" in made.sentence
    assert ("what is shown", True) in [(each.what, each.differs) for each in made.settings]
    told = auditing.comparison_as_json(made)
    assert told["unit"] == "points of f1"
    assert told["verdict"]["before"]["gain"]["mean"] == found.worst
    assert told["attacks"][0]["before"]["mean"] == max(each.mean or 0.0 for each in found.gains)
    assert {each["code"] for each in told["findings"]["gone"]} == {"breakdown"}
    files = []
    for name, audit in (("before.json", found), ("after.json", after)):
        files.append(tmp_path / name)
        files[-1].write_text(json.dumps(auditing.as_json(audit)))
    page = tmp_path / "change.html"
    assert main(["audit", "compare", *map(str, files), "--report", str(page)]) == 0
    assert "change, points of f1" in " ".join(capsys.readouterr().out.split())
    assert "metric: f1 by subject, 5 groups, then f1" in page.read_text()


def test_audits_of_different_metrics_are_not_compared(found):
    other = replace(found, unit="of log_loss", board=replace(found.board, shown="log_loss"))
    with pytest.raises(InvalidInput, match="audits of one metric, got f1 by subject, 5 groups and"):
        auditing.compare(found, other)
    with pytest.raises(InvalidInput, match="audits of one metric, got accuracy and f1 by subject"):
        auditing.compare(sample_audit(), found)


# Quick, and plays that are kept.


def test_a_quick_audit_says_the_metric_before_its_gains_and_never_safe(label_file, capsys):
    arguments = ["audit", str(label_file), "--metric", "f1", "--breakdown", "subject"]
    arguments += ["--looks", "5", "--quick", "--no-cache"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "\nMetric: f1 by subject, 5 groups. Gains are points of f1" in out
    assert out.index("\nMetric: ") < out.index("\ngained by the likeliest attacks")
    assert "SAFE" not in out
    assert main([*arguments, "--json", "--fail-above", "0"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["quick"], told["unit"], told["n_looks"]) == (True, "points of f1", 5)
    assert {each["show"] for each in told["gains"]} == {"total only", "with subject scores"}


def test_the_same_plays_are_not_played_twice(label_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOLDFAST_CACHE_DIR", str(tmp_path / "cache"))
    arguments = [
        "audit",
        str(label_file),
        "--metric",
        "log_loss",
        "--looks",
        "3",
        "--quick",
        "--json",
    ]

    def told(*more):
        assert main([*arguments, *more]) == 0
        data = json.loads(capsys.readouterr().out)
        return {name: each for name, each in data.items() if name in ("gains", "looks")}

    first = told()
    monkeypatch.setattr("holdfast.audit.metrics.scenarios.MetricOracle", None)  # no play can be had
    assert told("--gap", "3") == first


def test_units_know_their_singular():
    unit = unit_for(asked("f1"))
    assert (unit.number(1.0), unit.number(2.0)) == ("1 point of f1", "2 points of f1")
