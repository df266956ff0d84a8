"""BoundaryChallenger: more than champion-challenger under coarse rounding, the same elsewhere."""

import math

import numpy as np
import pytest

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks.steering.boundary_challenger import BoundaryChallenger
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.planner.forecast import forecast
from holdfast.planner.steered import crossing_chance
from holdfast.problem import Problem
from holdfast.setting import Setting
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


def played(problem: Problem, model: RoundedAnswers, trials: int) -> np.ndarray:
    n, m, _ = problem
    gains = np.empty(trials)
    for trial in range(trials):
        hidden = np.random.default_rng((2, trial)).integers(m, size=n)
        made = BoundaryChallenger(problem, rng=np.random.default_rng(trial), answers=model)
        gains[trial] = (play_under(made, hidden, model) == hidden).sum() - n / m
    return gains


@pytest.mark.slow
def test_a_boundary_far_below_chance_is_reached_as_forecast() -> None:
    # As (10000, 26) with two decimals: the boundaries are 1.8 standard deviations below n/m and
    # 3 above. Steered upwards alone it gained 29 +- 5 here.
    problem, model = Problem(2000, 26, 150), RoundedAnswers(0.0205)
    gains = played(problem, model, 12)
    told = forecast(BoundaryChallenger, Setting(problem, answers=model)).gain
    error = gains.std(ddof=1) / math.sqrt(gains.size)
    assert abs(gains.mean() - told) < max(0.1 * told, 4 * error)
    assert gains.mean() - 3 * error > 29


@pytest.mark.parametrize("problem", [Problem(60, 7, 9), Problem(200, 26, 9), Problem(50, 2, 9)])
@pytest.mark.parametrize("step", [0.02, 0.07, 0.2])
def test_the_chance_to_cross_a_boundary_is_that_of_all_counts(
    problem: Problem, step: float
) -> None:
    n, m, _ = problem
    middle = round(n / m / (step * n))
    crossing = sum(
        math.comb(n, count) * (m - 1) ** (n - count) / m**n
        for count in range(n + 1)
        if abs(count / (step * n) - middle) > 0.5 + 1e-9
    )
    assert crossing_chance(problem, RoundedAnswers(step)) == pytest.approx(crossing, abs=1e-12)


@pytest.mark.parametrize("attack", [BoundaryChallenger, ChampionChallenger])
@pytest.mark.parametrize("sizes", [(10_000, 100), (100_000, 26)])
def test_nothing_is_forecast_where_every_answer_is_known_beforehand(
    attack: type[ChampionChallenger], sizes: tuple[int, int]
) -> None:
    # Five and more standard deviations to either boundary: a chance of 1e-6 a look.
    setting = Setting(Problem(*sizes, 300), answers=RoundedAnswers(0.01))
    assert forecast(attack, setting).gain < 1.0


def test_far_boundaries_are_waited_for_with_all_positions() -> None:
    # Half of the positions spread less: at (10000, 26) they would wait seven times as long.
    near, far = (
        BoundaryChallenger(
            Problem(10_000, m, 1000), rng=np.random.default_rng(1), answers=RoundedAnswers(0.01)
        )
        for m in (10, 26)
    )
    assert (len(near._windows), len(far._windows)) == (2, 1)
