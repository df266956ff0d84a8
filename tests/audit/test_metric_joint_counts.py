"""Audits of macro averages of three classes: counts are read where the rule lets them be."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.audit.metrics import scenarios as plays
from holdfast.audit.metrics.scenarios import metric_scenarios, only_climbed
from holdfast.metrics.display import Display
from holdfast.rules import Exact, Rounding
from tests.audit.conftest import make_request

NAME = "joint-counts"


def asked(metric="f1_macro", groups=None, also=(), looks=20, **settings):
    request = make_request(looks=auditing.parse_looks(str(looks)), **settings)
    display = Display.of(metric, None if groups is None else "subject", also)
    return replace(request, display=display, groups=groups)


def played(request, name, rule=None, looks=20, show="total only"):
    places = [each.name for each in metric_scenarios(request, show)]
    job = plays.MetricJob(show, places.index(name), rule or Exact(), looks, 0)
    return plays.play_metric_job(request, job)


@pytest.mark.slow
def test_exact_macro_f1_gives_all_labels_away_and_the_audit_says_so(monkeypatch):
    monkeypatch.setattr("holdfast.audit.scenarios.rules.RULES", (Exact(), Rounding(decimals=2)))
    found = auditing.audit(asked(n=300, looks=110))
    best = found.gains[0]
    assert (best.attack, best.reads) == (NAME, "f1_macro")
    assert best.mean == pytest.approx(100.0 - found.board.free, abs=found.rounding_unit)
    assert found.verdict.word == "UNSAFE"
    assert "climbers-only" not in [finding.code for finding in found.findings]
    # Two decimals hide the counts: other attacks play, and gain less.
    exact, rounded = (row.strongest[0] for row in found.rules)
    assert rounded.attack != NAME
    assert 0.0 < rounded.mean < 0.6 * exact.mean


def test_where_decimals_hide_the_counts_rounded_values_are_read_all_the_same(monkeypatch):
    monkeypatch.setattr("holdfast.audit.scenarios.rules.RULES", ())
    found = auditing.audit(asked(n=120, release="round:2"))
    assert "climbers-only" not in [finding.code for finding in found.findings]
    assert found.gains[0].attack == "linear-reader"
    refused = [each for each in found.gains if each.points is None]
    assert [each.attack for each in refused] == [NAME]
    assert "2 decimals of f1_macro do not tell two counts apart" in refused[0].reason
    assert found.gains[0].mean is not None


@pytest.mark.parametrize("metric", ["f1_macro", "f1_weighted", "precision_macro", "recall_macro"])
def test_fewer_looks_gain_something_and_never_less_than_a_constant(metric):
    shares = [0.8, 0.15, 0.05]
    labels = np.random.default_rng(2).choice(3, size=200, p=shares).astype(np.uint8)
    request = asked(metric, labels=labels)
    gains = [played(request, NAME, looks=looks).bias for looks in (1, 8, 40)]
    assert min(gains) >= 0.0
    assert gains[2] > 0.02


def test_class_sizes_that_leave_no_proof_are_a_refusal_among_other_players():
    # One class is absent, and the two others are equally large: only the sum of hits is told.
    labels = (np.arange(60) % 2).astype(np.uint8)
    request = asked("recall_macro", labels=labels)
    assert "no value of recall_macro tells two counts apart" in played(request, NAME).reason
    assert not only_climbed(request, request.metric)  # linear-reader needs no proof
    others = [each.name for each in metric_scenarios(request, "total only") if each.name != NAME]
    assert others
    assert all(played(request, name).reason is None for name in others)


def test_who_plays_depends_on_metric_and_classes():
    def names(metric, m, **settings):
        labels = np.r_[np.arange(m), np.zeros(9, dtype=int)].astype(np.uint8)
        request = asked(metric, m=m, labels=labels, **settings)
        return [each.name for each in metric_scenarios(request, "total only")]

    assert names("f1_macro", 30)[0] == NAME
    assert NAME not in names("f1_macro", 31)  # it would take too long
    assert NAME not in names("recall_macro", 4)
    assert NAME not in names("jaccard_macro", 3)
    assert NAME not in names("cohen_kappa", 3)
    assert NAME not in names("f1_macro", 2)
    # Once, not from a model too.
    assert names("f1_macro", 3, predictions=[np.zeros(12, dtype=np.uint8)]).count(NAME) == 1


def test_groups_are_read_one_by_one_once_their_class_sizes_are_learned():
    groups = np.repeat(np.arange(6), [1, 2, 3, 5, 12, 37])
    request = asked(groups=groups, n=60)
    show = list(request.shows)[1]
    found = played(request, f"{NAME}, by group", looks=40, show=show)
    assert found.reason is None
    constant = np.mean([request.metric.score(request.hidden, np.full(60, c)) for c in range(3)])
    # The group of two examples leaves no proof and stops; all others are read to the last label.
    assert 1.0 - constant - 0.03 < found.bias <= 1.0 - constant + 1e-9
    recalls = asked("recall_macro", groups=groups, n=60)
    found = played(recalls, f"{NAME}, by group", show=list(recalls.shows)[1])
    assert "a group's are not public" in found.reason


def test_a_column_beside_the_ranking_is_read_too():
    request = asked("accuracy", also=["f1_macro"], n=60)
    show = list(request.shows)[1]
    found = played(request, NAME, looks=60, show=show)
    assert found.bias == pytest.approx(2.0 / 3.0)
