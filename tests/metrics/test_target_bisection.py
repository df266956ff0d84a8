"""Targets behind mean absolute errors, halved until they are known."""

import numpy as np
import pytest

from holdfast import metrics, oracles
from holdfast.attacks.through_metrics import TargetBisection
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.mechanisms import parse_mechanism


def played(hidden, looks, *, low, high, decimals=None):
    rule = None if decimals is None else parse_mechanism(f"round:{decimals}")
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
    # At most the looks that n labels of two classes take, 2 more for each bit, and not n of them.
    bits = int(np.ceil(np.log2(high - low + 1)))
    assert board.looks <= bits * (2 + 90)


def test_a_budget_that_ends_leaves_ranges_that_hold_the_targets():
    hidden = np.random.default_rng(5).integers(0, 101, size=200)
    for looks in (1, 2, 40, 150):
        attack, board = played(hidden, looks, low=0, high=100)
        assert board.looks <= looks
        assert np.array_equal(attack.targets()[attack.certain()], hidden[attack.certain()])
        error = np.abs(attack.predict() - hidden).mean()
        assert error <= np.abs(50 - hidden).mean()


def test_equal_targets_take_two_looks_for_each_bit():
    attack, board = played(np.full(50, 6), 100, low=0, high=7)
    assert np.array_equal(attack.targets(), np.full(50, 6))
    assert board.looks == 6


def test_bad_arguments_turns_and_answers_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="above low = 3"):
        TargetBisection(5, 5, low=3, high=3, rng=rng)
    with pytest.raises(NotSupported, match="do not show one of 1000"):
        TargetBisection(1000, 5, low=0, high=3, decimals=3, rng=rng)
    attack = TargetBisection(5, 5, low=0, high=3, rng=rng)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    attack.tell(1.0)
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="whole number of errors"):
        attack.tell(1.05)
