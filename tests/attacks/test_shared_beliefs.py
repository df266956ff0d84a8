"""Beliefs that blocks and games share: what a history of challenges tells, computed once."""

import copy
from itertools import product

import numpy as np
import pytest

from holdfast.attacks.climbing._belief import DEVIATIONS, LONGEST_KEPT, first_belief

DRAWS = 400_000


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_beliefs_are_what_simulated_champions_do(margin):
    """Of normal champions and challengers, those that had this history; 5 standard errors."""
    rng = np.random.default_rng(8)
    for history in product([False, True], repeat=2):
        belief, champion = first_belief(margin), rng.standard_normal(DRAWS)
        for rose in history:
            challenger = rng.standard_normal(champion.size)
            beaten = challenger > champion + margin
            champion = np.where(beaten, challenger, champion)[beaten == rose]
            belief = belief.after(rose)
        error = champion.std() / np.sqrt(champion.size)
        grid = DEVIATIONS[1] - DEVIATIONS[0]
        assert abs(belief.density @ DEVIATIONS - champion.mean()) < 5 * error + grid
        won = np.maximum(rng.standard_normal(champion.size) - champion, 0.0)
        gain = won * (won > margin)
        error = gain.std() / np.sqrt(champion.size)
        assert abs(belief.worth - gain.mean()) < 5 * error + grid * belief.worth + 1e-4


def test_the_same_history_is_one_belief_and_long_ones_are_not_kept():
    belief = first_belief(1.0)
    assert first_belief(1.0) is belief
    assert copy.deepcopy(belief) is belief
    for _ in range(LONGEST_KEPT):
        assert belief.after(False) is belief.after(False)
        belief = belief.after(False)
    once, again = belief.after(False), belief.after(False)
    assert once is not again
    assert np.array_equal(once.density, again.density)
