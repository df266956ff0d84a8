"""Whole-number targets as digits of a squared error: all of them, each proved."""

import itertools

import numpy as np
import pytest
import sklearn.metrics
from benchmarks.metric_limits import target_limit

from holdfast import metrics, oracles
from holdfast.attacks.through_metrics import TargetDigits
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.rules import parse_rule

MSE, RMSE, R2 = metrics.MeanSquaredError(), metrics.RootMeanSquaredError(), metrics.R2()


def run(hidden, metric=MSE, decimals=None, looks=20_000, low=0, high=100):
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)
    rng = np.random.default_rng(0)
    attack = TargetDigits(
        len(hidden), looks, low=low, high=high, rng=rng, metric=metric, decimals=decimals
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


@pytest.mark.parametrize("metric", [MSE, RMSE, R2], ids=str)
@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 100), (-5, 5), (1900, 2026)])
def test_all_targets_are_proved_and_right(metric, low, high):
    hidden = np.random.default_rng(3).integers(low, high + 1, size=200)
    attack, board = run(hidden, metric, low=low, high=high)
    assert attack.certain().all()
    assert (attack.targets() == hidden).all()
    assert metric.score(hidden, attack.predict()) == (1.0 if metric is R2 else 0.0)
    assert board.looks <= 70


@pytest.mark.parametrize("hidden", [np.zeros(90, int), np.full(90, 100), np.arange(90) % 2 * 100])
def test_targets_that_an_adversary_chose_are_read(hidden):
    assert (run(hidden)[0].targets() == hidden).all()


def test_every_vector_of_a_tiny_problem_is_read():
    for targets in itertools.product(range(4), repeat=3):
        attack, board = run(np.array(targets), low=0, high=3, decimals=6)
        assert attack.targets().tolist() == list(targets)
        # The squares, then all three; no square at all proves the middle everywhere.
        assert board.looks == (1 if targets == (1, 1, 1) else 2)


@pytest.mark.parametrize("metric", [MSE, RMSE, R2], ids=str)
@pytest.mark.parametrize(
    ("low", "high", "some"),
    [
        (0, 2, range(3)),
        (-3, 4, range(-3, 5)),
        (0, 100, (0, 1, 49, 50, 51, 99, 100)),
        (10**6, 10**6 + 2, range(10**6, 10**6 + 3)),
    ],
)
def test_every_vector_of_one_to_three_targets_is_proved_from_floats(metric, low, high, some):
    for targets in itertools.chain(*(itertools.product(some, repeat=n) for n in (1, 2, 3))):
        if metric is R2 and len(set(targets)) == 1:
            continue  # R2 of equal targets is not defined
        attack, _ = run(np.array(targets), metric, low=low, high=high, looks=9)
        assert attack.targets().tolist() == list(targets)
        assert attack.certain().all()


def test_a_third_constant_decides_between_two_variances():
    # Squares 18 and sum -6 give the same two answers as squares 8 and sum 4.
    attack, board = run(np.array([-3, -3, 0]), R2, low=-3, high=4)
    assert attack.targets().tolist() == [-3, -3, 0]
    assert board.looks == 4


def test_released_decimals_are_enough_for_a_few_targets_per_look():
    hidden = np.random.default_rng(4).integers(0, 101, size=400)
    attack, _ = run(hidden, decimals=5)
    assert (attack.targets() == hidden).all()


@pytest.mark.parametrize(
    ("metric", "size", "decimals"),
    [
        (MSE, 3, 0),
        (MSE, 40, 1),
        (MSE, 2000, 2),
        (MSE, 10_000, 4),
        (metrics.RootMeanSquaredError(), 2000, 2),
        (metrics.RootMeanSquaredError(), 10_000, 4),
    ],
)
def test_decimals_that_leave_the_sum_of_squares_open_cost_digits_alone(metric, size, decimals):
    hidden = np.random.default_rng([size, 4]).integers(0, 101, size=size)
    looks = min(size + 1, 40)
    attack, _ = run(hidden, metric, decimals=decimals, looks=looks)
    sure = attack.certain()
    assert (attack.targets()[sure] == hidden[sure]).all()
    assert sure.sum() >= looks - 1  # one target per look at least, after the squares


@pytest.mark.parametrize("decimals", [0, 1])
def test_every_vector_of_a_tiny_problem_is_read_from_few_decimals(decimals):
    for targets in itertools.product(range(4), repeat=3):
        attack, _ = run(np.array(targets), low=0, high=3, decimals=decimals)
        assert attack.targets().tolist() == list(targets)
        assert attack.certain().all()


def test_scikit_learns_own_error_is_read():
    hidden = np.random.default_rng(5).integers(0, 101, size=300)
    attack = TargetDigits(300, 300, low=0, high=100, rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(sklearn.metrics.mean_squared_error(hidden, query))
    assert (attack.targets() == hidden).all()


@pytest.mark.slow
def test_ten_thousand_targets_take_little_more_than_the_limit():
    hidden = np.random.default_rng(6).integers(0, 101, size=10_000)
    attack, board = run(hidden)
    assert (attack.targets() == hidden).all()
    assert board.looks <= 1.3 * target_limit(10_000, 101)


def test_what_can_not_be_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(NotSupported, match="cross term"):
        TargetDigits(5, 5, low=0, high=9, rng=rng, metric=metrics.MeanAbsoluteError())
    with pytest.raises(InvalidInput, match="above low"):
        TargetDigits(5, 5, low=3, high=3, rng=rng)
    with pytest.raises(NotSupported, match="no single target"):
        run(np.arange(40), metrics.RootMeanSquaredError(), decimals=1)
    with pytest.raises(NotSupported, match="variance"):
        run(np.random.default_rng(6).integers(0, 101, size=500), R2, decimals=4)
    attack = TargetDigits(5, 5, low=0, high=9, rng=rng)
    with pytest.raises(OutOfTurn):
        attack.tell(1.0)
    attack.ask()
    with pytest.raises(InconsistentAnswer):
        attack.tell(1.123)
