"""Label files of owners' shapes: each metric has a value or one clear line before any play."""

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.units import unit_for
from holdfast.cli import main
from holdfast.errors import NotSupported

N = 60
RNG = np.random.default_rng(3)
IDS = RNG.permutation(500)[:N]
Y = (RNG.random(N) < 0.3).astype(int)
GROUPS = np.array(list("abc"))[np.arange(N) % 3]


@pytest.fixture(autouse=True)
def nothing_is_played(monkeypatch):
    """Let any play fail: what is refused must be refused before."""

    def played(*_):
        raise AssertionError("something was played")

    monkeypatch.setattr("holdfast.audit.metrics.scenarios.play_metric_job", played)


@pytest.fixture
def written(tmp_path):
    """Return what writes a CSV file of labels and further columns."""

    def write(labels, header="id,label", **columns):
        path = tmp_path / "truth.csv"
        rows = zip(IDS, labels, *columns.values(), strict=True)
        lines = [",".join(map(str, row)) for row in rows]
        path.write_text("\n".join([",".join([header, *columns]), *lines, ""]))
        return path

    return write


def codes(path, metric, **options):
    request = auditing.read_request(path, metric=metric, looks="3", **options)
    return {each.code: each for each in metric_findings(request, unit_for(request), 1.0)}


REFUSED = {
    "strings for numbers": (np.array(["ham", "spam"])[Y], "mse", "labels must be numbers for mse"),
    "three classes for f1": (np.arange(N) % 3, "f1", "f1 is not covered: it is of one class"),
    "three classes for an area": (np.arange(N) % 3, "roc_auc", "roc_auc is not covered: an area"),
    "sets for one label": (Y, "hamming_loss", "hamming_loss is not covered: it scores sets"),
    "nothing reads it": (Y, "average_precision", "average_precision is not covered: no attack"),
    "too few classes": (Y, "top_k_accuracy:5", "top_k_accuracy:5 is not covered: who names 5 of 2"),
    "real targets": (
        np.arange(N) / 7,
        "mae",
        "must hold targets of at most 6 decimals, got '0.14285714285714285'; round them to what "
        "matters",
    ),
    "scores for labels": (np.arange(N) / 7, "roc_auc", "must hold class names or whole numbers"),
    "NaN": (["nan", *Y[1:]], "log_loss", "must have a label for every example, got NaN at line 2"),
    "one class": (np.zeros(N, dtype=int), "f1", "must hold at least 2 classes, got 1"),
    "no such metric": (Y, "F1", "metric must be one of accuracy, average_precision"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_in_one_line(written, refused, case):
    labels, metric, message = REFUSED[case]
    assert message in refused("audit", written(labels), "--metric", metric, "--looks", "3")


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        (
            "subject",
            ["", *GROUPS[1:]],
            "must name a group for every example in 'subject', got a blank",
        ),
        ("Usage", ["Public", "Private"] * (N // 2), "breakdown must not be the column of parts"),
        ("label", None, "breakdown must not be the column of labels, got 'label'"),
        ("id", None, "breakdown must not be the column of ids, got 'id'"),
        ("topic", None, "breakdown must be a column of "),
    ],
)
def test_columns_that_are_no_groups_are_refused(written, refused, column, values, message):
    path = written(Y, **({"subject": GROUPS} if values is None else {column: values}))
    arguments = ["audit", path, "--metric", "f1", "--breakdown", column, "--looks", "3"]
    assert message in refused(*arguments)


def test_a_group_of_one_has_a_value_or_is_refused_by_name(written, refused):
    groups = ["x", *["y"] * (N - 1)]
    path = written(Y, subject=groups)
    for metric in ("f1", "accuracy", "matthews_corrcoef", "log_loss", "mse"):
        found = auditing.read_request(path, metric=metric, breakdown="subject", looks="3")
        assert found.shown == f"{metric} by subject, 2 groups"
    told = refused("audit", path, "--metric", "roc_auc", "--breakdown", "subject", "--looks", "3")
    assert told == "group x: labels must have both classes for roc_auc."
    assert codes(path, "f1", breakdown="subject")["breakdown"].severity == "warning"


def test_one_group_is_one(written):
    path = written(Y, subject=["all"] * N)
    found = auditing.read_request(path, metric="f1", breakdown="subject", looks="3")
    assert found.shown == "f1 by subject, 1 group"


def test_an_absent_class_is_found_and_no_sign_of_safety(written, refused):
    # All public rows are of class 0; the private ones have both.
    path = written([0, 1] * (N // 2), Usage=["Public", "Private"] * (N // 2))
    found = codes(path, "f1")
    assert {"absent-classes", "one-class"} <= set(found)
    assert "no sign of safety" in found["one-class"].why
    told = refused("audit", path, "--metric", "roc_auc", "--looks", "3")
    assert told == "labels must have both classes for roc_auc."


def test_the_positive_class_of_names_is_told(written):
    found = codes(written(np.array(["spam", "ham"])[Y]), "f1")["positive-class"]
    assert found.what == "spam is taken for the positive class, and ham for the other."
    assert "positive-class" not in codes(written(Y), "f1")
    assert "positive-class" not in codes(written(np.array(["spam", "ham"])[Y]), "f1_macro")


@pytest.mark.parametrize(
    ("metric", "labels", "constant", "gap"),
    [
        ("r2", np.arange(N), 0.0, 0.01),  # a hundredth of what lies between it and the best
        ("mse", np.arange(N) - 30, 300.0, 5.0),  # variance (60^2 - 1)/12
        ("mae", np.arange(N) - 30, 15.0, 0.2),  # the mean of |x| for 30 and 30 on both sides
    ],
)
def test_negative_targets_and_scores_without_a_limit_have_units(
    written, metric, labels, constant, gap
):
    unit = unit_for(auditing.read_request(written(labels), metric=metric, looks="3"))
    assert unit.constant == pytest.approx(constant, abs=unit.rounding_unit / 2)
    assert unit.gap == gap


@pytest.mark.parametrize("rule", ["ladder", "improved", "rank", "batch:5", "split:2", "fresh:0.1"])
def test_rules_of_accuracies_are_refused_for_others(written, refused, rule):
    told = refused("audit", written(Y), "--metric", "f1", "--rule", rule, "--looks", "3")
    on = "metrics that call each example right or wrong" if rule == "ladder" else "accuracies alone"
    assert told.startswith(f"{rule} works on {on}")


def test_a_history_of_another_metric_is_refused(written, refused, tmp_path):
    history = tmp_path / "history.csv"
    history.write_text("team,score\nred,0.5\nblue,0.6\n")
    told = refused("audit", written(Y), "--metric", "f1", "--history", history)
    assert told.startswith("history must be left out for f1: how far chance moves a score")


def test_targets_too_wide_for_floats_say_so_after_one_try(written, monkeypatch, capsys):
    monkeypatch.undo()
    wide = written(RNG.integers(10**15, size=N))
    arguments = ["audit", str(wide), "--metric", "mse", "--looks", "3", "--processes", "1"]
    assert main([*arguments, "--no-cache"]) == 2
    told = capsys.readouterr().err
    assert "error: no attack plays mse under the rule exact: " in told
    assert "rule round" not in told  # other rules were not tried


def test_a_metric_that_is_not_covered_is_no_exception_of_another_kind(written):
    with pytest.raises(NotSupported):
        auditing.read_request(written(Y), metric="average_precision", looks="3")
