"""BoundaryChallenger: more than champion-challenger under coarse rounding, the same elsewhere."""

import math

import numpy as np
import pytest

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks.steering.boundary_challenger import BoundaryChallenger
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.problem import Problem
from tests.attacks.released import play_under


@pytest.mark.parametrize("model", [ExactAnswers(), NoisyAnswers(0.01)], ids=str)
def test_without_coarse_rounding_it_plays_as_champion_challenger(model: AnswerModel) -> None:
    hidden = np.random.default_rng(1).integers(10, size=500)
    guesses = []
    for attack in (ChampionChallenger, BoundaryChallenger):
        made = attack(Problem(500, 10, 20), rng=np.random.default_rng(2), answers=model)
        guesses.append(play_under(made, hidden, model, np.random.default_rng(3)))
    np.testing.assert_array_equal(*guesses)


@pytest.mark.slow
def test_coarse_rounding_leaves_it_more() -> None:
    # Steps of 3.2 standard deviations. It gains a standard deviation more, six errors of 40 trials.
    n, m, k, trials = 1000, 10, 80, 40
    model = RoundedAnswers(0.03)
    over = np.empty(trials)
    for trial in range(trials):
        hidden = np.random.default_rng((2, trial)).integers(m, size=n)
        scores = []
        for attack in (BoundaryChallenger, ChampionChallenger):
            made = attack(Problem(n, m, k), rng=np.random.default_rng(trial), answers=model)
            scores.append((play_under(made, hidden, model) == hidden).sum())
        over[trial] = scores[0] - scores[1]
    assert over.mean() > 4 * over.std() / math.sqrt(trials)
