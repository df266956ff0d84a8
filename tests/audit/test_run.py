import json

import numpy as np
import pytest

from holdfast.audit import Outlook, Play, as_json, audit, parse_looks
from holdfast.audit.baseline import Baseline
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.judgement.limits import allowed
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.plays import Job, play_job
from holdfast.cli.audit_tables import show
from holdfast.experiments import Experiment, Matrix, run_matrix, run_trial
from holdfast.problem import Problem
from holdfast.rules import Exact
from tests.audit.conftest import gaining, make_request, played_on


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(7).integers(4, size=240).astype(np.uint8)


@pytest.fixture(scope="module")
def result(labels):
    model = np.where(np.random.default_rng(8).random(240) < 0.7, labels, 0).astype(np.uint8)
    told = []
    request = make_request(
        labels, m=4, looks=parse_looks("16"), predictions=[model], gap=2.0, seed=4
    )
    result = audit(request, command="holdfast audit", on_event=told.append)
    assert isinstance(told[1], Outlook)
    assert len({each.job for each in told if isinstance(each, Play)}) >= told[1].plays
    return request, result


@pytest.mark.slow
def test_an_audit_of_exact_scores_is_unsafe_and_carries_all_evidence(result):
    _, found = result
    assert found.verdict.word == "UNSAFE"
    assert found.verdict.sentence.startswith("UNSAFE for ranking gaps of 2 points: ")
    assert {gain.setting for gain in found.gains} == {"features", "no features", "model"}
    assert found.curve.looks[-1] == found.curve.today == 16
    assert len(found.curve.bound_looks) == len(found.curve.allowed) == len(found.curve.guarantee)
    assert found.rules[0].is_policy
    assert found.limits.allowed > found.verdict.points.mean
    assert found.fix is None or found.fix.possible.mean <= 2.0
    assert len(found.reproduce.fingerprint) == 16


def test_the_same_seed_gives_the_numbers_of_the_matrix_and_of_attack(result, labels):
    request, found = result
    trials = play_budget_for(request).trials
    matrix = run_matrix(
        Matrix(request.problem, trials=trials, seed=4, rules=["exact"], labels=labels)
    )
    unit = rounding_unit_for(240, 4)
    gains = {gain.attack: gain for gain in found.gains if gain.setting == "features"}
    compared = 0
    for cell in matrix["cells"]:
        if cell.accounts == 1 and cell.bias is not None:
            assert gains[cell.attack].points == unit.interval(cell.bias, trials)
            compared += 1
    assert compared >= 8
    # Contenders are measured again, so the strongest may be another one than the first plays say.
    assert found.verdict.attack in gains


def test_a_play_without_features_is_a_trial_of_attack(labels):
    experiment = Experiment(
        "naive-bayes", Problem(240, 4, 16), trials=3, seed=5, labels=labels, without_features=True
    )
    context = played_on(labels, Baseline(240, 4), 5)
    for trial in range(3):
        played = play_job(context, Job("no features", Exact(), "naive-bayes", 16, trial))
        assert played.bias == run_trial(experiment, trial)["bias"]


def numbers(value):
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def test_the_record_is_json_without_labels_or_exact_scores(result, labels):
    _, found = result
    document = as_json(found)
    text = json.dumps(document, allow_nan=False)
    assert "".join(map(str, labels[:30])) not in text
    assert str(labels[:30].tolist())[1:-1] not in text
    # What was computed from labels is a multiple of the unit, which is coarser than one example.
    unit = document["grain"]
    assert unit >= 1.0 / 240
    from_labels = [
        *(gain["gain"] for gain in document["gains"]),
        *(point for series in document["curve"]["measured"] for point in series["gain"]),
        *(rule["possible"] for rule in document["rules"]),
        *(rule["cells"] for rule in document["rules"]),
        document["verdict"]["gain"],
        document["board"]["majority"],
        [model["accuracy"] for model in document["board"]["models"]],
    ]
    values = list(numbers(from_labels))
    assert len(values) > 100
    for value in values:
        assert abs(value / unit - round(value / unit)) < 1e-6


def test_a_rule_that_tells_nothing_is_safe(request_for, labels):
    found = audit(request_for(labels, m=4, release="ladder:0.5", looks=parse_looks("3"), gap=30.0))
    assert found.verdict.word == "SAFE"
    assert found.verdict.sentence.startswith("SAFE for ranking gaps of 30 points or more: ")
    assert found.fix is None


def test_sorted_labels_are_unsafe_whatever_the_rule_and_have_no_other_fix(
    request_for, labels, capsys
):
    found = audit(
        request_for(np.sort(labels), m=4, release="ladder:0.5", looks=parse_looks("3"), gap=30.0)
    )
    assert found.verdict.word == "UNSAFE"
    assert "sorted by label" in found.verdict.sentence
    assert found.fix is None  # no rule is sold while the order tells the labels
    assert not found.verdict.proven
    show(found, None)
    assert "No release rule and no limit is a fix before that." in capsys.readouterr().out


@pytest.mark.slow
def test_a_private_part_that_decides_is_not_reached_by_looks(request_for, labels):
    split = ["Public"] * 120 + ["Private"] * 120
    shuffled = [split[j] for j in np.random.default_rng(0).permutation(240)]
    found = audit(request_for(labels, m=4, split=shuffled, looks=parse_looks("8")))
    assert found.board.n_examples == 120
    assert found.verdict.points.mean == 0.0
    assert "120 examples that no look is scored on" in found.verdict.sentence
    chosen = audit(
        request_for(labels, m=4, split=shuffled, looks=parse_looks("8"), final_choices=0)
    )
    assert chosen.verdict.points.mean > 1.0


@pytest.mark.slow
def test_more_looks_than_can_be_played_are_said_so(request_for, labels, monkeypatch):
    monkeypatch.setattr("holdfast.audit.scenarios.measurer.MOST_WORK", 240 * 10)
    found = audit(request_for(labels, m=4, looks=parse_looks("50")))
    assert "fewer-looks-played" in {finding.code for finding in found.findings}
    assert "(of 50 allowed)" in found.verdict.sentence
    assert found.curve.today == 50
    assert found.curve.looks[-1] == 10
    # What is allowed is one number, that of the policy's 50 looks.
    assert {gain.allowed for gain in found.gains} == {found.limits.allowed}
    assert found.rules[0].allowed == found.verdict.allowed == found.limits.allowed
    assert found.limits.allowed == allowed(request_for(labels, m=4), Exact(), 50)


def test_dear_plays_of_many_classes_are_played_once_and_have_the_binomial_interval():
    labels = np.arange(6000) % 60
    request = make_request(labels, m=60, looks=parse_looks("1000"))
    budget = play_budget_for(request)
    assert (budget.trials, budget.fewer, budget.looks) == (2, 1, 1000)
    found = audit(request, play=gaining(0.1)).curve.measured[0].points[0]
    # sqrt(p (1 - p)/n) with p = 1/60 + 0.1, times 1.96, in points, by hand: 0.81
    assert found.high - found.mean == pytest.approx(0.81, abs=0.1)
    few = make_request(labels[:600] % 10, m=10, looks=parse_looks("100"))
    assert play_budget_for(few).fewer == 4
