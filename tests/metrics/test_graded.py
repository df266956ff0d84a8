"""Labels as digits of a rank sum: all of them, each proved, in few looks."""

import itertools

import numpy as np
import pytest
import sklearn.metrics

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import Graded
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.rules import parse_rule


def run(hidden, decimals=None, looks=5000, seed=0, **settings):
    n = len(hidden)
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=looks, mechanism=rule)
    rng = np.random.default_rng(seed)
    attack = Graded(Problem(n, 2, looks), rng=rng, decimals=decimals, **settings)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


def draw(n, share, seed):
    hidden = (np.random.default_rng(seed).random(n) < share).astype(int)
    hidden[:2] = 0, 1
    return hidden


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_all_labels_are_proved_and_right(share, seed):
    hidden = draw(700, share, seed)
    attack, board = run(hidden, seed=seed)
    assert attack.certain().all()
    assert (attack.labels() == hidden).all()
    assert attack.positives == hidden.sum()
    assert board.looks < 110


def test_every_label_vector_of_tiny_problems_is_read():
    for n in (2, 3, 5, 7):
        for labels in itertools.product((0, 1), repeat=n):
            if 0 < sum(labels) < n:
                attack, board = run(np.array(labels))
                assert attack.labels().tolist() == list(labels)
                assert board.looks <= n


@pytest.mark.parametrize("labels", [np.arange(400) < 7, np.arange(400) % 2, np.arange(400) >= 1])
def test_labels_that_an_adversary_chose_are_read(labels):
    attack, _ = run(labels.astype(int))
    assert (attack.labels() == labels).all()


@pytest.mark.parametrize("decimals", [4, 5, 6])
def test_released_decimals_are_enough_where_positives_are_public(decimals):
    hidden = draw(900, 0.3, 1)
    attack, _ = run(hidden, decimals, positives=int(hidden.sum()))
    assert (attack.labels() == hidden).all()


def test_scikit_learns_own_area_is_read():
    hidden = draw(500, 0.3, 3)
    attack = Graded(Problem(500, 2, 500), rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(sklearn.metrics.roc_auc_score(hidden, query))
    assert (attack.labels() == hidden).all()


@pytest.mark.slow
def test_ten_thousand_labels_take_at_most_three_fifths_of_what_accuracy_takes():
    hidden = draw(10_000, 0.3, 5)
    attack, board = run(hidden)
    assert (attack.labels() == hidden).all()
    problem = Problem(10_000, 2, 5000)
    accuracy = oracles.LabelOracle(hidden, problem=problem)
    play(attacks.Lattice(problem, rng=np.random.default_rng(0)), accuracy)
    assert board.looks <= 0.6 * accuracy.looks


def test_few_looks_raise_the_area():
    hidden = draw(1000, 0.3, 2)
    attack, board = run(hidden, looks=30)
    assert board.looks == 30
    sure = attack.certain()
    assert (attack.labels()[sure] == hidden[sure]).all()
    assert metrics.RocAuc().score(hidden, attack.predict()) > 0.55


def test_what_can_not_be_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="must be 2"):
        Graded(Problem(9, 3, 3), rng=rng)
    with pytest.raises(InvalidInput, match="positives"):
        Graded(Problem(9, 2, 3), rng=rng, positives=9)
    with pytest.raises(NotSupported, match="how many positives"):
        run(draw(10_000, 0.3, 5), decimals=4)
    with pytest.raises(NotSupported, match="do not show one"):
        run(draw(10_000, 0.3, 5), decimals=3, positives=3000)
    attack, _ = run(draw(300, 0.3, 1), looks=10)
    attack = Graded(Problem(300, 2, 5), rng=rng, positives=100)
    attack.ask()
    with pytest.raises(InconsistentAnswer):
        attack.tell(0.123456789)
