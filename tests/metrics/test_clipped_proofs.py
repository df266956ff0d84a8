"""Values that a clipped metric cuts off are no proof, as they were of labels and targets."""

import numpy as np
import pytest

from holdfast import Problem
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import HoldfastError
from holdfast.metrics import Submission
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.planner import board_under
from holdfast.rules import parse_rule


def proved(name, rule, labels, looks, seed):
    """Return how many examples each attack that proves any has proved, and how many wrongly."""
    metric, rule, m = parse_metric(name), parse_rule(rule), int(labels.max()) + 1
    numbers = metric.takes is Submission.NUMBERS
    board = MetricBoard(
        metric,
        low=int(labels.min()),
        high=int(labels.max()),
        sizes=tuple(np.bincount(labels, minlength=m).tolist()),
        targets=labels.astype(float) if numbers else None,
    )
    found = {}
    for each in attacks_on(board_under(rule, board), m):
        if not each.cls.proves_labels:
            continue
        shown = MetricOracle(labels, metric, n_queries=looks, mechanism=rule, n_classes=m)
        try:
            attack = each.make(Problem(labels.size, m, looks), rng=np.random.default_rng([seed, 1]))
            while (query := attack.ask()) is not None:
                attack.tell(shown.query(query))
        except HoldfastError:
            continue
        sure, guess = attack.certain(), np.asarray(attack.predict())
        if not numbers:
            guess = guess > 0.5 if guess.ndim == 1 else guess.argmax(axis=1)
        found[each.name] = int(sure.sum()), int(np.sum(guess[sure] != labels[sure]))
    return found


@pytest.mark.parametrize(
    ("name", "rule", "m"),
    [
        ("log_loss[0,5]", "round:2", 3),  # 88 of 98 labels were proved wrongly
        ("log_loss[0,10]", "round:2", 4),
        ("rmse[0,2]", "round:2", 6),  # 22 of 29 targets
        ("mae[0,1]", "round:3", 6),
        ("mse[0,20]", "exact", 6),
    ],
)
def test_nothing_is_proved_from_a_value_at_the_limit(name, rule, m):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        labels = rng.choice(m, size=int(rng.integers(20, 140)), p=rng.dirichlet(np.ones(m)))
        labels[:2] = 0, m - 1
        assert all(not wrong for _, wrong in proved(name, rule, labels, 30, seed).values())


def test_losses_below_the_limit_are_read_all_the_same():
    labels = np.random.default_rng(3).integers(3, size=120)
    (found,) = proved("log_loss[0,10]", "exact", labels, 20, 0).values()
    assert found == (120, 0)
