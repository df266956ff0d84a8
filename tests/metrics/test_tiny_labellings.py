"""Every labelling of a few examples, read through each show that is played by pools or readers.

`Digits`, `TargetDigits`, `TargetBisection` and the readers of counts have theirs beside their own
tests.
"""

import itertools

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import ByGroup, ClassPools, CountReader, TopK

LOOKS = 40


def labellings(n, m):
    return (np.array(labels) for labels in itertools.product(range(m), repeat=n))


def board_of(hidden, show, m):
    return oracles.MetricOracle(hidden, show, n_queries=LOOKS, n_classes=m)


@pytest.mark.parametrize("groups", [[0, 1, 1, 0], [2, 0, 1, 2], [0, 0, 0, 0]])
def test_groups_of_any_size_are_read(groups):
    for hidden in labellings(4, 3):
        attack = ByGroup(
            Problem(4, 3, LOOKS), np.array(groups), attacks.Lattice, rng=np.random.default_rng(0)
        )
        guess = play(attack, board_of(hidden, metrics.Breakdown(groups), 3))
        assert guess.tolist() == hidden.tolist()
        assert attack.certain().all()


def test_top_two_labels_hold_every_label():
    metric = metrics.TopKAccuracy(2)
    for hidden in labellings(4, 4):
        attack = TopK(Problem(4, 4, LOOKS), 2, attacks.Lattice, rng=np.random.default_rng(0))
        assert metric.score(hidden, play(attack, board_of(hidden, metric, 4))) == 1.0


@pytest.mark.parametrize(("n", "m"), [(5, 2), (4, 3)])
@pytest.mark.parametrize("whole", [True, False], ids=["confusion matrix", "recalls"])
def test_pools_find_every_labelling_in_ten_looks_an_example(n, m, whole):
    show = metrics.ConfusionMatrix(m) if whole else metrics.PerClassRecall(m)
    for hidden in labellings(n, m):
        sizes = None if whole else np.bincount(hidden, minlength=m).tolist()
        attack = ClassPools(Problem(n, m, LOOKS), rng=np.random.default_rng(2), class_sizes=sizes)
        assert play(attack, board_of(hidden, show, m)).tolist() == hidden.tolist()


@pytest.mark.parametrize("metric", [metrics.CohenKappa(), metrics.MatthewsCorrcoef()], ids=str)
@pytest.mark.parametrize(("n", "m"), [(4, 3), (5, 2)])
def test_matches_behind_kappa_and_correlation_are_read_with_classes_absent(metric, n, m):
    # Of one class alone every value is 0; its size tells the matches.
    for hidden in labellings(n, m):
        attack = CountReader(
            Problem(n, m, LOOKS),
            attacks.Lattice,
            rng=np.random.default_rng(0),
            metric=metric,
            sizes=np.bincount(hidden, minlength=m),
        )
        assert play(attack, board_of(hidden, metric, m)).tolist() == hidden.tolist()


@pytest.mark.parametrize("metric", [metrics.BalancedAccuracy(), metrics.RecallMacro()], ids=str)
def test_matches_behind_mean_recalls_of_equal_classes_are_read(metric):
    for hidden in labellings(6, 3):
        sizes = np.bincount(hidden, minlength=3)
        if set(sizes) == {2}:
            attack = CountReader(
                Problem(6, 3, LOOKS),
                attacks.Lattice,
                rng=np.random.default_rng(0),
                metric=metric,
                sizes=sizes,
            )
            assert play(attack, board_of(hidden, metric, 3)).tolist() == hidden.tolist()
