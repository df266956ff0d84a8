"""Targets behind mean absolute errors, halved until they are known."""

import itertools

import numpy as np
import pytest
import sklearn.metrics
from benchmarks.metric_limits import absolute_limit

from holdfast import metrics, oracles
from holdfast.attacks import Lattice
from holdfast.attacks.through_metrics import TargetBisection
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.rules import parse_rule


def played(hidden, looks, *, low, high, decimals=None):
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(
        hidden, metrics.MeanAbsoluteError(), n_queries=looks, mechanism=rule
    )
    attack = TargetBisection(
        len(hidden), looks, low=low, high=high, decimals=decimals, rng=np.random.default_rng(3)
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 9), (-7, 7), (3, 103)])
@pytest.mark.parametrize("decimals", [None, 4])
def test_all_targets_are_read_and_proved(low, high, decimals):
    hidden = np.random.default_rng([high, 1]).integers(low, high + 1, size=150)
    attack, board = played(hidden, 2000, low=low, high=high, decimals=decimals)
    assert np.array_equal(attack.targets(), hidden)
    assert attack.certain().all()
    # Floats show 30 sides per look at least; four decimals 5, and a count besides.
    bits = int(np.ceil(np.log2(high - low + 1)))
    assert board.looks <= bits * (6 if decimals is None else 26)


@pytest.mark.parametrize("decimals", [None, 1, 2, 6])
def test_every_vector_of_a_tiny_problem_is_read(decimals):
    for size, high in ((1, 3), (3, 3), (5, 1)):
        for targets in itertools.product(range(high + 1), repeat=size):
            attack, board = played(np.array(targets), 40, low=0, high=high, decimals=decimals)
            assert attack.targets().tolist() == list(targets)
            assert attack.certain().all()
            if decimals in (None, 6):
                assert board.looks == round(np.log2(high + 1))  # digits alone, a look per bit


@pytest.mark.parametrize("size", [7, 20, 100])
def test_decimals_that_show_means_of_whole_numbers_exactly_are_enough_for_counts(size):
    hidden = np.random.default_rng(size).integers(0, 4, size=size)
    decimals = 1 if size == 7 else 2
    attack, _ = played(hidden, 400, low=0, high=3, decimals=decimals)
    assert attack.targets().tolist() == hidden.tolist()
    assert attack.certain().all()


@pytest.mark.parametrize(
    "hidden", [np.zeros(300, int), np.full(300, 100), np.arange(300) % 2 * 100]
)
def test_targets_that_an_adversary_chose_are_read(hidden):
    attack, _ = played(hidden, 400, low=0, high=100)
    assert attack.certain().all()
    assert np.array_equal(attack.targets(), hidden)


def test_digits_are_read_beside_counts():
    hidden = np.random.default_rng(2).integers(0, 101, size=1000)
    attack, board = played(hidden, 2000, low=0, high=100, decimals=5)
    assert attack.certain().all()
    assert np.array_equal(attack.targets(), hidden)
    assert board.looks <= 700  # counts alone take 1,683


class WithoutProofs:
    """An inner attack that does not tell what it has proved."""

    def __init__(self, problem, *, rng):
        self._inner = Lattice(problem, rng=rng)
        self.ask, self.tell, self.predict = self._inner.ask, self._inner.tell, self._inner.predict


def test_an_inner_attack_that_proves_nothing_leaves_what_digits_tell():
    hidden = np.random.default_rng(2).integers(0, 101, size=1000)
    board = oracles.MetricOracle(hidden, metrics.MeanAbsoluteError(), n_queries=200)
    rng = np.random.default_rng(3)
    attack = TargetBisection(1000, 200, low=0, high=100, make=WithoutProofs, rng=rng)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    sure = attack.certain()
    assert np.array_equal(attack.targets()[sure], hidden[sure])
    assert np.abs(attack.predict() - hidden).mean() < 0.5 * np.abs(50 - hidden).mean()


def test_scikit_learns_own_error_is_read():
    hidden = np.random.default_rng(5).integers(1900, 2027, size=300)
    attack = TargetBisection(300, 300, low=1900, high=2026, rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(sklearn.metrics.mean_absolute_error(hidden, query))
    assert np.array_equal(attack.targets(), hidden)


@pytest.mark.slow
def test_ten_thousand_targets_take_a_third_more_than_the_limit():
    hidden = np.random.default_rng(6).integers(0, 101, size=10_000)
    attack, board = played(hidden, 20_000, low=0, high=100)
    assert attack.certain().all()
    assert np.array_equal(attack.targets(), hidden)
    assert board.looks <= 1.37 * absolute_limit(10_000, 101)


def test_a_budget_that_ends_leaves_ranges_that_hold_the_targets():
    hidden = np.random.default_rng(5).integers(0, 101, size=200)
    for looks in (1, 2, 40, 150):
        attack, board = played(hidden, looks, low=0, high=100)
        assert board.looks <= looks
        assert np.array_equal(attack.targets()[attack.certain()], hidden[attack.certain()])
        error = np.abs(attack.predict() - hidden).mean()
        assert error <= np.abs(50 - hidden).mean()


def test_equal_targets_that_are_counted_take_two_looks_for_each_bit():
    attack, board = played(np.full(100, 6), 100, low=0, high=7, decimals=2)
    assert np.array_equal(attack.targets(), np.full(100, 6))
    assert board.looks == 6


def test_bad_arguments_turns_and_answers_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="above low = 3"):
        TargetBisection(5, 5, low=3, high=3, rng=rng)
    with pytest.raises(NotSupported, match="do not show one of 1001"):
        TargetBisection(1001, 5, low=0, high=3, decimals=3, rng=rng)
    attack = TargetBisection(5, 5, low=0, high=3, rng=rng)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    with pytest.raises(InconsistentAnswer, match="mean absolute error of whole-number targets"):
        attack.tell(1.05)
