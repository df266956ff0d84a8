"""Every metric against scikit-learn on random cases: a thousand each in all tests."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.metrics as theirs

from holdfast import metrics
from holdfast.metrics.registry import metric_classes, parse_metric

CASES, FEW_CASES = 1000, 40
# Exact quotients and sums in another order differ by a few roundings of a float.
TOLERANCE = 1e-12


def labels(rng, classes=None):
    """Truth and submission: any number of classes, some absent from one or both."""
    n, m = int(rng.integers(1, 40)), classes or int(rng.integers(2, 7))
    return rng.integers(m, size=n), rng.integers(m, size=n)


def two_classes(rng):
    return labels(rng, 2)


def ranked(rng):
    n, m, k = int(rng.integers(1, 30)), int(rng.integers(3, 7)), 2
    rows = np.array([rng.permutation(m)[:k] for _ in range(n)])
    return rng.integers(m, size=n), rows


def sets(rng):
    shape = int(rng.integers(1, 20)), int(rng.integers(2, 5))
    return rng.integers(2, size=shape), rng.integers(2, size=shape)


def scores(rng):
    n = int(rng.integers(2, 40))
    truth = np.r_[0, 1, rng.integers(2, size=n)]
    return truth, rng.integers(6, size=truth.size) / 5  # with ties


def probabilities(rng):
    n, m = int(rng.integers(1, 30)), int(rng.integers(2, 6))
    rows = rng.dirichlet(np.full(m, 0.3), size=n)
    rows[0] = np.eye(m)[0]  # zeros and ones, which are clipped
    return rng.integers(m, size=n), rows


def numbers(rng):
    n = int(rng.integers(2, 40))
    return rng.normal(size=n) * 10, rng.normal(size=n) * 10


def top_two(truth, rows):
    m = max(truth.max(), rows.max()) + 1
    given = np.zeros((truth.size, m))
    np.put_along_axis(given, rows, 1.0, axis=1)
    if m == 2:
        return 1.0
    return theirs.top_k_accuracy_score(truth, given, k=2, labels=np.arange(m))


def log_loss(truth, rows):
    return theirs.log_loss(truth, rows, labels=np.arange(rows.shape[1]))


def brier(truth, rows):
    if rows.shape[1] == 2:
        return theirs.brier_score_loss(truth, rows[:, 1], pos_label=1)
    if "labels" in inspect.signature(theirs.brier_score_loss).parameters:
        return theirs.brier_score_loss(truth, rows, labels=np.arange(rows.shape[1]))
    # Before 1.7 scikit-learn has it of two classes alone.
    return np.mean(np.sum((rows - np.eye(rows.shape[1])[truth]) ** 2, axis=1))


def kappa(truth, given):
    value = theirs.cohen_kappa_score(truth, given)
    return 0.0 if np.isnan(value) else value


def averaged(function, average):
    return lambda truth, given: function(truth, given, average=average, zero_division=0)


REFERENCES = {
    "accuracy": (labels, theirs.accuracy_score),
    "top_k_accuracy:2": (ranked, top_two),
    "balanced_accuracy": (labels, theirs.balanced_accuracy_score),
    "f1": (two_classes, lambda t, s: theirs.f1_score(t, s, zero_division=0)),
    "f1_macro": (labels, averaged(theirs.f1_score, "macro")),
    "f1_weighted": (labels, averaged(theirs.f1_score, "weighted")),
    "precision_macro": (labels, averaged(theirs.precision_score, "macro")),
    "recall_macro": (labels, averaged(theirs.recall_score, "macro")),
    "jaccard_macro": (labels, averaged(theirs.jaccard_score, "macro")),
    "matthews_corrcoef": (labels, theirs.matthews_corrcoef),
    "cohen_kappa": (labels, kappa),
    "hamming_loss": (sets, theirs.hamming_loss),
    "exact_match": (sets, theirs.accuracy_score),
    "roc_auc": (scores, theirs.roc_auc_score),
    "average_precision": (scores, theirs.average_precision_score),
    "log_loss": (probabilities, log_loss),
    "brier": (probabilities, brier),
    "mse": (numbers, theirs.mean_squared_error),
    "rmse": (numbers, theirs.root_mean_squared_error),
    "mae": (numbers, theirs.mean_absolute_error),
    "r2": (numbers, theirs.r2_score),
}


def test_every_metric_has_a_reference():
    assert {name.partition(":")[0] for name in REFERENCES} == {m.name for m in metric_classes()}


@pytest.mark.parametrize("name", REFERENCES)
def test_value_equals_scikit_learns_on_a_few_cases(name):
    compare(name, FEW_CASES, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("name", REFERENCES)
def test_value_equals_scikit_learns(name):
    compare(name, CASES, seed=20261117)


def compare(name, cases, seed):
    draw, reference = REFERENCES[name]
    metric, rng = parse_metric(name), np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(cases):
            truth, given = draw(rng)
            assert metric.score(truth, given) == pytest.approx(
                reference(truth, given), abs=TOLERANCE, rel=TOLERANCE
            )


@pytest.mark.parametrize("name", REFERENCES)
def test_values_lie_in_the_stated_range_and_the_truth_is_the_best(name):
    draw, _ = REFERENCES[name]
    metric, rng = parse_metric(name), np.random.default_rng(3)
    for _ in range(100):
        truth, given = draw(rng)
        assert metric.low <= metric.score(truth, given) <= metric.high
    if metric.takes in (metrics.Submission.LABELS, metrics.Submission.NUMBERS):
        truth = np.array([0, 1, 1, 0])
        best = metric.high if metric.higher_is_better else metric.low
        assert metric.score(truth, truth) == best
