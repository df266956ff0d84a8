"""Slopes against numerical derivatives, shares against simulation."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers, SubsetAnswers
from holdfast.attacks._answer_likelihood import (
    Released,
    effective_variance,
    informative_share,
    slopes,
)
from holdfast.problem import Problem

PROBLEM = Problem(10_000, 10, 5)


def test_the_slope_of_a_rounded_answer_is_the_derivative_of_its_log_likelihood() -> None:
    model, variance = RoundedAnswers(0.01), 500.0
    answers = np.array([0.09, 0.10, 0.11, 0.12])
    released = Released.empty(4)
    for i, answer in enumerate(answers):
        released.put(i, *model.counts(answer, 10_000), model.estimate(answer, 10_000))

    def log_likelihood(mean: float) -> np.ndarray:
        above = norm.cdf(released.high + 0.5, mean, math.sqrt(variance))
        return np.log(above - norm.cdf(released.low - 0.5, mean, math.sqrt(variance)))

    means = np.full(4, 1010.0)
    expected = (log_likelihood(1010.01) - log_likelihood(1009.99)) / 0.02
    np.testing.assert_allclose(slopes(model, released, means, variance, PROBLEM), expected, 1e-4)


def test_slopes_far_out_stay_finite_and_ordered() -> None:
    model = RoundedAnswers(0.01)
    released = Released.empty(3)
    for i, answer in enumerate((0.0, 0.5, 1.0)):
        released.put(i, *model.counts(answer, 10_000), model.estimate(answer, 10_000))
    got = slopes(model, released, np.full(3, 1000.0), 500.0, PROBLEM)
    assert np.isfinite(got).all()
    assert (np.diff(got) > 0).all()


@pytest.mark.parametrize(
    "model", [ExactAnswers(), NoisyAnswers(0.003), RoundedAnswers(0.001), RoundedAnswers(0.01)]
)
def test_the_share_is_the_squared_correlation_that_is_left(model: AnswerModel) -> None:
    rng = np.random.default_rng(4)
    n, trials, variance, offset = 10_000, 200_000, 500.0, 400.0
    means = 1000 + math.sqrt(offset) * rng.normal(size=trials)
    exact = means + math.sqrt(variance) * rng.normal(size=trials)
    released = Released.empty(trials)
    if isinstance(model, RoundedAnswers):
        middle = np.round(exact / (model.step * n)) * model.step * n
        half = model.step * n / 2
        released = Released(middle - half + 0.5, middle + half - 0.5, middle)
    else:
        noise = math.sqrt(model.variance(PROBLEM)) * rng.normal(size=trials)
        released = Released(exact, exact, exact + noise)
    slope = slopes(model, released, means, variance, PROBLEM)
    products = slope * (exact - means)
    # Cov(slope, count) = share, for each of the three kinds of slope.
    share = informative_share(model, variance, offset, PROBLEM)
    assert abs(products.mean() - share) < 4 * products.std() / math.sqrt(trials)
    assert effective_variance(model, variance, offset, PROBLEM) == pytest.approx(
        variance * (1 / share - 1), abs=1e-9
    )


def test_a_scored_subset_leaves_its_fraction() -> None:
    assert informative_share(SubsetAnswers(0.3), 500.0, 400.0, PROBLEM) == pytest.approx(0.3)
