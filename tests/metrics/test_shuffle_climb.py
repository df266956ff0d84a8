"""ShuffleClimb: averages over classes, where a board shows new bests alone."""

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks.through_metrics import ShuffleClimb
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.loop import play
from holdfast.metrics.registry import parse_metric
from holdfast.planner import board_under
from holdfast.rules import parse_rule

SKEWED = np.random.default_rng(8).permutation(np.repeat(np.arange(4), [600, 300, 200, 100]))


@pytest.mark.parametrize(
    ("metric", "rule", "gain"),
    [
        ("f1_macro", "ladder:0.01", 0.11),  # 3 from the majority, by blocks
        ("precision_macro", "ladder:0.01", 0.16),
        ("recall_macro", "ladder:0.01", 0.02),
        ("jaccard_macro", "round:2", 0.04),
    ],
)
def test_it_climbs_from_random_labels_in_the_best_composition(metric, rule, gain):
    metric, rule = parse_metric(metric), parse_rule(rule)
    sizes = tuple(np.bincount(SKEWED).tolist())
    board = board_under(rule, MetricBoard(metric, sizes=sizes))
    nothing = max(metric.score(SKEWED, np.full(SKEWED.size, label)) for label in range(4))
    ends = []
    for seed in range(3):
        attack = ShuffleClimb.on_board(
            Problem(SKEWED.size, 4, 60), board, rng=np.random.default_rng(seed)
        )
        called = np.bincount(attack.predict(), minlength=4)
        shown = oracles.MetricOracle(SKEWED, metric, n_queries=60, mechanism=rule)
        guess = play(attack, shown)
        assert (np.bincount(guess, minlength=4) == called).all()
        ends.append(metric.score(SKEWED, guess) - nothing)
    assert np.mean(ends) > gain


def test_it_plays_averages_over_classes_of_more_than_two():
    reads = ShuffleClimb.reads_metric
    assert reads(metrics.F1Macro(), 3)
    assert not reads(metrics.F1Macro(), 2)
    assert not reads(metrics.CohenKappa(), 3)
    assert not reads(metrics.RocAuc(), 3)
