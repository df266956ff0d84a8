"""Audits of other metrics than accuracy, of breakdowns and of several columns."""

import json
from dataclasses import replace

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.attacks.through_metrics.registry import check_covered
from holdfast.audit.inputs.group_columns import group_columns, read_groups
from holdfast.audit.metrics.certified import certified_labels, in_words, most_gain, percent_right
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.result import Interval
from holdfast.certificates import certify_ladder
from holdfast.certificates.metric_gains import certify_gain
from holdfast.cli import main
from holdfast.errors import InvalidInput, NotSupported
from holdfast.experiments.summary import Mean
from holdfast.metrics.display import Display
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.planner import decimals_of
from holdfast.problem import Problem
from holdfast.rules import Exact, Rounding, parse_rule

GROUPS = np.arange(120) % 8


# Unequal classes: attacks then start from the shares, and nothing is rehearsed, which takes longer.
SKEWED = (np.random.default_rng(5).random(GROUPS.size) < 0.2).astype(np.uint8)


def asked(request_for, metric="f1", breakdown=None, also=(), *, m=2, n=120, **settings):
    settings = {"labels": SKEWED, **settings} if m == 2 else settings
    request = request_for(m=m, n=n, **settings)
    groups = np.resize(GROUPS, n) if breakdown else None
    return replace(request, display=Display.of(metric, breakdown, also), groups=groups)


@pytest.fixture
def label_file(tmp_path):
    """Write labels of two classes in eight subjects, and return the file."""
    names = np.random.default_rng(6).permutation(GROUPS.size)
    rows = [f"{names[i]},{SKEWED[i]},s{GROUPS[i]},{i / 7:.3f}" for i in range(GROUPS.size)]
    path = tmp_path / "truth.csv"
    path.write_text("\n".join(["id,label,subject,weight", *rows, ""]))
    return path


@pytest.fixture(autouse=True)
def few_rules(monkeypatch):
    """Compare with two rules: enough to see that more than the policy's is played."""
    rules = (Exact(), Rounding(decimals=2))
    monkeypatch.setattr("holdfast.audit.scenarios.rules.RULES", rules)


# What is shown.


def test_the_board_is_named_in_words(request_for):
    found = asked(request_for, "f1", "subject", ["accuracy"])
    assert found.shown == "f1 by subject, also accuracy, 8 groups"
    assert list(found.shows) == ["total only", "with subject scores", "with accuracy"]


@pytest.mark.parametrize(
    ("metric", "m", "because"),
    [
        ("average_precision", 2, "average_precision is not covered: no attack here reads"),
        ("hamming_loss", 2, "hamming_loss is not covered: it scores sets of labels"),
        ("exact_match", 2, "exact_match is not covered: it scores sets of labels"),
        ("roc_auc", 3, "roc_auc is not covered: an area under a ROC curve is one of two classes"),
        ("top_k_accuracy:5", 5, "top_k_accuracy:5 is not covered: who names 5 of 5 classes"),
    ],
)
def test_what_is_not_covered_is_refused_with_the_reason(request_for, metric, m, because):
    with pytest.raises(NotSupported, match=because):
        asked(request_for, metric, m=m)


def test_every_metric_is_either_played_or_refused(request_for):
    refused = []
    for cls in metric_classes():
        metric = parse_metric("top_k_accuracy:1" if cls.name == "top_k_accuracy" else cls.name)
        try:
            check_covered(metric, Problem(100, 2, 5))
        except NotSupported:
            refused.append(cls.name)
            continue
        assert metric_scenarios(asked(request_for, str(metric)), "total only"), cls.name
    assert refused == ["average_precision", "exact_match", "hamming_loss"]


def test_a_rule_that_does_not_work_on_the_metric_is_refused(request_for):
    with pytest.raises(NotSupported, match=r"ladder:0\.01 needs values between two limits"):
        asked(request_for, "log_loss", release="ladder:0.01")
    with pytest.raises(NotSupported, match="works on accuracies alone"):
        asked(request_for, "f1", release="subsample:0.5")


def test_histories_are_refused_and_models_where_no_attack_starts_from_one(request_for):
    guess = [np.zeros(120, dtype=np.uint8)]
    for metric in ("log_loss", "mse", "mae", "top_k_accuracy:1"):
        with pytest.raises(InvalidInput, match="predictions must be left out for"):
            asked(request_for, metric, predictions=guess)
    for metric in ("f1", "roc_auc", "accuracy"):
        assert asked(request_for, metric, also=(), predictions=guess).beliefs is not None
    with pytest.raises(InvalidInput, match="history must be left out for f1: how far chance"):
        asked(request_for, "f1", history=[])


