"""Labels as digits of a loss: all of them, each proved, near the information limit."""

import itertools

import numpy as np
import pytest
import sklearn.metrics
from benchmarks.metric_limits import information_limit

from holdfast import Problem, metrics, oracles
from holdfast.attacks.through_metrics import Digits
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.rules import parse_rule
from tests.paces import few

LOG_LOSS, BRIER = metrics.LogLoss(), metrics.Brier()


def board_for(hidden, metric, looks, decimals):
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    return oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)


def run(hidden, m, metric=LOG_LOSS, decimals=None, looks=20_000, seed=0):
    board = board_for(hidden, metric, looks, decimals)
    problem = Problem(len(hidden), m, looks)
    attack = Digits(problem, rng=np.random.default_rng(seed), metric=metric, decimals=decimals)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


@pytest.mark.parametrize("metric", [LOG_LOSS, BRIER], ids=str)
@pytest.mark.parametrize("decimals", [None, 6, 4])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_all_labels_are_proved_and_right(m, decimals, metric):
    hidden = np.random.default_rng(m).integers(m, size=300)
    attack, _ = run(hidden, m, metric, decimals)
    assert attack.certain().all()
    assert (attack.labels() == hidden).all()


@pytest.mark.parametrize("metric", [LOG_LOSS, BRIER], ids=str)
@pytest.mark.parametrize("labels", [np.zeros(200, int), np.ones(200, int), np.arange(200) % 2])
def test_labels_that_an_adversary_chose_are_read_the_same(labels, metric):
    attack, _ = run(labels, 2, metric)
    assert (attack.labels() == labels).all()


@pytest.mark.parametrize("m", [2, 3])
def test_every_label_vector_of_a_tiny_problem_is_told_apart(m):
    for labels in itertools.product(range(m), repeat=4):
        attack, board = run(np.array(labels), m, decimals=5)
        assert attack.labels().tolist() == list(labels)
        assert board.looks <= 4


def test_scikit_learns_own_log_loss_is_read():
    hidden = np.random.default_rng(5).integers(4, size=400)
    attack = Digits(Problem(400, 4, 400), rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(sklearn.metrics.log_loss(hidden, query, labels=range(4)))
    assert (attack.labels() == hidden).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "decimals", "most"),
    few(2, [(2, 5, 1.5), (10, None, 1.3), (2, None, 1.3), (10, 5, 1.5)]),
)
def test_ten_thousand_labels_take_little_more_than_the_limit(m, decimals, most):
    ratios = []
    for seed in range(3):
        hidden = np.random.default_rng([seed, m]).integers(m, size=10_000)
        attack, board = run(hidden, m, decimals=decimals, seed=seed)
        assert attack.certain().all()
        assert (attack.labels() == hidden).all()
        ratios.append(board.looks / information_limit(attack.problem, LOG_LOSS, decimals))
    assert np.mean(ratios) <= most


def test_a_few_looks_prove_a_few_labels_and_nothing_else():
    hidden = np.random.default_rng(2).integers(2, size=2000)
    attack, board = run(hidden, 2, looks=5)
    sure = attack.certain()
    assert board.looks == 5
    assert 5 * attack.digits_per_look <= sure.sum() < 2000
    assert (attack.labels()[sure] == hidden[sure]).all()
    # The final forecast is worth its labels.
    assert LOG_LOSS.score(hidden, attack.predict()) < LOG_LOSS.score(hidden, np.full(2000, 0.5))


def test_an_answer_that_no_labels_give_is_refused_and_changes_nothing():
    hidden = np.random.default_rng(2).integers(2, size=100)
    attack = Digits(Problem(100, 2, 50), rng=np.random.default_rng(0), decimals=6)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    query = attack.ask()
    right = LOG_LOSS.score(hidden, query)
    with pytest.raises(InconsistentAnswer):
        attack.tell(-1.0)
    with pytest.raises(InvalidInput):
        attack.tell(float("nan"))
    attack.tell(round(right, 6))
    sure = attack.certain()
    assert sure.any()
    assert (attack.labels()[sure] == hidden[sure]).all()


def test_decimals_without_room_for_digits_are_refused_with_the_weights():
    problem = Problem(10_000, 10, 50)
    with pytest.raises(NotSupported, match=r"no room for digits: .* by 0\.4, .* to 0\.5 "):
        Digits(problem, rng=np.random.default_rng(0), metric=BRIER, decimals=4)


def test_only_probabilities_have_digits():
    with pytest.raises(InvalidInput, match="probabilities"):
        Digits(Problem(9, 2, 3), rng=np.random.default_rng(0), metric=metrics.F1())
