"""Where too many examples are to be simulated, forecasts are those of fewer, scaled."""

import numpy as np
import pytest

from holdfast import Problem, play
from holdfast.attacks import HitPools, Lattice, MessagePassing
from holdfast.oracles import LabelOracle
from holdfast.planner import plan
from holdfast.planner.forecast import forecast
from holdfast.setting import Setting

GAMES = 6


def mean_gain(attack, problem):
    """Return the mean gain of a few games, and its standard error."""
    n, m, _ = problem
    gains = []
    for sequence in np.random.SeedSequence([5, *problem]).spawn(GAMES):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        guess = play(attack(problem, rng=rng), LabelOracle(hidden, problem=problem))
        gains.append(np.count_nonzero(guess == hidden) - n / m)
    return np.mean(gains), np.std(gains, ddof=1) / np.sqrt(GAMES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "sizes"),
    [
        # Labels one after another: more examples do not help.
        (Lattice, (400_000, 1000, 1000)),
        # Every look is at all examples; beliefs are not passed between five, which are a formula.
        (HitPools, (400_000, 10, 5)),
        (MessagePassing, (400_000, 10, 5)),
    ],
)
def test_a_forecast_for_many_examples_is_what_games_on_them_gain(attack, sizes):
    problem = Problem(*sizes)
    found = forecast(attack, Setting(problem), in_head=True)
    assert "of 20,000 examples" in found.reason or attack is MessagePassing
    mean, error = mean_gain(attack, problem)
    # The forecast has an error of its own, of six games at least.
    assert found.gain == pytest.approx(mean, abs=4 * np.sqrt(2) * error)


def test_the_plan_does_not_prefer_labels_one_by_one_where_all_examples_can_be_steered():
    assert plan(Problem(2_000_000, 1000, 1000)).chosen.attack == "champion-challenger"


def test_games_of_fewer_examples_are_not_played_where_there_are_as_many_classes():
    found = forecast(HitPools, Setting(Problem(300_000, 100_000, 100)), in_head=True)
    assert "played" not in found.reason