# Units.


@pytest.mark.parametrize(
    ("metric", "name", "constant"),
    [
        # 30 of 120 are positive: all positive has precision 1/4 and recall 1.
        ("f1", "points of f1", 40.0),
        ("accuracy", "points", 75.0),
        ("balanced_accuracy", "points of balanced_accuracy", 50.0),
        ("matthews_corrcoef", "points of matthews_corrcoef", 0.0),
        ("roc_auc", "points of roc_auc", 50.0),
        # The entropy of 1/4 is 0.5623 nats; the variance of the labels is 3/16.
        ("log_loss", "of log_loss", 0.56),
        ("mse", "of mse", 0.188),
    ],
)
def test_gains_count_from_the_best_constant_submission(request_for, metric, name, constant):
    labels = (np.arange(120) % 4 == 0).astype(np.uint8)
    unit = unit_for(asked(request_for, metric, labels=labels))
    assert unit.name == name
    assert abs(unit.constant - constant) <= unit.rounding_unit / 2 + 1e-9
    assert unit.gap == (1.0 if unit.scale == 100.0 else unit.rounding_unit)


def test_a_gain_below_the_constant_is_none(request_for):
    unit = unit_for(asked(request_for))
    assert unit.interval(Mean(-0.3, 0.01), 4) == Interval(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("rule", "decimals"), [("exact", None), ("round:2", 2), ("round:3", 3), ("round:0", 0)]
)
def test_decimals_of_a_rule(rule, decimals):
    assert decimals_of(parse_rule(rule)) == decimals


def test_values_that_a_rule_changes_are_not_read_as_they_are():
    for text in ("ladder:0.01", "gaussian:0.01"):
        with pytest.raises(NotSupported, match="the rule changes them"):
            decimals_of(parse_rule(text))


# Plays.


@pytest.mark.slow
def test_a_breakdown_gives_away_what_the_total_does_not(request_for):
    # Eight groups of 15: 20 exact looks know each of them; the total tells of 20 numbers.
    found = auditing.audit(asked(request_for, "accuracy", "subject"))
    total, groups = found.rules[0].strongest
    assert groups.mean == pytest.approx(100.0 - found.board.free, abs=found.rounding_unit)
    assert total.mean is not None
    assert total.mean < 0.7 * groups.mean
    assert found.verdict.word == "UNSAFE"
    assert "by group" in found.verdict.sentence
    assert found.verdict.sentence.startswith("UNSAFE for ranking gaps of 1 point of accuracy: ")


def test_gains_and_right_labels_are_certified_beside_each_rule(request_for):
    # Few looks at a set that is large enough for a bound to say something.
    labels = (np.random.default_rng(5).random(2000) < 0.3).astype(np.uint8)
    request = asked(request_for, "f1", n=2000, labels=labels, looks=auditing.parse_looks("2"))
    unit = unit_for(request)
    exact, rounded = (most_gain(request, rule, unit)[0] for rule in (Exact(), Rounding(decimals=1)))
    proved = certify_gain(
        Problem(2000, 2, 2), Exact(), request.display, class_sizes=np.bincount(labels).tolist()
    ).gain
    assert 0.0 <= exact - 100.0 * proved <= unit.rounding_unit  # rounded up to the unit
    assert 0.0 < rounded <= exact < 100.0 - unit.constant
    gained, right = in_words(request, unit)
    assert gained.startswith("Certified for whoever knows no more of the labels than how many")
    assert f"gains more than {exact:g} points of f1 in expectation" in gained
    assert right.startswith("Certified for ")
    labels_right = percent_right(certified_labels(request, Exact()))
    assert f"more than {labels_right:g} % of the labels" in right
    # With so many looks at so few labels nothing is proved, and it says why.
    small = asked(request_for, "mse", looks=auditing.parse_looks("5"))
    gained, right = in_words(small, unit_for(small))
    assert gained.startswith("No gain in mse is certified: ")
    assert right.startswith("No share of right labels is certified")


