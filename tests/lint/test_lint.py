import pytest

from holdfast.cli import main
from holdfast.errors import InvalidInput
from holdfast.lint import lint
from holdfast.lint.tree import read_tree

EVALAI = """\
title: Animals
leaderboard:
  - id: 1
    schema: {"labels": ["accuracy", "recall"], "default_order_by": "accuracy"}
challenge_phases:
  - id: 1
    name: Dev phase
    start_date: 2026-01-01 00:00:00
    end_date: 2026-01-31 00:00:00
    max_submissions_per_day: 5
    max_submissions: 50
  - id: 2
    name: Test phase
    is_submission_public: True
    start_date: 2026-01-01 00:00:00
    end_date: 2026-01-11 00:00:00
challenge_phase_splits:
  - challenge_phase_id: 1
    leaderboard_id: 1
    visibility: 3
    leaderboard_decimal_places: 2
"""

CODABENCH = """\
title: Animals
phases:
  - name: Development
    start: 2026-01-01
    end: 2026-03-01
    max_submissions_per_day: 200
    max_submissions: 20000
  - name: Final
    start: 2026-03-02
    hide_output: true
leaderboards:
  - title: Results
    columns:
      - key: accuracy
        precision: 3
      - key: recall
        hidden: true
"""

CODALAB = """\
phases:
  1:
    phasenumber: 1
    label: First
    start_date: 2026-01-01
"""

HUGGING_FACE = """\
{
\t"COMPETITION_TYPE": "generic",
\t"SUBMISSION_LIMIT": 100,
\t"SELECTION_LIMIT": 0,
\t"EVAL_METRIC": "accuracy_score"
}
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="config.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def found(report):
    return {(issue.line, issue.code) for issue in report.issues}


def test_evalai_defaults_of_100_000_submissions_count(write):
    report = lint(write(EVALAI))
    assert report.host == "EvalAI"
    assert found(report) == {
        (2, "many-metrics"),
        (12, "default-max-submissions"),
        (12, "default-max-submissions-per-day"),
        (14, "public-submissions"),
        (20, "visible-scores"),
        (21, "display-rounding"),
    }
    assert [phase.looks for phase in report.phases] == [50, 100_000]
    assert report.unsafe


def test_codabench_limits_output_and_rounding_on_display(write):
    report = lint(write(CODABENCH), days=30)
    assert found(report) == {
        (3, "visible-output"),
        (6, "high-max-submissions-per-day"),
        (7, "high-max-submissions"),
        (15, "display-rounding"),
    }
    # 200 a day for 59 days is less than 20,000; Codabench's own limits are 5 a day, 100 in all.
    assert [phase.looks for phase in report.phases] == [200 * 59, 100]


def test_codalab_has_another_default(write):
    report = lint(write(CODALAB))
    assert "default-max-submissions-per-day" in {issue.code for issue in report.issues}
    assert report.phases[0].looks == 100


def test_hugging_face_limits_selection_and_end(write):
    report = lint(write(HUGGING_FACE, "conf.json"), days=10)
    assert found(report) == {
        (1, "no-end"),
        (3, "high-SUBMISSION-LIMIT"),
        (4, "selection"),
        (5, "whole-metric"),
    }
    assert report.phases[0].looks == 1000


def test_exposure_is_looks_times_bits_and_gains_lie_under_the_bound(write):
    one_metric = EVALAI.replace('["accuracy", "recall"]', '["accuracy"]')
    report = lint(write(one_metric), n_examples=1000, n_classes=10)
    few, many = report.exposures
    assert few.bits == pytest.approx(50 * few.bits_per_look, abs=1.0)
    assert 0.0 < few.possible <= few.allowed < 90.0
    # 100,000 exact looks tell every label of 1,000 examples one by one.
    assert many.possible == pytest.approx(90.0)
    assert many.bits == pytest.approx(1000 * 3.3219, abs=1.0)


def test_no_bound_covers_two_metrics_of_every_submission(write):
    report = lint(write(EVALAI), n_examples=1000, n_classes=10)
    assert {each.allowed for each in report.exposures} == {None}


def test_a_safe_configuration_has_notes_at_most(write):
    text = EVALAI.replace('["accuracy", "recall"]', '["accuracy"]').split("  - id: 2")[0]
    report = lint(write(text))
    assert report.issues == ()
    assert not report.unsafe


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


def test_a_tree_knows_its_lines(write):
    tree = read_tree(write("a:\n  b: 3\n  c: '4'\n"))
    assert tree.get("a").get("b").line == 2
    assert [tree.get("a").get(key).number() for key in "bc"] == [3, 4]
    assert tree.get("z") is None


def test_the_command_prints_lines_and_exits_with_1(write, capsys):
    code = main(["lint", str(write(EVALAI)), "--n-examples", "1000", "--n-classes", "10"])
    printed = capsys.readouterr().out
    assert code == 1
    assert "config.yaml:12: error max_submissions_per_day" in " ".join(printed.split())
    assert main(["lint", str(write("title: x\n"))]) == 2
