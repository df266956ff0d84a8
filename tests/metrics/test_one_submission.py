"""Boards of several columns: one submission, and what each metric reads of it."""

import numpy as np
import pytest
from sklearn import metrics as reference

from holdfast import metrics
from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.adapters.scikit_learn import GuardedHoldout
from holdfast.guard.closing import close
from holdfast.guard.files import GuardedFile
from holdfast.metrics.display import Display
from holdfast.metrics.one_submission import embedded, read_of, taker_for
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle

BOARDS = [
    ("top_k_accuracy:5", "accuracy"),
    ("accuracy", "top_k_accuracy:5"),
    ("top_k_accuracy:5", "top_k_accuracy:1"),
    ("roc_auc", "f1"),
    ("roc_auc", "log_loss"),
    ("f1", "average_precision"),
    ("f1", "roc_auc", "log_loss"),
    ("log_loss", "top_k_accuracy:2", "accuracy", "brier"),
]


def values(names, truth, submission):
    show = metrics.Several([parse_metric(name) for name in names])
    checked = show.truth(truth)
    found = show.values(checked, show.submitted(submission, checked))
    return dict(zip(show.names, map(float, found), strict=True))


def test_f1_area_precision_and_losses_are_scikit_learns_of_one_column_of_probabilities():
    rng = np.random.default_rng(0)
    for _ in range(100):
        truth = np.r_[0, 1, rng.integers(2, size=18)]
        likely = rng.integers(11, size=20) / 10  # with ties, and with halves
        names = ("f1", "accuracy", "roc_auc", "average_precision", "log_loss", "brier")
        found = values(names, truth, likely)
        labels = (likely > 0.5).astype(int)
        assert found["f1"] == pytest.approx(reference.f1_score(truth, labels, zero_division=0))
        assert found["accuracy"] == reference.accuracy_score(truth, labels)
        assert found["roc_auc"] == pytest.approx(reference.roc_auc_score(truth, likely))
        assert found["average_precision"] == pytest.approx(
            reference.average_precision_score(truth, likely)
        )
        rows = np.column_stack([1 - likely, likely])
        assert found["log_loss"] == pytest.approx(reference.log_loss(truth, rows, labels=[0, 1]))
        assert found["brier"] == pytest.approx(reference.brier_score_loss(truth, likely))


def test_labels_and_top_k_are_scikit_learns_of_one_row_of_probabilities():
    rng = np.random.default_rng(1)
    for _ in range(100):
        rows = rng.dirichlet(np.ones(6), size=30)
        truth = np.r_[np.arange(6), rng.integers(6, size=24)]
        names = ("log_loss", "accuracy", "f1_macro", "top_k_accuracy:1", "top_k_accuracy:3")
        found = values(names, truth, rows)
        labels = rows.argmax(axis=1)
        assert found["log_loss"] == pytest.approx(reference.log_loss(truth, rows))
        assert found["accuracy"] == reference.accuracy_score(truth, labels)
        assert found["f1_macro"] == pytest.approx(
            reference.f1_score(truth, labels, average="macro", zero_division=0)
        )
        for k in (1, 3):
            assert found[f"top_k_accuracy:{k}"] == pytest.approx(
                reference.top_k_accuracy_score(truth, rows, k=k)
            )


def test_equally_likely_classes_are_ranked_from_the_lowest():
    rows = np.array([[0.25, 0.25, 0.25, 0.25], [0.1, 0.4, 0.1, 0.4]])
    taker = taker_for([metrics.LogLoss(), metrics.Accuracy()])
    assert read_of(rows, taker, metrics.Accuracy()).tolist() == [0, 1]
    assert read_of(rows, taker, metrics.TopKAccuracy(3)).tolist() == [[0, 1, 2], [1, 3, 0]]


def test_of_k_labels_the_first_are_read():
    ranked = [[2, 0, 1], [1, 2, 0], [0, 1, 2]]
    found = values(("top_k_accuracy:2", "accuracy", "top_k_accuracy:3"), [2, 2, 2], ranked)
    assert found == {"top_k_accuracy:2": 2 / 3, "accuracy": 1 / 3, "top_k_accuracy:3": 1.0}


@pytest.mark.parametrize("names", BOARDS)
def test_what_a_metric_takes_is_read_of_the_richer_submission_again(names):
    rng = np.random.default_rng(2)
    n_classes = 2 if {"f1", "roc_auc"} & set(names) else 7
    shown = [parse_metric(name) for name in names]
    taker = taker_for(shown)
    for metric in shown:
        k = getattr(metric, "k", None)
        if metric.takes is metrics.Submission.SCORES:
            given = rng.normal(size=12).round(1)
        elif metric.takes is metrics.Submission.PROBABILITIES:
            given = rng.dirichlet(np.ones(n_classes), size=12)
        elif k is None:
            given = rng.integers(n_classes, size=12)
        else:
            given = np.array([rng.permutation(n_classes)[:k] for _ in range(12)])
        truth = np.r_[np.arange(n_classes), rng.integers(n_classes, size=12 - n_classes)]
        whole = taker.submitted(embedded(given, metric, taker, n_classes), truth)
        assert metric.score(truth, read_of(whole, taker, metric)) == metric.score(truth, given)


