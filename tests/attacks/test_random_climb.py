import numpy as np
import pytest

from holdfast import Problem
from holdfast.attacks import BlockClimb, RandomClimb
from holdfast.errors import InvalidInput
from tests.attacks.boards import error, gains

PROBLEM = Problem(10_000, 10, 200)


def test_it_climbs_a_ladder_whose_step_stops_block_climbing():
    blocks = gains(lambda p, rng: BlockClimb(p, rng=rng), "ladder:0.004", PROBLEM, 12)
    assert abs(blocks.mean()) < 4 * error(blocks)
    found = gains(lambda p, rng: RandomClimb(p, rng=rng, step=0.004), "ladder:0.004", PROBLEM, 12)
    # The first step alone is worth .004, and nearly every run takes it.
    assert found.mean() > 0.004 + 4 * error(found)


def test_a_step_of_three_standard_deviations_stops_it():
    found = gains(lambda p, rng: RandomClimb(p, rng=rng, step=0.01), "ladder:0.01", PROBLEM, 12)
    assert abs(found.mean()) < 4 * error(found)


def test_it_relabels_everything_until_it_leads_and_then_a_part():
    attack = RandomClimb(Problem(2000, 10, 4), rng=np.random.default_rng(1), step=0.02)
    first = attack.ask()
    attack.tell(0.1)
    second = attack.ask()
    assert not np.any(second == first)
    attack.tell(0.3)
    third = attack.ask()
    assert 0.02 < np.mean(third != second) < 0.2
    attack.tell(0.3)
    np.testing.assert_array_equal(attack.predict(), second)


def test_a_step_above_one_is_refused():
    with pytest.raises(InvalidInput, match=r"step must lie in \[0, 1\], got 2"):
        RandomClimb(Problem(6, 2, 5), rng=np.random.default_rng(0), step=2)