@pytest.mark.parametrize(
    ("metric", "mechanism", "lines"),
    [
        ("brier", "ladder:0.01", 3),
        ("brier", "round:2", 2),
        ("log_loss[0,10]", "ladder:0.01", 2),
        ("f1", "ladder:0.01", 2),
    ],
)
def test_a_ladder_of_mean_losses_says_how_true_its_value_is(request_for, metric, mechanism, lines):
    labels = np.resize(SKEWED, 20_000)
    looks = auditing.parse_looks("30")
    rule = parse_rule(mechanism)
    board = asked(request_for, metric, n=20_000, labels=labels, looks=looks, release=mechanism)
    told = in_words(board, unit_for(board))
    assert len(told) == lines
    if lines == 3:
        error = certify_ladder(rule, board.metric, 20_000, 30).error
        assert f"stands is within {error:.3g} of the best" in told[2]
        assert "5 % over the draw" in told[2]


def test_log_loss_tells_all_labels_of_a_small_set_in_its_own_unit(request_for):
    found = auditing.audit(asked(request_for, "log_loss"))
    best = found.gains[0]
    assert (best.attack, best.show) == ("digits", "total only")
    assert best.mean == pytest.approx(found.board.free, abs=found.rounding_unit)
    assert found.unit == "of log_loss"
    assert found.verdict.gap_points == found.rounding_unit


@pytest.mark.slow
def test_absolute_errors_are_bisected(request_for):
    labels = np.random.default_rng(3).integers(5, size=60).astype(np.uint8)
    looks = auditing.parse_looks("120")
    found = auditing.audit(asked(request_for, "mae", m=5, n=60, labels=labels, looks=looks))
    # Every target is found: the gain is all that the median has.
    assert found.gains[0].mean == pytest.approx(found.board.free, abs=found.rounding_unit)
    assert (
        abs(found.board.free - np.abs(labels - np.median(labels)).mean()) <= found.rounding_unit / 2
    )


def test_several_classes_are_climbed_and_it_says_so(request_for):
    found = auditing.audit(asked(request_for, "jaccard_macro", m=3, release="ladder:0.01"))
    assert "climbers-only" in [finding.code for finding in found.findings]
    assert all("as it rises" in each.reads for each in found.gains if each.points is not None)


# Files.


def test_groups_are_read_in_the_order_of_the_rows(label_file):
    assert read_groups(label_file, "subject", GROUPS.size).tolist() == [
        f"s{each}" for each in GROUPS
    ]
    asked_for = auditing.read_request(label_file, metric="f1", breakdown="subject", looks="5")
    assert asked_for.groups.tolist() == [f"s{each}" for each in GROUPS]


def test_group_columns_are_found_and_asked_about(label_file):
    # A column of fractions is none.
    assert group_columns(label_file) == ("subject",)
    board = auditing.read_request(label_file, looks="5")
    codes = {each.code: each for each in metric_findings(board, unit_for(board), 1.0)}
    assert codes["group-column"].fix == "Say --breakdown subject if it does."
    assert "--metric f1" in codes["assumed-accuracy"].fix
    assert codes["group-column"].severity == "note"


@pytest.mark.parametrize("names", [("0", "1"), ("False", "True"), ("neg", "pos"), ("-1", "1")])
def test_scores_of_two_opposites_are_not_taken_for_accuracies_without_a_word(tmp_path, names):
    path = tmp_path / "truth.csv"
    rows = [f"{i},{names[each]}" for i, each in enumerate(SKEWED)]
    path.write_text("\n".join(["id,label", *rows, ""]))
    board = auditing.read_request(path, looks="5")
    codes = {each.code: each for each in metric_findings(board, unit_for(board), 1.0)}
    assert codes["assumed-accuracy"].what == (
        f"Labels of {names[0]} and {names[1]}: scores are taken for plain accuracies."
    )
    assert codes["imbalance"].fix.endswith("--metric balanced_accuracy audits that.")


