"""One attack per group: merged queries, dealt answers, one budget."""

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import ByGroup
from holdfast.errors import InconsistentAnswer, InvalidInput, OutOfTurn

SIZES = (40, 25, 1, 60)


def scene(seed=0, looks=200, total=False, n_classes=4, labels=None):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    hidden = rng.integers(n_classes, size=groups.size) if labels is None else labels
    problem = Problem(groups.size, n_classes, looks)
    attack = ByGroup(problem, groups, attacks.Lattice, rng=rng)
    show = metrics.Breakdown(groups, total=total)
    return attack, oracles.MetricOracle(hidden, show, n_queries=looks), hidden


def run(attack, board):
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack.predict()


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_all_labels_are_proved_in_the_looks_of_the_largest_group(seed, total):
    attack, board, hidden = scene(seed, total=total)
    assert (run(attack, board) == hidden).all()
    assert attack.certain().all()
    alone = oracles.LabelOracle(hidden[:60], problem=Problem(60, 4, 200))
    play(attacks.Lattice(Problem(60, 4, 200), rng=np.random.default_rng(seed)), alone)
    assert board.looks <= 1.3 * alone.looks  # 1.3: games of 60 labels vary by a few looks


@pytest.mark.parametrize("labels", [np.zeros(126, int), np.arange(126) % 4])
def test_labels_that_an_adversary_chose_are_recovered(labels):
    attack, board, hidden = scene(labels=labels)
    assert (run(attack, board) == hidden).all()


def test_each_group_plays_as_it_would_alone():
    attack, board, hidden = scene(3, looks=7)
    guess = run(attack, board)
    member = attack._members[1]
    spawned = np.random.default_rng(3)
    spawned.permutation(126)
    spawned.integers(4, size=126)
    alone = attacks.Lattice(Problem(25, 4, 7), rng=spawned.spawn(4)[1])
    play(alone, oracles.LabelOracle(hidden[member], problem=Problem(25, 4, 7)))
    assert (guess[member] == alone.predict()).all()


def test_turns_budget_and_answers_are_checked():
    attack, board, _ = scene(looks=20)
    with pytest.raises(OutOfTurn):
        attack.tell((0.5,) * 4)
    query = attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    with pytest.raises(InconsistentAnswer, match="4 groups"):
        attack.tell((0.5, 0.5))
    attack.tell(board.query(query))
    run(attack, board)
    assert attack.ask() is None
    with pytest.raises(InvalidInput, match="one per example"):
        ByGroup(Problem(3, 2, 1), [0, 1], attacks.Lattice, rng=np.random.default_rng(0))
