"""Pools of random labels, decoded from recalls per class and from confusion matrices."""

import numpy as np
import pytest

from holdfast import attacks, metrics, oracles
from holdfast.attacks.through_metrics import ClassPools
from holdfast.errors import InconsistentAnswer, InvalidInput, OutOfTurn
from holdfast.loop import play
from holdfast.problem import Problem


def played(hidden, show, n_queries, **settings):
    m = int(hidden.max()) + 1
    board = oracles.MetricOracle(hidden, show, n_queries=n_queries)
    attack = ClassPools(
        Problem(hidden.size, m, n_queries), rng=np.random.default_rng(2), **settings
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


def test_confusion_matrices_tell_all_labels_of_a_thousand():
    hidden = np.random.default_rng(1).integers(5, size=1000)
    attack, board = played(hidden, metrics.ConfusionMatrix(5), 110)
    assert (attack.predict() == hidden).all()
    assert board.looks == 110


def test_classes_may_be_unequal():
    hidden = (np.random.default_rng(1).random(600) < 0.1).astype(int)
    attack, _ = played(hidden, metrics.ConfusionMatrix(2), 240)
    assert (attack.predict() == hidden).all()


def test_recalls_gain_more_than_accuracies():
    # Means of four seeds each: 60 looks at recalls gain above half as much again as at accuracies.
    gained = {"recalls": [], "accuracies": []}
    for seed in range(4):
        hidden = np.random.default_rng(seed).integers(4, size=2000)
        sizes = np.bincount(hidden, minlength=4).tolist()
        attack, _ = played(hidden, metrics.PerClassRecall(4), 60, class_sizes=sizes)
        problem = Problem(2000, 4, 60)
        other = attacks.SteeredPools(problem, rng=np.random.default_rng(seed))
        guess = play(other, oracles.LabelOracle(hidden, problem=problem))
        gained["recalls"].append(np.mean(attack.predict() == hidden) - 0.25)
        gained["accuracies"].append(np.mean(guess == hidden) - 0.25)
    assert np.mean(gained["recalls"]) > 1.5 * np.mean(gained["accuracies"]) > 0.0


def test_a_guess_is_there_before_the_first_answer():
    attack = ClassPools(Problem(10, 3, 5), rng=np.random.default_rng(0))
    assert attack.predict().shape == (10,)
    assert attack.answered == 0


def test_bad_input_is_refused():
    problem = Problem(10, 2, 5)
    with pytest.raises(InvalidInput, match="class_sizes must be 2 numbers that add up to 10"):
        ClassPools(problem, rng=np.random.default_rng(0), class_sizes=[5, 6])
    attack = ClassPools(problem, rng=np.random.default_rng(0))
    with pytest.raises(OutOfTurn):
        attack.tell((0.5, 0.5))
    attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    with pytest.raises(InvalidInput, match="class_sizes must be given where recalls are shown"):
        attack.tell((0.5, 0.5))
    with pytest.raises(InconsistentAnswer, match="2 recalls or 4 counts, got 3 numbers"):
        attack.tell((0.5, 0.5, 0.5))
    assert attack.answered == 0