def test_decimal_commas_are_not_taken_for_classes_without_a_word(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("id;price\n" + "".join(f"{i};{i % 7},{i % 4}\n" for i in range(60)))
    board = auditing.read_request(path, looks="5")
    codes = {each.code: each for each in metric_findings(board, unit_for(board), 1.0)}
    assert codes["decimal-commas"].fix.startswith("Write decimal points (0.0), and say --metric")
    with pytest.raises(InvalidInput, match=r"got '0,0'; write it with a decimal point, 0\.0\.$"):
        auditing.read_request(path, looks="5", metric="rmse").hidden  # noqa: B018 - reads it


def test_groups_are_asked_about_at_a_terminal_alone(label_file, monkeypatch, capsys):
    def quick(*more):
        arguments = ["audit", str(label_file), "--looks", "3", "--quick", "--no-cache", *more]
        assert main(arguments) == 0
        return capsys.readouterr().out

    questions = []

    def answers(*given):
        left = list(given)
        monkeypatch.setattr(
            "typer.confirm", lambda question, **_: questions.append(question) or left.pop(0)
        )

    answers()
    told = quick("--all")
    assert "Say --breakdown subject if it does." in told  # no terminal: a finding, no question
    monkeypatch.setattr("holdfast.cli.audit_asking.at_a_terminal", lambda: True)
    answers(True)
    assert "Metric: accuracy by subject, 8 groups." in quick()
    answers(False)
    assert "--breakdown subject" not in quick()
    asked_twice = "The column subject looks like groups. Does the board show scores per subject?"
    assert questions == [asked_twice] * 2
    answers()
    assert "Metric: accuracy by subject" in quick("--breakdown", "subject")


def test_a_column_that_is_not_there_is_refused(label_file):
    with pytest.raises(InvalidInput, match=r"breakdown must be a column of .* got 'topic'"):
        auditing.read_request(label_file, breakdown="topic", looks="5")
    with pytest.raises(InvalidInput, match="must not be the column of ids"):
        auditing.read_request(label_file, breakdown="id", id_column="id", looks="5")


def test_an_array_file_has_no_columns(tmp_path):
    path = tmp_path / "y.npy"
    np.save(path, np.arange(20) % 2)
    assert group_columns(path) == ()
    with pytest.raises(InvalidInput, match="an NPY file"):
        auditing.read_request(path, breakdown="subject", looks="5")


def test_only_scored_rows_are_audited(tmp_path):
    path = tmp_path / "truth.csv"
    rows = [f"{i},{i % 2},{'ab'[i // 2 % 2]},{'Public' if i % 3 else 'Private'}" for i in range(60)]
    path.write_text("\n".join(["id,label,subject,Usage", *rows, ""]))
    found = auditing.read_request(path, metric="f1", breakdown="subject", looks="5")
    public = [i for i in range(60) if i % 3]
    assert found.groups.tolist() == ["ab"[i // 2 % 2] for i in public]


def test_the_policy_says_what_is_shown(tmp_path, label_file):
    policy = tmp_path / "policy.toml"
    policy.write_text('release = "exact"\nlooks_per_team = 5\nmetric = "f1"\nbreakdown = "subject"')
    found = auditing.read_request(label_file, policy=policy)
    assert found.shown == "f1 by subject, 8 groups"
    other = auditing.read_request(label_file, policy=policy, metric="balanced_accuracy")
    assert other.shown == "balanced_accuracy by subject, 8 groups"


# The command and the page.


@pytest.mark.usefixtures("made_up")
def test_the_first_line_says_which_metric_is_meant(label_file, capsys):
    arguments = ["audit", str(label_file), "--metric", "f1", "--breakdown", "subject"]
    assert main([*arguments, "--looks", "5", "--processes", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Metric: f1 by subject, 8 groups. Gains are points of f1 over the best")
    assert "with subject scores" in out


@pytest.mark.usefixtures("made_up")
def test_json_has_metric_and_breakdown(label_file, capsys, tmp_path):
    page = tmp_path / "audit.html"
    arguments = ["audit", str(label_file), "--metric", "f1", "--breakdown", "subject"]
    arguments += ["--also", "accuracy", "--looks", "5", "--processes", "1", "--json"]
    assert main([*arguments, "--report", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["metric"], found["breakdown"], found["also"]) == ("f1", "subject", ["accuracy"])
    assert found["shows"] == ["total only", "with subject scores", "with accuracy"]
    assert found["reproduce"]["command"].endswith(
        "--metric f1 --breakdown subject --also accuracy --looks 5"
    )
    text = page.read_text(encoding="utf-8")
    assert "Holdfast audit, metric: f1 by subject, also accuracy, 8 groups" in text
    assert "points of f1" in text


@pytest.mark.usefixtures("made_up")
def test_a_limit_is_in_the_metrics_unit(label_file):
    arguments = ["audit", str(label_file), "--metric", "accuracy", "--breakdown", "subject"]
    arguments += ["--looks", "6", "--processes", "1", "--json"]
    assert main([*arguments, "--fail-above", "20"]) == 0
    assert main([*arguments, "--fail-above", "1"]) == 1


def test_plain_accuracy_is_the_audit_that_it_was(label_file, capsys):

    def printed(*more):
        arguments = ["audit", str(label_file), "--looks", "5", "--quick", "--no-cache", *more]
        assert main(arguments) == 0
        return capsys.readouterr().out.rpartition("Took")[0]

    assert printed("--metric", "accuracy") == printed()
