import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.errors import BudgetExhausted, InvalidInput


def test_the_sizes_of_attack_and_oracle_must_agree():
    attack = attacks.Constant(Problem(4, 3, 1), rng=np.random.default_rng(0))
    oracle = oracles.LabelOracle([0, 1, 0, 1], problem=Problem(4, 2, 1))
    with pytest.raises(InvalidInput, match=r"got 4, 3 and 4, 2\."):
        play(attack, oracle)


def test_progress_is_reported_after_every_look():
    problem = Problem(30, 3, 5)
    seen = []
    play(
        attacks.BlockMajority(problem, rng=np.random.default_rng(0)),
        oracles.LabelOracle(np.zeros(30, int), problem=problem),
        on_look=seen.append,
    )
    assert seen == [1, 2, 3, 4, 5]


def test_a_smaller_budget_than_the_attack_wants_is_not_hidden():
    hidden = np.zeros(30, int)
    oracle = oracles.LabelOracle(hidden, problem=Problem(30, 3, 2))
    attack = attacks.BlockMajority(Problem(30, 3, 5), rng=np.random.default_rng(0))
    with pytest.raises(BudgetExhausted, match="all 2 looks are used up"):
        play(attack, oracle)
    assert attack.predict().shape == (30,)
