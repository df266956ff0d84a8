"""Attacks on runs of rows: a long test set in runs is a short one."""

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks.through_metrics import RunClimb, RunReader
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import InvalidInput, NotSupported
from holdfast.experiments.suite import IN_RUNS
from holdfast.loop import play
from holdfast.metrics.registry import parse_metric
from holdfast.planner import board_under
from holdfast.rules import parse_rule

LABELS = np.random.default_rng(5).permutation(np.arange(40) % 2)
IN_FORTY = np.repeat(LABELS, 50)
# Runs of 100 to 199 rows.
UNEQUAL = np.repeat(np.arange(14) % 2, np.random.default_rng(6).integers(100, 200, size=14))[:2000]


def gains(metric, rule, labels, looks):
    """Return the mean gain over the best constant of each attack on runs, in three games."""
    metric, rule = parse_metric(metric), parse_rule(rule)
    sizes = tuple(np.bincount(labels).tolist())
    board = board_under(rule, MetricBoard(metric, sizes=sizes, in_runs=True))
    nothing = max(metric.score(labels, np.full(labels.size, label)) for label in (0, 1))
    found = {}
    for each in attacks_on(board, 2):
        if issubclass(each.cls, RunReader | RunClimb):
            ends = []
            for seed in range(3):
                rng, rule_rng = np.random.default_rng(seed).spawn(2)
                shown = oracles.MetricOracle(
                    labels, metric, n_queries=looks, mechanism=rule, rng=rule_rng
                )
                try:
                    guess = play(each.make(Problem(labels.size, 2, looks), rng=rng), shown)
                except NotSupported:
                    continue
                ends.append(metric.score(labels, guess) - nothing)
            found[each.name] = np.mean(ends) if ends else None
    return found


@pytest.mark.parametrize(
    ("metric", "rule", "labels", "gain"),
    [
        ("f1", "round:2", IN_FORTY, 0.1),  # attacks on rows gain nothing in any of these
        ("f1_macro", "gaussian:0.02", IN_FORTY, 0.25),
        ("roc_auc", "ladder:0.01", IN_FORTY, 0.3),
        ("roc_auc", "round:2", UNEQUAL, 0.35),
        ("balanced_accuracy", "ladder:0.01", UNEQUAL, 0.2),
        ("accuracy", "round:2", IN_FORTY, 0.2),
    ],
)
def test_twenty_looks_read_two_thousand_rows_in_runs(metric, rule, labels, gain):
    found = gains(metric, rule, labels, 20)
    assert max(each for each in found.values() if each is not None) > gain
    told = not rule.startswith("ladder")
    assert (found["run-reader, 32 runs"] is not None) is told


def test_on_rows_in_no_order_they_do_not_play():
    board = MetricBoard(metrics.F1(), sizes=(50, 50))
    assert not any(issubclass(each.cls, RunReader | RunClimb) for each in attacks_on(board, 2))


@pytest.mark.parametrize(
    ("rule", "gain"), [("gaussian:0.03", 0.12), ("ladder:0.01", 0.12), ("rank", 0.15)]
)
def test_where_accuracies_are_shown_they_play_by_name(rule, gain):
    rule, ends = parse_rule(rule), []
    for entry in IN_RUNS:
        try:
            attack = entry.play(Problem(2000, 2, 20), np.random.default_rng(3), rule)
        except NotSupported:
            continue
        board = oracles.LabelOracle(
            IN_FORTY, problem=Problem(2000, 2, 20), mechanism=rule, rng=np.random.default_rng(4)
        )
        ends.append(np.mean(play(attack, board) == IN_FORTY) - 0.5)
    assert max(ends) > gain


def test_class_shares_are_what_it_takes_from_a_prior():
    rows = np.repeat(np.random.default_rng(3).permutation(np.repeat([0, 1, 2], [28, 8, 4])), 50)
    rule, problem, found = parse_rule("gaussian:0.03"), Problem(2000, 3, 60), []
    for prior in (None, np.tile(np.bincount(rows) / 2000, (2000, 1))):
        attack = RunReader(problem, rng=np.random.default_rng(0), prior=prior, noise=0.03, runs=40)
        board = oracles.LabelOracle(
            rows, problem=problem, mechanism=rule, rng=np.random.default_rng(1)
        )
        found.append(np.mean(play(attack, board) == rows))
    assert found[1] > 0.8 > found[0]


def test_parts_that_are_never_challenged_stand_in_the_middle_of_the_order():
    attack = RunClimb(Problem(60, 2, 5), rng=np.random.default_rng(0), runs=8, scores=True)
    assert set(np.unique(attack.predict())) == {0.0, 0.5, 1.0}
    assert set(np.unique(attack.ask())) == {0.0, 0.5, 1.0}


def test_no_more_parts_than_rows_and_no_fewer_than_two():
    assert RunReader(Problem(9, 2, 3), rng=np.random.default_rng(0)).ask().shape == (9,)
    with pytest.raises(InvalidInput, match="runs must be at least 2"):
        RunReader(Problem(9, 2, 3), rng=np.random.default_rng(0), runs=1)
