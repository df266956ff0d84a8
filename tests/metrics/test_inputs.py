"""Bad truth and bad submissions: a clear error, or the documented value."""

import math

import numpy as np
import pytest

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.metrics.registry import parse_metric

LABEL_METRICS = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "f1_macro",
    "f1_weighted",
    "precision_macro",
    "recall_macro",
    "jaccard_macro",
    "matthews_corrcoef",
    "cohen_kappa",
]


@pytest.mark.parametrize("name", LABEL_METRICS)
@pytest.mark.parametrize(
    "submission",
    [[], [0, 1, 0], [0, 1, 0, -1], [0, 1, 0, 0.5], [0, 1, 0, math.nan], [[0, 1], [0, 1]], "abcd"],
)
def test_labels_that_are_none_are_refused(name, submission):
    with pytest.raises(InvalidInput, match="submission"):
        parse_metric(name).score([0, 1, 1, 0], submission)


@pytest.mark.parametrize("name", LABEL_METRICS)
def test_constant_truth_and_submission_have_a_documented_value(name):
    value = parse_metric(name).score([0, 0, 0], [0, 0, 0])
    assert value == (0.0 if name in ("f1", "matthews_corrcoef", "cohen_kappa") else 1.0)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_rankings_need_both_classes_and_finite_scores(name):
    metric = parse_metric(name)
    with pytest.raises(InvalidInput, match="both classes"):
        metric.score([1, 1], [0.1, 0.2])
    for scores in ([0.1], [0.1, math.nan], [0.1, math.inf], ["a", "b"]):
        with pytest.raises(InvalidQuery, match="submission"):
            metric.score([0, 1], scores)


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_probabilities_are_probabilities(name):
    metric = parse_metric(name)
    for rows, words in (
        ([0.5, 1.5], "lie in"),
        ([-0.1, 0.5], "lie in"),
        ([[0.5, 0.4], [0.5, 0.5]], "sum to 1"),
        ([[1.0], [1.0]], "at least 2"),
        ([0.5, math.nan], "finite"),
        ([0.5], "shape"),
    ):
        with pytest.raises(InvalidQuery, match=words):
            metric.score([0, 1], rows)


def test_a_clipped_log_loss_is_finite():
    assert parse_metric("log_loss").score([0, 1], [1.0, 0.0]) == pytest.approx(36.04, abs=0.01)


def test_ranked_labels_differ():
    with pytest.raises(InvalidQuery, match="different"):
        parse_metric("top_k_accuracy:2").score([0, 1], [[0, 0], [1, 0]])


def test_label_sets_have_zeros_and_ones_of_one_shape():
    metric = parse_metric("exact_match")
    for sets in ([[0, 2], [0, 1]], [[0, 1]], [0, 1], [[0, 1], [0]]):
        with pytest.raises(InvalidQuery, match="submission"):
            metric.score([[0, 1], [1, 1]], sets)


def test_targets_of_r2_differ():
    with pytest.raises(InvalidInput, match="equal"):
        parse_metric("r2").score([1.0, 1.0], [1.0, 2.0])


@pytest.mark.parametrize("text", ["top_k_accuracy", "top_k_accuracy:x", "top_k_accuracy:0", "f1:3"])
def test_a_setting_belongs_to_top_k_accuracy_alone(text):
    with pytest.raises(InvalidInput):
        parse_metric(text)


def test_exact_metrics_are_quotients_of_integers():
    truth, given = np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2])
    for name in ("accuracy", "balanced_accuracy", "f1_macro", "cohen_kappa"):
        metric = parse_metric(name)
        value = metric.value(metric.truth(truth), given)
        assert metric.exact
        assert value.denominator > 0
