"""BoundaryChallenger: more than champion-challenger under coarse rounding, the same elsewhere."""

import math

import numpy as np
import pytest

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks.steering.boundary_challenger import BoundaryChallenger, share_left
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.problem import Problem
from tests.attacks.released import play_under


def test_the_share_is_two_over_pi_on_a_boundary_and_one_for_fine_steps() -> None:
    assert share_left(1050.0, 400.0, 100.0) == pytest.approx(2 / math.pi, abs=1e-3)
    assert share_left(1003.0, 400.0, 1.0) == pytest.approx(1.0, abs=1e-3)
    assert share_left(1000.0, 100.0, 100.0) < 0.01


def test_the_share_is_the_variance_that_the_interval_explains() -> None:
    rng = np.random.default_rng(0)
    counts = 1020 + 22 * rng.normal(size=400_000)
    step = np.round(counts / 100)
    explained = sum(
        (step == s).mean() * (counts[step == s].mean() - counts.mean()) ** 2
        for s in np.unique(step)
    )
    assert share_left(1020.0, 484.0, 100.0) == pytest.approx(explained / counts.var(), abs=0.01)


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
    # Steps of 3.2 standard deviations.
    n, m, k, trials = 1000, 10, 80, 70
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
