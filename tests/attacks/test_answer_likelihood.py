"""Slopes against numerical derivatives, shares against simulation."""

import math

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers, SubsetAnswers
from holdfast.attacks.answer_likelihood import (
    ReleasedCounts,
    effective_variance,
    informative_share,
    rounding_share,
    slopes,
    truncated_normal,
)
from holdfast.problem import Problem

PROBLEM = Problem(10_000, 10, 5)


def test_the_slope_of_a_rounded_answer_is_the_derivative_of_its_log_likelihood() -> None:
    model, variance = RoundedAnswers(0.01), 500.0
    answers = np.array([0.09, 0.10, 0.11, 0.12])
    released = ReleasedCounts.empty(4)
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
    released = ReleasedCounts.empty(3)
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
    released = ReleasedCounts.empty(trials)
    if isinstance(model, RoundedAnswers):
        middle = np.round(exact / (model.step * n)) * model.step * n
        half = model.step * n / 2
        released = ReleasedCounts(middle - half + 0.5, middle + half - 0.5, middle)
    else:
        noise = math.sqrt(model.variance(PROBLEM)) * rng.normal(size=trials)
        released = ReleasedCounts(exact, exact, exact + noise)
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


def test_the_share_is_two_over_pi_on_a_boundary_and_one_for_fine_steps() -> None:
    assert rounding_share(1050.0, 400.0, 100.0) == pytest.approx(2 / math.pi, abs=1e-3)
    assert rounding_share(1003.0, 400.0, 1.0) == pytest.approx(1.0, abs=1e-3)
    assert rounding_share(1000.0, 100.0, 100.0) < 0.01


def test_the_share_is_the_variance_that_the_interval_explains() -> None:
    rng = np.random.default_rng(0)
    counts = 1020 + 22 * rng.normal(size=400_000)
    step = np.round(counts / 100)
    explained = sum(
        (step == s).mean() * (counts[step == s].mean() - counts.mean()) ** 2
        for s in np.unique(step)
    )
    assert rounding_share(1020.0, 484.0, 100.0) == pytest.approx(explained / counts.var(), abs=0.01)


def test_truncated_moments_are_those_of_the_density_between_the_ends() -> None:
    below = np.array([-3.0, -0.5, 0.3, 2.0, 6.5, -np.inf, -7.0, 4.0])
    above = np.array([-1.0, 0.5, 0.4, 9.0, 6.8, 0.2, -6.9, np.inf])
    exact = [truncnorm.stats(*ends, moments="mv") for ends in zip(below, above, strict=True)]
    mean, variance = truncated_normal(below, above)
    np.testing.assert_allclose(mean, [each[0] for each in exact], rtol=1e-9)
    np.testing.assert_allclose(variance, [each[1] for each in exact], rtol=1e-5, atol=1e-9)


def test_far_out_the_number_is_at_the_nearer_end() -> None:
    mean, variance = truncated_normal(np.array([30.0, -41.0]), np.array([31.0, -40.0]))
    assert mean.tolist() == [30.0, -40.0]
    assert variance.tolist() == [0.0, 0.0]
