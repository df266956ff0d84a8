import math

import numpy as np
import pytest
from scipy.stats import norm

from holdfast import Problem
from holdfast.attacks import BlockClimb, HillClimb, ImprovementReader
from holdfast.errors import InvalidInput
from holdfast.experiments.suite import attack_on
from holdfast.planner.forecast import forecast
from holdfast.rules import parse_rule
from holdfast.setting import Setting
from tests.attacks.boards import error, gains

PROBLEM = Problem(10_000, 10, 301)
UNIT = math.sqrt(301 / (10 * 10_000))


def test_hill_climbing_passes_one_standard_error_by_luck():
    # One standard error of luck a block: phi(1) sqrt(2) = .342 in units of sqrt(k/(mn)).
    found = gains(lambda p, rng: HillClimb(p, rng=rng), "ladder", PROBLEM, 16)
    assert abs(found.mean() - norm.pdf(1) * math.sqrt(2) * UNIT) < 4 * error(found)


def test_challenging_the_weakest_block_gains_more():
    climb = gains(lambda p, rng: BlockClimb(p, rng=rng, threshold=1.0), "ladder", PROBLEM, 16)
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


@pytest.mark.parametrize("cls", [BlockClimb, HillClimb])
def test_a_single_example_whose_challenge_rose_is_right(cls):
    """Every label of 60 in 150 looks of one bit: no look goes to an example that is known."""
    found = gains(
        lambda p, rng: ImprovementReader(cls(p, rng=rng)), "improved", Problem(60, 4, 150), 24
    )
    assert found.mean() > 0.745


@pytest.mark.parametrize("n_blocks", [10, 20, 60])
def test_beliefs_promise_what_challenges_gain(n_blocks):
    """In blocks of 12, 6 and 2 examples, so that their counts are small; four standard errors."""
    problem = Problem(120, 5, 61)
    found = gains(lambda p, rng: BlockClimb(p, rng=rng, n_blocks=n_blocks), "exact", problem, 200)
    best = gains(lambda p, rng: BlockClimb(p, rng=rng), "exact", problem, 200)
    assert found.mean() < best.mean() + 4 * error(best - found)
    told = forecast(BlockClimb, Setting(problem)).gain / 120
    assert abs(best.mean() - told) < 4 * error(best) + 0.01


@pytest.mark.parametrize("rule", ["rank", "improved"])
def test_ties_count_as_rises_where_a_board_shares_ranks(rule):
    """A tie on ranks looks like a rise: told so, it gains as much there as from new bests."""
    problem = Problem(500, 10, 200)
    found = gains(lambda p, rng: attack_on(BlockClimb, p, rng, parse_rule(rule)), rule, problem, 12)
    assert found.mean() > 0.12


def test_every_query_but_the_first_changes_one_block_of_the_best():
    attack = BlockClimb(
        Problem(40, 5, 21), rng=np.random.default_rng(0), permuted=False, n_blocks=5
    )
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
