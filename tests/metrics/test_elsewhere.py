"""What attacks submit where they have proved nothing: the best class for the rest."""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest

from holdfast import play
from holdfast.attacks import HadamardBlocks, Lattice
from holdfast.attacks.through_metrics import CountReader
from holdfast.attacks.through_metrics.description import LATTICE, MetricBoard
from holdfast.attacks.through_metrics.elsewhere import Elsewhere, best_class
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import InconsistentAnswer
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem
from holdfast.rules import parse_rule


def labels_of(n, share, seed=0):
    labels = np.zeros(n, dtype=np.uint8)
    labels[: round(n * share)] = 1
    return np.random.default_rng([seed, n]).permutation(labels)


def best_elsewhere(reader, metric):
    return Elsewhere(reader, partial(best_class, metric=metric))


@pytest.mark.parametrize(
    ("n", "share", "looks", "least"),
    [(600, 0.5, 40, 2.0), (300, 0.5, 20, 1.0), (300, 0.5, 30, 2.0), (600, 0.35, 40, 3.0)],
)
def test_f1_of_frequent_positives_is_gained_by_proved_labels(n, share, looks, least):
    """All that is not proved is called positive: an even guess is worth less than the constant."""
    labels, metric = labels_of(n, share), parse_metric("f1")
    sizes = tuple(np.bincount(labels).tolist())
    able = attacks_on(MetricBoard(metric, sizes=sizes), 2, from_nothing=[LATTICE])
    (reader,) = [each for each in able if each.cls is CountReader]
    constant = metric.score(labels, np.ones(n, dtype=int))
    gains = []
    for seed in range(4):
        board = MetricOracle(labels, metric, n_queries=looks)
        attack = reader.make(board.problem, rng=np.random.default_rng(seed))
        gains.append(100.0 * (metric.score(labels, play(attack, board)) - constant))
    assert np.mean(gains) >= least


NAMES = ["f1", "f1_macro", "f1_weighted", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa",
         "jaccard_macro", "precision_macro", "recall_macro"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.5, 0.2, 0.9])
def test_the_best_class_is_never_worse_than_the_guess_by_any_metric(name, share):
    metric, gains = parse_metric(name), []
    for seed in range(6):
        labels = labels_of(120, share, seed)
        board = MetricOracle(labels, metric, n_queries=15)
        rng = np.random.default_rng(seed)
        reader = CountReader(Problem(120, 2, 15), Lattice, rng=rng, metric=metric)
        best = play(best_elsewhere(reader, metric), board)
        sure = reader.certain()
        assert sure.any()
        assert (best[sure] == labels[sure]).all()
        gains.append(metric.score(labels, best) - metric.score(labels, reader.predict()))
    # What is called alike in number differs by chance: four standard errors.
    assert np.mean(gains) > -1e-9 - 4.0 * np.std(gains) / np.sqrt(6)


def test_matches_of_several_classes_have_a_best_class_too():
    metric, labels = parse_metric("cohen_kappa"), np.arange(90) % 9 % 4
    board = MetricOracle(labels, metric, n_queries=30)
    reader = CountReader(
        Problem(90, 4, 30),
        Lattice,
        rng=np.random.default_rng(0),
        metric=metric,
        sizes=np.bincount(labels),
    )
    best = play(best_elsewhere(reader, metric), board)
    sure = reader.certain()
    assert 0 < sure.sum() < 90
    assert (best[sure] == labels[sure]).all()


def test_an_attack_that_proves_nothing_submits_its_own_guess():
    metric, labels = parse_metric("f1"), labels_of(120, 0.5)
    board = MetricOracle(labels, metric, n_queries=15)
    rng = np.random.default_rng(0)
    reader = CountReader(Problem(120, 2, 15), HadamardBlocks, rng=rng, metric=metric)
    assert (play(best_elsewhere(reader, metric), board) == reader.predict()).all()
    assert not reader.certain().any()


def test_nothing_is_certain_that_rests_on_a_middle_count():
    metric, labels = parse_metric("f1"), labels_of(4000, 0.5)
    rule = parse_rule("round:3")
    board = MetricOracle(labels, metric, n_queries=12, mechanism=rule)
    reader = CountReader(
        Problem(4000, 2, 12),
        Lattice,
        rng=np.random.default_rng(0),
        metric=metric,
        step=0.001,
        sizes=(2000, 2000),
    )
    with suppress(InconsistentAnswer):
        play(reader, board)
    assert not reader.certain().any()


def test_before_positives_are_counted_there_is_no_best_class():
    metric = parse_metric("f1")
    rng = np.random.default_rng(0)
    reader = CountReader(Problem(120, 2, 15), Lattice, rng=rng, metric=metric)
    assert not best_elsewhere(reader, metric).predict().any()
