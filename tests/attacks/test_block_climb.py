import math

import numpy as np
import pytest
from scipy.stats import norm

from holdfast import Problem
from holdfast.attacks import BlockClimb, HillClimb
from holdfast.errors import InvalidInput
from tests.attacks.boards import error, gains

PROBLEM = Problem(10_000, 10, 301)
UNIT = math.sqrt(301 / (10 * 10_000))


def test_hill_climbing_passes_one_standard_error_by_luck():
    # One standard error of luck a block: phi(1) sqrt(2) = .342 in units of sqrt(k/(mn)).
    found = gains(lambda p, rng: HillClimb(p, rng=rng), "ladder", PROBLEM, 16)
    assert abs(found.mean() - norm.pdf(1) * math.sqrt(2) * UNIT) < 4 * error(found)


def test_challenging_the_weakest_block_gains_more():
    climb = gains(lambda p, rng: BlockClimb(p, rng=rng), "ladder", PROBLEM, 16)
    hill = gains(lambda p, rng: HillClimb(p, rng=rng), "ladder", PROBLEM, 16)
    difference = climb - hill  # the same labels in each trial
    assert difference.mean() > 4 * error(difference)
    assert climb.mean() > 0.40 * UNIT


def test_a_fixed_step_of_one_percent_stops_it():
    found = gains(lambda p, rng: BlockClimb(p, rng=rng), "ladder:0.01", PROBLEM, 16)
    assert abs(found.mean()) < 4 * error(found)


def test_it_stops_asking_when_every_label_was_tried_everywhere():
    attack = BlockClimb(Problem(6, 2, 50), rng=np.random.default_rng(0))
    looks = 0
    while attack.ask() is not None:
        attack.tell(0.5)
        looks += 1
    assert looks == 1 + 6


def test_every_query_but_the_first_changes_one_block_of_the_best():
    attack = BlockClimb(Problem(40, 5, 21), rng=np.random.default_rng(0), permuted=False)
    best, answer = attack.ask(), 0.1
    attack.tell(answer)
    for index in range(20):
        query = attack.ask()
        changed = np.flatnonzero(query != best)
        assert changed.size == 8
        assert changed[-1] - changed[0] == 7
        if index % 3 == 0:
            best, answer = query, answer + 0.01
        attack.tell(answer)
    np.testing.assert_array_equal(attack.predict(), best)


@pytest.mark.parametrize("threshold", [-1.0, math.nan, math.inf])
def test_a_threshold_below_zero_is_refused(threshold):
    with pytest.raises(InvalidInput, match="threshold must be at least 0 and finite"):
        BlockClimb(Problem(6, 2, 5), rng=np.random.default_rng(0), threshold=threshold)
