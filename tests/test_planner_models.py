"""Forecasts of champion-challenger from a model that is equally sure of every example."""

import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.answers import ExactAnswers, NoisyAnswers, RoundedAnswers, SubsetAnswers
from holdfast.attacks.registry import attack_type, make_attack
from holdfast.attacks.steering.model_margin import left_to_gain, model_ratio
from holdfast.bounds.rate_distortion import spend
from holdfast.measured import table
from holdfast.planner import Setting
from holdfast.planner.forecast import forecast
from holdfast.planner.steered import FEW_IN_RUNNING, model_worth
from holdfast.priors import Prior
from tests.attacks.released import model_guess, play_under

# Forecasts against whole games.
pytestmark = pytest.mark.slow

# Below this many matches a forecast of next to nothing is as good as nothing.
A_THIRD = 1.0 / 3.0


def equally_sure(labels, accuracy, n_classes):
    return Prior.candidates(labels[:, None], np.full((labels.size, 1), accuracy), n_classes)


def gained(problem, accuracy, trials, answers, seed):
    """Return the mean gain above the model and its standard error."""
    n, m, _ = problem
    gains = []
    for sequence in np.random.SeedSequence(seed).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        top = model_guess(hidden, m, np.full(n, accuracy), rng)
        prior = equally_sure(top, accuracy, m)
        attack = make_attack("champion-challenger", problem, rng, prior=prior, answers=answers)
        guess = play_under(attack, hidden, answers, rng, None)
        gains.append(int((guess == hidden).sum()) - int((top == hidden).sum()))
    return float(np.mean(gains)), float(np.std(gains, ddof=1) / math.sqrt(trials))


def told(problem, accuracy, answers, name="champion-challenger"):
    top = np.zeros(problem.n_examples, dtype=np.int64)
    prior = equally_sure(top, accuracy, problem.n_classes)
    by_table = forecast(attack_type(name), Setting(problem, prior, answers))
    if problem.n_classes <= FEW_IN_RUNNING:
        return by_table.gain
    # The table ends here: a plan simulates such games.
    assert by_table.gain is None
    assert "so many labels in the running" in by_table.reason
    return forecast(attack_type(name), Setting(problem, prior, answers), in_head=True).gain


EXACT = ExactAnswers()
FEW = [
    ((1200, 2, 40), 0.6, EXACT, 24),
    ((600, 20, 80), 0.5, EXACT, 24),
    ((1500, 3, 120), 0.8, EXACT, 16),
]
# Trials: four standard errors are a tenth of the gain to a third of it.
MANY = [
    ((2000, 10, 100), 0.7, EXACT, 40),
    ((2000, 10, 100), 0.7, RoundedAnswers(0.01), 20),
    ((1000, 10, 300), 0.9, EXACT, 25),
    ((800, 100, 60), 0.6, EXACT, 40),
    ((3000, 50, 200), 0.4, EXACT, 12),
    ((1000, 6, 150), 0.95, EXACT, 40),
    ((2500, 10, 60), 0.5, RoundedAnswers(0.002), 40),
    ((2000, 4, 80), 0.6, NoisyAnswers(0.002), 30),
    ((1500, 5, 60), 0.5, RoundedAnswers(0.004), 30),
    ((3000, 10, 150), 0.6, NoisyAnswers(0.0005), 20),
]


def assert_told(sizes, accuracy, answers, trials, seed):
    problem = Problem(*sizes)
    mean, error = gained(problem, accuracy, trials, answers, seed)
    predicted = told(problem, accuracy, answers)
    assert abs(predicted - mean) <= max(0.1 * mean, 4 * error, A_THIRD), (predicted, mean, error)


@pytest.mark.parametrize(("sizes", "accuracy", "answers", "trials"), FEW)
def test_what_a_model_equally_sure_of_all_gains(sizes, accuracy, answers, trials):
    assert_told(sizes, accuracy, answers, trials, 61)


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "accuracy", "answers", "trials"), MANY)
def test_what_a_model_equally_sure_of_all_gains_in_many_trials(sizes, accuracy, answers, trials):
    assert_told(sizes, accuracy, answers, trials, 62)


@pytest.mark.parametrize(
    ("sizes", "fraction", "trials"), [((1000, 5, 300), 0.3, 4), ((800, 3, 250), 0.25, 6)]
)
def test_a_public_split_that_many_looks_almost_decide(sizes, fraction, trials):
    n, m, _ = problem = Problem(*sizes)
    answers, gains = SubsetAnswers(fraction), []
    for sequence in np.random.SeedSequence(63).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        scored = rng.permutation(n)[: answers.size(n)]
        attack = make_attack("champion-challenger", problem, rng, answers=answers)
        guess = play_under(attack, hidden, answers, rng, scored)
        gains.append(int((guess == hidden)[scored].sum()) - scored.size / m)
    predicted = forecast(attack_type("champion-challenger"), Setting(problem, answers=answers)).gain
    error = np.std(gains, ddof=1) / math.sqrt(trials)
    assert abs(predicted - np.mean(gains)) <= max(0.1 * np.mean(gains), 4 * error)


def test_rounding_hides_more_where_fewer_challengers_are_shown():
    problem = Problem(2000, 10, 100)
    shares = [
        model_worth(equally_sure(np.zeros(2000, dtype=int), accuracy, 10), rule, problem)
        for rule in (RoundedAnswers(0.002), NoisyAnswers(0.0005))
        for accuracy in (0.2, 0.5, 0.8)
    ]
    assert 1.0 > shares[0] > shares[1] > shares[2] > 0.0
    assert 1.0 > shares[3] > shares[4] > shares[5] > 0.0
    coarse = equally_sure(np.zeros(2000, dtype=int), 0.8, 10)
    assert model_worth(coarse, RoundedAnswers(0.01), problem) < 0.1


def test_a_model_is_looked_up_by_what_is_in_the_running():
    """Two likely labels of a hundred are as two of two."""
    n = 500
    two = Prior.dense(np.tile([0.6, 0.4], (n, 1)))
    rows = np.full((n, 100), 1e-7)
    rows[:, :2] = 0.6, 0.4
    hundred = Prior.dense(rows / rows.sum(axis=1, keepdims=True))
    few, many = (left_to_gain(spend(prior, 20.0)) for prior in (two, hundred))
    assert few == pytest.approx((2.0, 0.8, n), rel=1e-6)
    assert many == pytest.approx(few, rel=1e-3)


def test_the_ratio_with_a_model_passes_into_that_without():
    n = 1000
    weak = [0.1, 0.1 + 1e-9, 0.1 + 1e-4]
    ratios = [
        model_ratio(spend(equally_sure(np.zeros(n, dtype=int), each, 10), 50.0), 100, 0.77)
        for each in weak
    ]
    assert ratios == pytest.approx([0.77] * 3, abs=1e-3)
    sure = spend(equally_sure(np.zeros(n, dtype=int), 1.0, 10), 50.0)
    assert sure.gain == 0.0
    assert model_ratio(sure, 100, 0.77) == 0.77


def test_the_table_of_models_is_whole():
    c = table("champion-flat")
    ratio = np.array(c["ratio"])
    assert ratio.shape == tuple(len(c[axis]) for axis in ("classes", "left", "looks", "examples"))
    assert ((ratio >= 0.0) & (ratio < 2.0)).all()
