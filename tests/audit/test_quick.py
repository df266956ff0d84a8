"""The quick audit: findings, forecast and the four likeliest attacks."""

import json

import numpy as np
import pytest

from holdfast.audit import KnownSoFar, Play, outlook, parse_looks, quick_audit
from holdfast.audit import quick as quick_module
from holdfast.audit.outlook import likeliest
from holdfast.audit.scenarios.plays import Job
from holdfast.audit.unequal_classes import baseline_of
from holdfast.cli import main
from holdfast.experiments.matrix_plays import Played
from holdfast.problem import Problem
from holdfast.rules import Exact, Rounding


@pytest.fixture
def labels_file(tmp_path):
    labels = np.random.default_rng(3).integers(3, size=120)
    np.save(tmp_path / "labels.npy", labels.astype(np.uint8))
    return tmp_path / "labels.npy"


def test_four_attacks_play_the_likeliest_first_and_nothing_is_called_safe(request_for):
    found = quick_audit(request_for(looks=parse_looks("30")))
    names = [gain.attack for gain in found.gains]
    assert len(names) == 4
    assert found.forecast_attack in names
    # The forecast is within a third of what the best of the four gained.
    assert found.gains[0].points.mean == pytest.approx(found.forecast, rel=1 / 3)
    assert "no less than the ranking gap of 1" in found.sentence
    assert found.not_played > 0
    assert "SAFE" not in found.sentence


def test_a_board_that_gives_little_away_is_left_to_the_whole_audit(request_for):
    found = quick_audit(request_for(looks=parse_looks("3"), release="ladder:0.2", gap=50.0))
    assert found.sentence.endswith("only the whole audit can say whether the board is safe.")


def test_a_void_finding_is_the_first_thing_said(request_for):
    sorted_labels = np.sort(np.random.default_rng(0).integers(3, size=300))
    found = quick_audit(request_for(sorted_labels, looks=parse_looks("5")))
    void = next(one for one in found.findings if one.severity == "void")
    assert found.sentence == f"A finding voids every score of this board: {void.what}"


def test_a_slow_board_is_played_with_fewer_looks(request_for, monkeypatch):
    monkeypatch.setattr(quick_module, "MOST_SECONDS", 1e-3)
    found = quick_audit(request_for(looks=parse_looks("40")))
    assert 1 <= found.looks < 40 == found.n_looks
    assert {gain.looks for gain in found.gains} == {found.looks}


def test_attacks_that_cannot_use_the_answers_come_last(request_for):
    request = request_for(looks=parse_looks("20"), release="improved")
    ranked = likeliest(request, 20)
    known = [each is not None and each.rank is not None for _, each in ranked]
    assert known[0]
    assert not known[-1]


def test_the_outlook_has_findings_forecast_and_time(request_for):
    small = outlook(request_for(looks=parse_looks("10")))
    large = outlook(request_for(looks=parse_looks("100")))
    assert {one.code for one in small.findings} == {one.code for one in large.findings}
    assert 0.0 < small.points < large.points <= 67.0
    assert 0.0 < small.seconds < large.seconds
    assert small.plays > 20


def test_gains_so_far_are_of_the_policys_rule_with_its_most_looks(request_for):
    known = KnownSoFar(request_for(looks=parse_looks("10")))
    job = Job("features", Exact(), "hill-climb", 10, 0)
    known.hear(Play(job, Played(0.10, 10)))
    known.hear(Play(job._replace(trial=1), Played(0.20, 10)))
    known.hear(Play(job._replace(looks=5), Played(0.90, 5)))
    known.hear(Play(job._replace(rule=Rounding(decimals=2)), Played(0.95, 10)))
    known.hear(Play(job._replace(attack="lattice"), Played(0.0, 0, "can't")))
    assert known.lines() == [
        "hill-climb: 15 points with 10 looks (attacker's knowledge: features; 2 plays)"
    ]
    assert known.n_plays == 5


def test_the_command_prints_it_as_text_and_as_json(labels_file, capsys):
    assert main(["audit", str(labels_file), "--looks", "20", "--quick"]) == 0
    text = capsys.readouterr().out
    assert "Quick: 4 attacks; " in text
    assert "Forecast for all 20 scored submissions (looks): about " in text
    assert main(["audit", str(labels_file), "--looks", "20", "--quick", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["quick"] is True
    assert len(data["gains"]) == 4
    assert 0.05 < data["worst_final_gain"] <= 0.67
    assert data["gap"] == 0.01
    limit = ["--fail-above", "1"]
    assert main(["audit", str(labels_file), "--looks", "20", "--quick", *limit]) == 1


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_its_page_says_that_it_is_no_verdict(labels_file, tmp_path, capsys, metric):
    page = tmp_path / "quick.html"
    arguments = ["audit", str(labels_file), "--looks", "5", "--quick", "--metric", metric]
    assert main([*arguments, "--report", str(page)]) == 0
    assert "Page, which says that it is no verdict" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert "<title>No verdict: quick audit of " in text
    assert '<span class="word">NO VERDICT</span>' in text
    assert f"Holdfast quick audit, metric: {metric}" in text
    assert "UNSAFE" not in text.partition("<script")[0]


@pytest.mark.parametrize("name", ["badge", "sarif", "junit", "write-policy"])
def test_what_needs_a_verdict_is_refused(labels_file, tmp_path, refused, name):
    message = refused("audit", labels_file, "--quick", f"--{name}", tmp_path / "out")
    expected = f"{name.replace('-', '_')} must be left out with --quick, which gives no verdict."
    assert message == expected
    assert not (tmp_path / "out").exists()


def test_quick_audits_of_many_unequal_classes_find_that_hits_gain_most(request_for):
    """Where shares fall slowly, hits from the shares gain a quarter more than champions do."""
    shares = np.arange(1, 101) ** -0.5
    labels = np.random.default_rng(3).choice(100, size=1000, p=shares / shares.sum())
    found = quick_audit(request_for(labels, m=100, looks=parse_looks("200"), gap=1.0))
    assert (found.gains[0].attack, found.gains[0].setting) == ("hit-pools", "class shares")
    told = baseline_of(labels, 100).formulas.forecast_from_exact(Problem(1000, 100, 200))
    assert told == pytest.approx(found.gains[0].points.mean, rel=0.25)