def test_numbers_and_sets_of_labels_go_with_nothing_else():
    for names in (("mse", "accuracy"), ("accuracy", "mse"), ("hamming_loss", "log_loss")):
        with pytest.raises(InvalidInput, match="same hidden truth"):
            Display.of(names[0], also=[names[1]])
    assert Display.of("mse", also=["r2"]).taker.takes is metrics.Submission.NUMBERS


def test_a_submission_that_is_too_poor_is_refused_before_anything_is_spent():
    show = metrics.Several([metrics.RocAuc(), metrics.F1()])
    oracle = MetricOracle([0, 1, 1, 0], show, n_queries=1)
    with pytest.raises(InvalidQuery, match=r"must lie in \[0, 1\]"):
        oracle.query([0.1, 3.0, 0.2, 0.4])
    assert oracle.looks_left == 1


@pytest.mark.parametrize("names", BOARDS)
def test_a_guard_releases_every_column_of_the_richest_submission(names, tmp_path):
    rng = np.random.default_rng(3)
    n_classes = 2 if {"f1", "roc_auc"} & set(names) else 6
    truth = np.r_[np.arange(n_classes), rng.integers(n_classes, size=34)]
    policy = Policy("exact", metric=names[0], also=names[1:])
    guard = Guard(truth, policy, tmp_path / "ledger.db", create=True, n_classes=n_classes)
    taker = policy.display.taker
    rows = rng.dirichlet(np.ones(n_classes), size=truth.size)
    given = rows
    if taker.takes is metrics.Submission.RANKED_LABELS:
        given = np.argsort(-rows, axis=1)[:, :5]
    receipt = guard.score(given, team="blue")
    for name in names:
        metric = parse_metric(name)
        expected = metric.score(truth, read_of(given, taker, metric))
        assert receipt.numbers[name] == pytest.approx(expected)
    assert receipt.released == receipt.numbers[names[0]]
    assert guard.score(given, team="blue").repeated


def test_a_gate_compares_the_labels_that_are_read_of_probabilities(tmp_path):
    truth = np.arange(40) % 2
    policy = Policy("exact", metric="accuracy", also=("log_loss",))
    guard = Guard(truth, policy, tmp_path / "ledger.db", create=True)
    one = np.where(truth == 1, 0.9, 0.3)
    other = np.r_[1.0 - one[:5], 0.5 * one[5:] + 0.25]  # five labels turn; all chances change
    assert guard.differing(one, other) == 5


class Sure:
    """An estimator that says its probabilities."""

    classes_ = np.array([0, 1, 2])

    def __init__(self, rows):
        self.rows = rows

    def predict_proba(self, X):
        return self.rows[: len(X)]


def test_scikit_learn_hands_in_probabilities_where_some_column_takes_them(tmp_path):
    rng = np.random.default_rng(5)
    truth, rows = np.arange(30) % 3, rng.dirichlet(np.ones(3), size=30)
    policy = Policy("exact", metric="accuracy", also=("log_loss", "recall_per_class"))
    holdout = GuardedHoldout(
        np.arange(30)[:, None], truth, policy, Ledger(tmp_path / "ledger.db", create=True)
    )
    receipt = holdout.score(Sure(rows))
    assert receipt.released == np.mean(rows.argmax(axis=1) == truth)
    assert receipt.numbers["log_loss"] == pytest.approx(reference.log_loss(truth, rows))


def test_a_closing_ranks_by_what_the_metric_reads_of_probabilities(tmp_path):
    labels, guess = tmp_path / "labels.csv", tmp_path / "guess.csv"
    rows = [f"{i},{i % 2},{'Public' if i < 6 else 'Private'}" for i in range(12)]
    labels.write_text("id,label,Usage\n" + "\n".join(rows) + "\n")
    labels.chmod(0o600)
    likely = [0.9 if i % 2 else 0.2 for i in range(11)] + [0.4]
    guess.write_text("id,p\n" + "\n".join(f"{i},{p}" for i, p in enumerate(likely)) + "\n")
    policy = Policy("exact", metric="accuracy", also=("roc_auc", "log_loss"))
    host = GuardedFile(labels, policy, tmp_path / "ledger.db", create=True)
    receipt = host.score(guess, team="blue")
    assert (receipt.released, receipt.numbers["roc_auc"]) == (1.0, 1.0)
    assert close(host).results[0].score == pytest.approx(5 / 6)
