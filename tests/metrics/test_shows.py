"""Several numbers per look: groups, classes, metrics; each against its definition."""

import itertools

import numpy as np
import pytest

from holdfast import metrics
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, NotSupported
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.oracles import MetricOracle
from holdfast.rules import WorksOn, parse_rule, rule_classes

TRUTH = np.array([0, 1, 2, 1, 0, 2, 2])
GIVEN = np.array([0, 1, 1, 2, 0, 2, 0])
GROUPS = ["b", "a", "b", "a", "b", "c", "b"]


def shown(show, truth=TRUTH, given=GIVEN):
    checked = show.truth(truth)
    return [float(v) for v in show.values(checked, show.submitted(given, checked))]


def test_a_breakdown_is_the_metric_of_each_group_and_of_all():
    show = metrics.Breakdown(GROUPS, total=True)
    assert show.names == ("a", "b", "c", "all")
    right = TRUTH == GIVEN
    by_hand = [right[[g == name for g in GROUPS]].mean() for name in "abc"]
    assert shown(show) == [*by_hand, right.mean()]


def test_a_breakdown_takes_any_metric_and_groups_of_one():
    show = metrics.Breakdown(GROUPS, metrics.F1Macro())
    group = [i for i, name in enumerate(GROUPS) if name == "b"]
    assert shown(show)[1] == metrics.F1Macro().score(TRUTH[group], GIVEN[group])
    assert shown(show)[2] == 1.0  # one example, and right


def test_a_group_without_both_classes_is_named():
    show = metrics.Breakdown(["x", "x", "y", "y"], metrics.RocAuc())
    with pytest.raises(InvalidInput, match=r"group y: .*both classes"):
        show.truth([0, 1, 1, 1])


@pytest.mark.parametrize("groups", [[], [["a"]], [1.0, float("nan")]])
def test_groups_that_are_none_are_refused(groups):
    with pytest.raises(InvalidInput, match="groups"):
        metrics.Breakdown(groups)


def test_groups_of_another_length_are_refused():
    with pytest.raises(InvalidInput, match="one per example"):
        metrics.Breakdown(["a", "b"]).truth([0, 1, 1])


def test_recalls_and_confusions_are_the_counts():
    assert shown(metrics.PerClassRecall(4)) == [1.0, 0.5, 1 / 3, 0.0]
    matrix = np.reshape(shown(metrics.ConfusionMatrix(3)), (3, 3))
    cells = itertools.product(range(3), repeat=2)
    by_hand = [np.count_nonzero((i == TRUTH) & (j == GIVEN)) for i, j in cells]
    assert matrix.ravel().tolist() == by_hand


def test_a_label_beyond_the_classes_costs_nothing():
    oracle = MetricOracle([0, 1, 1], metrics.PerClassRecall(2), n_queries=1)
    with pytest.raises(InvalidQuery, match="below 2"):
        oracle.query([0, 1, 2])
    assert oracle.looks_left == 1


def test_several_metrics_are_those_of_one_submission():
    both = metrics.Several([metrics.Accuracy(), metrics.BalancedAccuracy()])
    assert shown(both) == [m.score(TRUTH, GIVEN) for m in both.metrics]
    with pytest.raises(InvalidInput, match="same hidden truth"):
        metrics.Several([metrics.Accuracy(), metrics.MeanSquaredError()])


def test_one_number_is_a_float_and_several_are_a_tuple():
    assert MetricOracle(TRUTH, metrics.Accuracy(), n_queries=1).query(GIVEN) == 4 / 7
    answer = MetricOracle(TRUTH, metrics.Breakdown(GROUPS), n_queries=1).query(GIVEN)
    assert answer == tuple(shown(metrics.Breakdown(GROUPS)))


def test_a_bad_submission_costs_nothing_and_the_budget_ends():
    oracle = MetricOracle(TRUTH, metrics.F1Macro(), n_queries=1)
    with pytest.raises(InvalidQuery):
        oracle.query(GIVEN[:-1])
    assert oracle.looks_left == 1
    oracle.query(GIVEN)
    with pytest.raises(BudgetExhausted):
        oracle.query(GIVEN)


def test_each_group_has_a_rule_state_of_its_own():
    oracle = MetricOracle(
        [0, 0, 1, 1],
        metrics.Breakdown(["a", "a", "b", "b"]),
        n_queries=3,
        mechanism=parse_rule("ladder:0.1"),
    )
    assert oracle.query([0, 1, 0, 0]) == (0.5, 0.0)
    assert oracle.query([1, 1, 1, 0]) == (0.5, 0.5)  # a stands, b climbs
    assert oracle.query([0, 0, 0, 0]) == (1.0, 0.5)


def test_a_loss_climbs_downward():
    rule = parse_rule("ladder:0.1")
    show = metrics.HammingLoss()
    oracle = MetricOracle([[0, 1, 1, 1]], show, n_queries=3, mechanism=rule)
    answers = [oracle.query([row]) for row in ([0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1])]
    assert answers == [0.5, 0.5, 0.0]


SAMPLES = {
    metrics.Submission.LABELS: ([0, 1, 1, 0] * 5, [0, 1, 0, 0] * 5),
    metrics.Submission.RANKED_LABELS: ([0, 1, 2, 0], [[0, 1], [0, 2], [2, 1], [1, 2]]),
    metrics.Submission.LABEL_SETS: ([[0, 1], [1, 1]], [[0, 1], [0, 0]]),
    metrics.Submission.SCORES: ([0, 1, 1, 0], [0.1, 0.4, 0.2, 0.3]),
    metrics.Submission.PROBABILITIES: ([0, 1, 1, 0], [0.1, 0.4, 0.2, 0.3]),
    metrics.Submission.NUMBERS: ([0.0, 3.0, 1.0], [1.0, 2.0, 1.0]),
}


@pytest.mark.parametrize("rule", [text for cls in rule_classes() for text in cls.text_forms])
@pytest.mark.parametrize("name", [cls.name for cls in metric_classes()])
def test_a_rule_releases_a_metric_or_says_why_not(rule, name):
    metric = parse_metric(f"{name}:2" if name == "top_k_accuracy" else name)
    hidden, submission = SAMPLES[metric.takes]
    mechanism = parse_rule(rule)
    refused = None
    if name != "accuracy" and mechanism.works_on is WorksOn.ACCURACIES:
        refused = "works on accuracies alone"
    elif mechanism.works_on is WorksOn.HITS and not metric.counts_hits:
        refused = "works on metrics that call each example right or wrong"
    elif not (metric.bounded or mechanism.works_on is WorksOn.ANY_METRIC):
        refused = "between two limits"
    elif mechanism.waits:
        refused = "holds answers back"
    if refused is not None:
        with pytest.raises(NotSupported, match=refused):
            MetricOracle(hidden, metric, n_queries=2, mechanism=mechanism)
        return
    oracle = MetricOracle(hidden, metric, n_queries=2, mechanism=mechanism)
    exact, step = metric.score(hidden, submission), mechanism.rounds_to
    answer = oracle.query(submission)
    if mechanism.selects:
        assert 0.0 <= answer <= 1.0
    elif mechanism.keeps_exact:
        assert answer == exact
    elif step is not None:
        assert abs(answer - exact) <= float(step) / 2 + 1e-12
