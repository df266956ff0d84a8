"""`holdfast plan --also`: what each column of a board is worth."""

import pytest

SIZES = ("--n-examples", 2000, "--n-classes", 2, "--looks", 50)
TEN = ("--n-examples", 2000, "--n-classes", 10, "--looks", 50)


def test_every_column_has_a_row_and_the_best_is_named(holdfast):
    found = holdfast("plan", *SIZES, "--metric", "f1", "--also", "log_loss", "--json").json
    rows = {each["show"]: each for each in found["shows"]}
    assert list(rows) == ["total only", "with log_loss"]
    assert rows["with log_loss"]["gain"] > rows["total only"]["gain"]
    assert (found["also"], found["best"]) == (["log_loss"], "with log_loss")
    alone = holdfast("plan", *SIZES, "--metric", "log_loss", "--json").json["shows"][0]
    assert {**rows["with log_loss"], "show": "total only"} == alone


def test_the_columns_are_named_in_the_first_line_and_the_best_in_the_last(holdfast):
    out = holdfast("plan", *SIZES, "--metric", "f1", "--also", "roc_auc").out
    assert out.startswith("Metric: f1, also roc_auc.")
    assert "at least: with roc_auc." in " ".join(out.split())


def test_hits_of_k_labels_are_not_taken_for_right_labels(holdfast):
    found = holdfast("plan", *TEN, "--also", "top_k_accuracy:5", "--json").json
    one, five = found["shows"]
    assert five["gain"] > one["gain"] > five["gain"] / 5
    assert found["best"] == "total only"


def test_a_column_without_a_forecast_has_the_reason(holdfast):
    found = holdfast("plan", *TEN, "--also", "recall_per_class", "--json").json
    assert found["shows"][1]["gain"] is None
    assert "Audit the labels" in found["shows"][1]["reason"]
    assert found["best"] == "total only"


def test_groups_and_columns_stand_side_by_side(holdfast):
    options = ("--breakdown", "10x200", "--also", "cohen_kappa")
    found = holdfast("plan", *SIZES, *options, "--json").json
    assert [each["show"] for each in found["shows"]] == [
        "total only",
        "with groups",
        "with cohen_kappa",
    ]
    assert found["best"] == "with groups"


@pytest.mark.parametrize(
    ("sizes", "options", "message"),
    [
        (TEN, ("--metric", "f1"), "f1 is not covered: it is of one class against the other"),
        (SIZES, ("--also", "average_precision"), "average_precision is not covered"),
        (SIZES, ("--also", "mse"), "same hidden truth"),
        (SIZES, ("--metric", "f1", "--also", "f1"), "f1 twice"),
        (SIZES, ("--also", "log_loss", "--rule", "ladder:0.01"), "between two limits"),
        (SIZES, ("--also", "f1", "--prior-accuracy", 0.7), "prior_accuracy must be left out"),
    ],
)
def test_what_the_audit_refuses_the_plan_refuses_with_the_same_reason(
    holdfast, sizes, options, message
):
    outcome = holdfast("plan", *sizes, *options)
    assert outcome.code == 2
    assert message in " ".join(outcome.err.split())
