"""Rate-distortion at a slope, against Blahut and Arimoto's iteration and closed forms."""

import math

import numpy as np
import pytest

from holdfast.attacks.steering.water_filling import lagrange_slope
from holdfast.bounds.rate_distortion import LabelLaws, gain_for_nats, spend
from holdfast.priors import Prior
from holdfast.problem import Problem
from tests.bounds.blahut_arimoto import blahut_arimoto

LAWS = [
    [0.9, 0.1, 0.0, 0.0],
    [0.4, 0.3, 0.2, 0.1],
    [0.34, 0.33, 0.33, 0.0],
    [0.7, 0.1, 0.1, 0.1],
    [0.25] * 4,
]
SLOPES = [0.7, 2.5, 4.0, 6.0]


@pytest.mark.parametrize("slope", SLOPES)
def test_every_law_costs_and_buys_what_iteration_finds(slope):
    found = LabelLaws(np.array(LAWS)).at(slope)
    for row, nats, best in zip(LAWS, found.nats, found.best, strict=True):
        rate, accuracy = blahut_arimoto(row, slope)
        assert nats == pytest.approx(rate, abs=2e-4)
        assert best == pytest.approx(accuracy, abs=2e-4)


@pytest.mark.parametrize("slope", SLOPES)
def test_classes_that_are_alike_may_share_a_column_and_a_column_may_stand_for_none(slope):
    whole = LabelLaws(np.array([[0.4, *[0.1] * 6], [0.22, *[0.13] * 6]])).at(slope)
    merged = LabelLaws(np.array([[0.4, 0.1], [0.22, 0.13]]), np.array([1.0, 6.0])).at(slope)
    empty = LabelLaws(
        np.array([[0.4, 0.1, 0.1], [0.22, 0.13, 0.13]]), np.array([[1.0, 0.0, 6.0]] * 2)
    ).at(slope)
    for each, other, third in zip(whole, merged, empty, strict=True):
        assert each == pytest.approx(other, abs=1e-12)
        assert each == pytest.approx(third, abs=1e-12)


def test_the_compiled_solver_finds_the_slope_whose_rates_iteration_sums():
    """It stops within half a per cent of the nats."""
    sure = np.array(LAWS)[[1, 3, 4]]

    def rate(slope):
        return sum(blahut_arimoto(row, slope)[0] for row in sure)

    for slope in SLOPES:
        nats = rate(slope)
        found = lagrange_slope(sure.T, nats)
        assert rate(found) == pytest.approx(nats, rel=0.006)


def test_spending_keeps_to_the_budget():
    """The nats that the winners' odds cost, summed by hand, are those that were given."""
    prior = Prior.dense(np.random.default_rng(3).dirichlet(np.full(6, 0.4), size=300))
    found = spend(prior, 90.0)
    rows = np.sort(prior.dense_rows(), axis=1)[:, ::-1]
    nats = 0.0
    for row, best, running in zip(rows, found.best, found.running.astype(int), strict=True):
        inside = row[:running]
        after = np.r_[best, np.full(running - 1, best * math.exp(-found.slope))]
        assert after.sum() == pytest.approx(inside.sum())
        nats += float((after * np.log(after)).sum() - (inside * np.log(inside)).sum())
    assert nats == pytest.approx(90.0, rel=1e-6)
    assert found.gain == pytest.approx(float((found.best - rows[:, 0]).sum()))
    assert spend(prior, 1e6).gain == pytest.approx(300 - float(rows[:, 0].sum()))


def test_a_uniform_prior_costs_the_divergence_from_guessing():
    problem = Problem(500, 7, 100)
    for nats in (1.0, 50.0, 400.0, 2000.0):
        gain = spend(Prior.uniform(500, 7), nats).gain
        assert gain == pytest.approx(gain_for_nats(problem, nats), rel=1e-6)
