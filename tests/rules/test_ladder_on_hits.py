"""The parameter-free Ladder on metrics that call each example right or wrong."""

import json

import numpy as np
import pytest

from holdfast import metrics
from holdfast.errors import NotSupported
from holdfast.guard import Guard, Policy
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem
from holdfast.protocols import Evaluation
from holdfast.rules import ParameterFreeLadder, check_metric
from holdfast.rules.base import Reading

TRUTH = np.arange(12) % 4


def named(hits):
    """Return two labels per example, one of them right for the first so many examples."""
    right = np.arange(12) < hits
    first = np.where(right, TRUTH, (TRUTH + 1) % 4)
    return np.column_stack([(TRUTH + 2) % 4, first])


def told(show, submissions, hidden):
    board = MetricOracle(hidden, show, n_queries=9, mechanism=ParameterFreeLadder(), n_classes=4)
    return [board.query(each) for each in submissions]


def test_a_transcript_of_top_two_accuracies_by_hand():
    # One hit more is within a standard error of the difference, two are beyond it: 4 > 2.
    asked = [named(hits) for hits in (3, 4, 5, 2, 12)]
    assert told(metrics.TopKAccuracy(2), asked, TRUTH) == [3 / 12, 3 / 12, 5 / 12, 5 / 12, 1.0]


def test_the_order_of_the_named_labels_does_not_matter():
    asked = [named(hits)[:, ::-1] for hits in (3, 4, 5)]
    assert told(metrics.TopKAccuracy(2), asked, TRUTH) == [3 / 12, 3 / 12, 5 / 12]


def test_a_transcript_of_exact_matches_is_that_of_accuracies():
    rng = np.random.default_rng(0)
    hidden = rng.integers(2, size=(30, 2))
    sets = [rng.integers(2, size=(30, 2)) for _ in range(8)]
    as_classes = [each @ [2, 1] for each in (hidden, *sets)]
    assert told(metrics.ExactMatch(), sets, hidden) == told(
        metrics.Accuracy(), as_classes[1:], as_classes[0]
    )


def test_columns_of_different_submissions_climb_each_by_itself():
    show = metrics.Several([metrics.Accuracy(), metrics.TopKAccuracy(2)])
    first = named(6)[:, ::-1]  # the right label first
    second = named(9)  # the right label second: more hits of two, none of one
    answers = told(show, [first, second], TRUTH)
    assert answers == [(0.5, 0.5), (0.5, 0.75)]


def test_the_state_holds_the_submission_and_no_score():
    rule, rng = ParameterFreeLadder(), np.random.default_rng(0)
    board = Evaluation(3, named(3), TRUTH)
    _, state = rule.pass_on(rule.init(Problem(12, 4, 5)), Reading.of(board), rng)
    assert set(json.loads(json.dumps(state))) == {"best", "n_classes"}


def test_a_guard_climbs_on_top_k_accuracies(tmp_path):
    guard = Guard(
        TRUTH, Policy("ladder", metric="top_k_accuracy:2"), tmp_path / "ledger.db", create=True
    )
    released = [guard.score(named(hits), team="red").released for hits in (3, 4, 12)]
    assert released == [3 / 12, 3 / 12, 1.0]
    assert guard.ledger.verify().ok


@pytest.mark.parametrize("metric", [metrics.F1(), metrics.HammingLoss(), metrics.Brier()])
def test_losses_that_are_no_hits_are_refused_with_the_reason(metric):
    with pytest.raises(
        NotSupported, match=r"call each example right or wrong.*compares their hits"
    ):
        check_metric(ParameterFreeLadder(), metric)
