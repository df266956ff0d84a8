import json
import re
import sys
from pathlib import Path

import pytest

from holdfast.certificates import certify_display
from holdfast.cli import main
from holdfast.errors import InvalidInput, NotSupported
from holdfast.lint import CODES, lint
from holdfast.lint.column_issues import column_issues
from holdfast.lint.metrics import KNOWN, MetricColumn, kind_of, metric_of, scored
from holdfast.lint.record import Phase
from holdfast.lint.tree import read_tree
from holdfast.metrics import Submission
from holdfast.metrics.display import Display
from holdfast.metrics.registry import parse_metric
from holdfast.planner import metric_plan
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.lint.shapes import (
    BLANK_LIMITS,
    CONF_JSON,
    DECIMAL_PRECISION,
    HIDDEN,
    MONTH_DAY_YEAR,
    PHASENUMBER,
    SHAPES,
)

SAFE = """\
version: 2
phases:
  - name: Only
    start: 2026-01-01
    end: 2026-02-01
    hide_output: true
leaderboards:
  - key: main
    columns:
      - key: accuracy
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="config.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def codes(report):
    return [issue.code for issue in report.issues]


def found(report):
    return {issue.code: issue for issue in report.issues}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_each_shape_has_its_findings_at_their_lines(shape, write, capsys):
    name, text, code, issues, phases = SHAPES[shape]
    assert main(["lint", str(write(text, name)), "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["unsafe"] is bool(code)
    assert [(each["line"], each["code"], each["severity"]) for each in told["issues"]] == issues
    keys = ("name", "looks", "looks_text", "seen_by", "metrics")
    assert [tuple(phase[key] for key in keys) for phase in told["phases"]] == phases


def test_notes_are_given_once_per_file_whatever_the_number_of_phases_and_columns(write):
    phases = "".join(f"  - {{name: P{i}, max_submissions: 5}}\n" for i in range(30))
    columns = "".join(f"      - {{key: f1_{i}}}\n" for i in range(30))
    report = lint(write(f"phases:\n{phases}leaderboards:\n  - columns:\n{columns}"))
    assert sorted(codes(report)) == [
        "display-rounding",
        "many-metrics",
        "not-accuracy",
        "visible-output",
    ]


def test_a_file_with_nothing_to_change_exits_with_0(write, capsys):
    assert main(["lint", str(write(SAFE))]) == 0
    assert "1 note" in capsys.readouterr().out


def test_a_limit_in_all_makes_a_missing_daily_limit_harmless(write):
    text = "challenge_phases:\n  - {id: 1, name: Dev, max_submissions: 50}\n"
    assert not lint(write(text)).unsafe
    assert found(lint(write(text.replace("50", "501"))))["high-limit"].line == 2
    assert found(lint(write(text.replace(", max_submissions: 50", ""))))["no-limit"].line == 2


@pytest.mark.parametrize("limit", ["0", "null", "", "~"])
def test_codabench_takes_0_null_and_blank_as_no_limit(write, limit):
    text = SAFE.replace("    hide_output", f"    max_submissions: {limit}\n    hide_output")
    # The daily default of 5 is all that is left.
    assert lint(write(text)).phases[0].looks == 5 * 31
    both = text.replace("    hide_output", f"    max_submissions_per_day: {limit}\n    hide_output")
    report = lint(write(both))
    assert report.phases[0].looks is None
    assert codes(report).count("no-limit") == 2


def test_codalab_takes_0_as_no_submission(write):
    report = lint(write(PHASENUMBER), n_examples=1000, n_classes=10)
    pause = report.exposures[2]
    assert (pause.looks, pause.bits, pause.possible, pause.allowed) == (0, 0.0, 0.0, 0.0)


def test_an_unreadable_limit_is_an_error_at_its_line(write):
    text = SAFE.replace("    hide_output", "    max_submissions: many\n    hide_output")
    assert found(lint(write(text)))["bad-limit"].line == 6
    for bad in ("-3", "2.5", "yes", "[1]", "!!bool x", "!!timestamp x", "9" * 40):
        report = lint(write(text.replace("many", bad)))
        assert found(report)["bad-limit"].severity == "error"
        assert report.phases[0].looks == 100


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-04", (2026, 3, 4)),
        ("2026-3-4", (2026, 3, 4)),
        ("2026-03-04 10:30", (2026, 3, 4)),
        ("2026-03-04T10:30:00+09:00", (2026, 3, 4)),
        ("3-4-2026", (2026, 3, 4)),
        ("03/04/2026 23:59", (2026, 3, 4)),
        ("31-12-2026", (2026, 12, 31)),
    ],
)
def test_dates_are_read_as_codabench_reads_them(write, text, day):
    value = read_tree(write(f"day: {text}\n")).get("day").day()
    assert (value.year, value.month, value.day) == day


@pytest.mark.parametrize("text", ["soon", "13-13-2026", "2026-02-30", "1-1-20261", "", "[1]"])
def test_what_is_no_date_is_none(write, text):
    assert read_tree(write(f"day: {text}\n")).get("day").day() is None


def test_phases_that_start_together_last_until_a_later_one_or_the_end(write):
    # Practice A and B start on one day, the pause 60 days later.
    practice = lint(write(PHASENUMBER)).phases[0]
    assert practice.looks_text == "2 a day for 60 days"
    alone = PHASENUMBER.split("  2:\n", maxsplit=1)[0]
    assert lint(write(alone)).phases[0].looks_text == "2 a day for 120 days"
    endless = alone.replace("    max_sub", "    phase_never_ends: True\n    max_sub", 1)
    report = lint(write(endless), days=10)
    assert report.phases[0].looks_text == "2 a day for 10 days"
    assert "undated" in codes(report)


def test_phases_in_parallel_have_the_looks_and_columns_of_their_parent(write):
    phase = "    phasenumber: {0}\n    label: P{0}\n    reference_data: labels_{0}.zip\n"
    child = phase + "    parent_phasenumber: 1\n"
    parent = "phases:\n  1:\n" + phase.format(1) + "    hidden_columns: 'f1, duration'\n"
    children = "".join(f"  {at}:\n{child.format(at)}" for at in (2, 3))
    columns = "leaderboard:\n  columns:\n    score: {rank: 1}\n    f1: {rank: 2}\n"
    report = lint(write(parent + children + columns))
    assert [(each.name, each.looks, each.metrics) for each in report.phases] == [("P1", 100, 1)]
    assert report.phases[0].labels == ("labels_1.zip", "labels_2.zip", "labels_3.zip")
    assert codes(report) == ["display-rounding"]


def test_settings_that_a_host_does_not_read_are_named(write):
    text = SAFE.replace("    hide_output", "    max_submissions_per_person: 7\n    hide_output")
    report = lint(write(text))
    assert found(report)["unknown-setting"].fix == "Call it max_submissions."
    assert report.phases[0].looks == 100
    places = DECIMAL_PRECISION.replace("decimal_precision: 2", "decimal_places: 2")
    issue = found(lint(write(places)))["unknown-setting"]
    assert issue.line == 31
    assert "leaderboard_decimal_precision" in issue.fix
    mode = PHASENUMBER.replace("mode: hide_results", "mode: hidden")
    assert {phase.seen_by for phase in lint(write(mode)).phases} == {"everyone"}


def test_scores_that_only_hosts_see_expose_nothing(write):
    report = lint(write(DECIMAL_PRECISION), n_examples=1000, n_classes=10)
    sealed = report.exposures[2]
    assert (sealed.release, sealed.bits, sealed.possible) == ("nothing", 0.0, 0.0)
    shown = DECIMAL_PRECISION.replace("visibility: 1", "visibility: 3")
    assert lint(write(shown), n_examples=1000, n_classes=10).exposures[2].possible == 0.9


def test_a_hidden_column_is_not_counted_and_the_note_says_who_still_sees_it(write):
    shown = HIDDEN.replace("    hidden: true\n", "", 1)
    report = lint(write(shown))
    assert report.phases[0].metrics == 2  # Dice and CER: a time tells nothing of the labels
    assert found(report)["own-scores"].what == "1 of 4 columns are hidden."
    assert lint(write(shown.replace("hidden: True", "index: 1"))).phases[0].metrics == 3
    assert lint(write(HIDDEN)).phases[0].metrics == 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("f1_macro", "an F-measure"),
        ("test_dice", "an overlap"),
        ("CER", "an edit distance"),
        ("Energy MSE", "an error or loss"),
        ("Duration (s)", "a time or cost"),
        ("linear_probe_balanced_accuracy", "a balanced accuracy"),
        ("top1_acc", None),
        ("Accuracy over time", None),
        ("Metric1", None),
    ],
)
def test_metrics_that_are_no_accuracy_are_known_by_name(name, kind):
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("metric", "phrase"),
    [(metric, phrase) for metric, phrases in KNOWN.items() for phrase in phrases.split(", ")],
)
def test_every_known_metric_is_no_accuracy(metric, phrase):
    column = MetricColumn((f"Mean {phrase.title()}",), 7)
    assert str(column.metric) == metric
    assert column.kind is not None
    assert not Phase("P", 1, 5, "", columns=scored([column])).accuracy
    (issue,) = column_issues([column], "")
    assert (issue.code, issue.line) == ("not-accuracy", 7)
    assert "labels that are known, in points of accuracy" in issue.why


def test_accuracies_and_top_k_accuracies_are_accuracies():
    columns = [MetricColumn((name,), 1) for name in ("Accuracy", "Top-5 acc", "top1_acc", "Total")]
    assert [column.kind for column in columns] == [None] * 4
    phase = Phase("P", 1, 5, "", columns=scored(columns))
    assert (phase.metrics, phase.accuracy) == (4, True)


@pytest.mark.parametrize("name", ["Micro F1", "f1_micro", "micro-averaged F1", "Micro Recall"])
def test_micro_averages_of_labels_are_accuracies(name):
    column = MetricColumn((name,), 1)
    assert (str(column.metric), column.kind) == ("accuracy", None)
    assert column_issues([column], "") == []


def test_every_column_of_many_is_told():
    names = [*(f"F1 of {letter}" for letter in "abcdefgh"), "law", "history", "BLEU", "Logloss"]
    columns = [MetricColumn((name,), 1) for name in names]
    many, other = column_issues(columns, "")
    assert all(name in many.why for name in names)
    assert "law, history each tell the number of matches" in many.why
    assert all(f"{name} is " in other.what for name in names if name not in ("law", "history"))
    assert "Bits and gains of BLEU are taken as those of an accuracy." in other.why


def test_metrics_of_two_classes_are_not_advised_for_more():
    columns = [MetricColumn((name,), 1) for name in ("AUC", "F1", "Macro F1")]
    two, ten = (
        next(each.fix for each in column_issues(columns, "", m) if each.code == "not-accuracy")
        for m in (2, 10)
    )
    assert two == "Audit the labels: holdfast audit LABELS --metric roc_auc or f1 or f1_macro."
    assert ten.startswith("Audit the labels: holdfast audit LABELS --metric f1_macro. roc_auc is")


def test_metrics_that_no_audit_covers_are_named_with_the_reason():
    columns = [MetricColumn((name,), 1) for name in ("AUPRC", "F1", "Hamming loss")]
    fix = next(each.fix for each in column_issues(columns, "") if each.code == "not-accuracy")
    assert fix == (
        "Audit the labels: holdfast audit LABELS --metric f1. average_precision is not covered: no "
        "attack here reads what its values tell. hamming_loss is not covered: it scores sets of "
        "labels, and a label file has one label per example."
    )
    (alone,) = column_issues(columns[:1], "")
    assert alone.fix == (
        "Read the gains as those of a board that shows an accuracy. average_precision is not "
        "covered: no attack here reads what its values tell."
    )


def test_no_bound_covers_an_unknown_metric_or_two_metrics_of_every_submission(write):
    dice = lint(write(HIDDEN), n_examples=1000, n_classes=10)
    assert dice.exposures[0].allowed is None
    two = lint(write(DECIMAL_PRECISION), n_examples=1000, n_classes=10)
    assert two.exposures[1].allowed is None


@pytest.mark.parametrize("name", ["log_loss", "f1", "roc_auc", "top_k_accuracy:2", "mae"])
def test_gains_of_a_metric_are_those_of_its_plan(write, name):
    """And bits are its own: a log-loss told the looks of an accuracy before."""
    metric = parse_metric(name)
    m = 4 if metric.takes is Submission.RANKED_LABELS else 2
    title = name.replace("top_k_accuracy:", "top")
    text = (
        "phases:\n  - {name: P, max_submissions: 100, max_submissions_per_day: 5, "
        "end: 2026-12-01}\n"
        f"leaderboards:\n  - columns:\n      - {{title: {title}}}\n"
    )
    rule = parse_rule("exact")
    (shown,) = lint(write(text), n_examples=10_000, n_classes=m).exposures
    plan = metric_plan(metric, rule, Problem(10_000, m, shown.looks))
    assert shown.possible == pytest.approx(plan.gain / 10_000, abs=1e-4)
    if metric.takes is Submission.NUMBERS:
        assert shown.allowed is None
    else:
        certificate = certify_display(Problem(10_000, m, shown.looks), rule, Display(metric))
        assert shown.bits_per_look == pytest.approx(certificate.bits_per_look, abs=0.01)
        assert shown.allowed == pytest.approx(certificate.gain, abs=1e-4)


def test_looks_at_the_same_labels_add_up(write):
    issue = found(lint(write(MONTH_DAY_YEAR)))["same-labels"]
    assert "690 looks" in issue.why
    few = MONTH_DAY_YEAR.replace("max_submissions: 0", "max_submissions: 50")
    assert found(lint(write(few)))["same-labels"].severity == "note"
    other = MONTH_DAY_YEAR.replace("tasks: [0]", "tasks: [1]", 1)
    assert "same-labels" not in codes(lint(write(other)))
    remote = DECIMAL_PRECISION.replace("test.json", "dev.json")
    assert "same-labels" in codes(lint(write(remote)))
    assert "same-labels" not in codes(lint(write("remote_evaluation: True\n" + remote)))


def test_exposure_is_looks_times_bits_and_gains_lie_under_the_bound(write):
    report = lint(write(SAFE), n_examples=1000, n_classes=10)
    few = report.exposures[0]
    assert few.bits == pytest.approx(100 * few.bits_per_look, abs=1.0)
    assert 0.0 < few.possible <= few.allowed < 0.9
    many = lint(write(BLANK_LIMITS), n_examples=1000, n_classes=10).exposures[0]
    # Without a limit every label of 1,000 examples is told one by one.
    assert many.possible == pytest.approx(0.9)
    assert many.bits == pytest.approx(1000 * 3.3219, abs=1.0)


def test_what_the_scoring_program_releases_replaces_the_note_and_lowers_the_gains(write):
    path = write(SAFE)
    exact = lint(path, n_examples=10_000, n_classes=10)
    rounded = lint(path, n_examples=10_000, n_classes=10, release="round:1")
    assert codes(exact) == ["display-rounding"]
    assert codes(rounded) == []
    assert rounded.phases[0].release == "round:1"
    assert rounded.exposures[0].possible < exact.exposures[0].possible
    assert rounded.exposures[0].possible <= rounded.exposures[0].allowed
    # No formula covers answers that depend on earlier looks; the bound does.
    ladder = lint(path, n_examples=10_000, n_classes=10, release="ladder:0.01").exposures[0]
    assert ladder.possible is None
    assert 0.0 < ladder.allowed < exact.exposures[0].allowed
    with pytest.raises(InvalidInput, match="gnome"):
        lint(path, release="gnome:2")


def test_findings_of_ignored_codes_are_left_out_and_counted(write, capsys):
    path = write(SAFE.replace("hide_output: true", "hide_output: false"))
    assert main(["lint", str(path)]) == 1
    arguments = ["--ignore", "visible-output", "--ignore", "display-rounding", "--json"]
    capsys.readouterr()
    assert main(["lint", str(path), *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["issues"], told["ignored"]) == ([], 2)
    with pytest.raises(InvalidInput, match=r"ignore must be one of bad-limit, .* got 'visible'"):
        lint(path, ignore=["visible"])


def test_every_code_that_is_found_can_be_ignored_and_stands_on_the_page():
    seen = {code for *_, issues, _ in SHAPES.values() for _, code, _ in issues}
    assert seen < set(CODES)
    page = Path(__file__).parents[2] / "docs" / "reference" / "findings.md"
    table = page.read_text(encoding="utf-8").partition("## Lint")[2]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == set(CODES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold settings"),
        ("- 1\n- 2\n", "must hold settings"),
        ("a: [1\n", "must be YAML"),
        ("a: b: c\n", "must be YAML, got at line 1"),
        ("title: x\n", "must be a configuration of EvalAI"),
        ("a: \0\n", "got a NUL byte"),
    ],
)
def test_bad_files_are_refused_in_one_line(write, text, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        lint(write(text))
    assert "\n" not in str(caught.value)


def test_json_must_be_json(write, tmp_path):
    with pytest.raises(InvalidInput, match="must be JSON"):
        lint(write("{'SUBMISSION_LIMIT': 5}", "conf.json"))
    with pytest.raises(InvalidInput, match="must be a file, got a directory"):
        lint(tmp_path)
    tabs = CONF_JSON.replace("  ", "\t")
    assert codes(lint(write(tabs, "conf.json"))) == codes(lint(write(CONF_JSON, "conf.json")))


def test_a_tree_knows_its_lines(write):
    tree = read_tree(write("a:\n  b: 3\n  c: '4'\n"))
    assert tree.get("a").get("b").line == 2
    assert [tree.get("a").get(key).number() for key in "bc"] == [3, 4]
    assert tree.get("z") is None


def test_merged_settings_count_and_may_go_round_in_circles(write):
    merged = "base: &base\n  max_submissions: 7\nphases:\n  - {<<: *base, name: A}\n"
    assert lint(write(merged)).phases[0].looks == 7
    own = "base: &base\n  max_submissions: 7\nphases:\n  - {<<: *base, max_submissions: 9}\n"
    assert lint(write(own)).phases[0].looks == 9
    assert lint(write("phases:\n  - &a {<<: *a, max_submissions: 3}\n")).phases[0].looks == 3


def test_without_pyyaml_the_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(NotSupported, match=r"pip install 'holdfast\[cli\]'"):
        lint(write(SAFE))


def test_the_command_prints_lines_and_exits_with_1(write, capsys):
    path = write(BLANK_LIMITS)
    code = main(["lint", str(path), "--n-examples", "1000", "--n-classes", "10"])
    printed = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "config.yaml:15: error max_submissions_per_day is 0" in printed
    assert "2 errors, 1 warning, 1 note" in printed
    assert "forecast, points" in printed
    assert re.search(r"no limit │ no limit │ everyone │ 3,322 │ 90\.0 │ 90\.0", printed)
    assert main(["lint", str(write("title: x\n"))]) == 2


def test_the_help_shows_two_examples(capsys):
    assert main(["lint", "--help"]) == 0
    assert capsys.readouterr().out.count("holdfast lint c") == 2


def test_recalls_of_classes_say_who_reads_them_and_how_to_price_them():
    columns = [MetricColumn((name,), 1) for name in ("Accuracy", "Recall cat", "Sensitivity (dog)")]
    told = {each.code: each for each in column_issues(columns, "")}
    assert told["many-metrics"].why.endswith(
        "Recall cat, Sensitivity (dog) each tell how many examples of a class are right, and "
        "class-pools reads the recalls of all classes together."
    )
    assert told["not-accuracy"].fix == (
        "Audit the labels: holdfast audit LABELS --also recall_per_class."
    )
    averaged = [MetricColumn((name,), 1) for name in ("Accuracy", "Macro recall")]
    told = {each.code: each for each in column_issues(averaged, "")}
    assert "class-pools" not in told["many-metrics"].why


def test_each_column_says_what_it_adds(write):
    columns = "".join(f"      - {{title: {each}}}\n" for each in ("Macro F1", "AUC", "law", "BLEU"))
    report = lint(write(f"phases:\n  - {{name: P}}\nleaderboards:\n  - columns:\n{columns}"))
    told = found(report)
    assert told["many-metrics"].why == (
        "Every metric of the same labels is one more answer to the same look: Macro F1 (f1_macro) "
        "tells a sum of the classes' matches, each over a denominator of its own; AUC (roc_auc) "
        "tells the rank sum of the positives, where their number is public; law tells the number "
        "of matches, of all examples or of a group; BLEU is a text score that no attack here reads."
    )
    assert told["not-accuracy"].fix == (
        "Audit the labels: holdfast audit LABELS --metric f1_macro or roc_auc."
    )


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("accuracy_score", "accuracy"),
        ("top5_acc", "top_k_accuracy:5"),
        ("desktop 3 accuracy", "accuracy"),
        ("top1", None),
        ("bal_acc", "balanced_accuracy"),
        ("weighted F1", "f1_weighted"),
        ("ROC AUC", "roc_auc"),
        ("log_loss", "log_loss"),
        ("root_mean_squared_error", "rmse"),
        ("mean_squared_error", "mse"),
        ("MCC", "matthews_corrcoef"),
        ("mIoU", "jaccard_macro"),
        ("Total", None),
    ],
)
def test_metrics_are_known_by_the_names_of_columns(name, metric):
    found = metric_of(name)
    assert (None if found is None else str(found)) == metric


def test_a_phase_that_ends_before_it_starts_and_columns_of_the_template_are_found(tmp_path):
    """As a real file had it: day first, which Codabench reads as the month."""
    file = tmp_path / "competition.yaml"
    columns = ", ".join(
        f"{{title: {name}, key: {name}}}" for name in ("Metric1", "Metric2", "Total")
    )
    file.write_text(
        "phases:\n"
        "- {index: 0, name: a, start: 10-07-2025, end: 03-09-2025, max_submissions: 5,\n"
        "   max_submissions_per_day: 1, hide_output: true}\n"
        f"leaderboards:\n- {{title: r, columns: [{columns}]}}\n"
    )
    found = {issue.code: issue for issue in lint(file).issues}
    assert (found["ends-before-start"].severity, found["ends-before-start"].line) == ("error", 2)
    assert "starts on 2025-10-07 and ends on 2025-03-09" in found["ends-before-start"].what
    assert found["template-names"].severity == "note"
    assert "many-metrics" not in found
    file.write_text(file.read_text().replace("10-07", "03-07"))
    assert "ends-before-start" not in {issue.code for issue in lint(file).issues}
