"""The compiled loops of the linear posterior against their definitions."""

import numpy as np
import pytest

from holdfast.attacks.steering.linear_posterior import LinearPosterior
from holdfast.attacks.steering.posterior_kernels import (
    BLOCK_POSITIONS,
    FEW_LABELS,
    covariances,
    picked,
    tilt,
)
from holdfast.attacks.steering.query_variants import DOWN, UP, QueryVariants

LABELS = (2, FEW_LABELS, FEW_LABELS + 1)


def sample(n_labels, n=700, looks=5):
    rng = np.random.default_rng(n_labels)
    past = rng.integers(n_labels, size=(looks, n), dtype=np.uint8)
    prior = rng.dirichlet(np.ones(n_labels), size=n).T.copy()
    return rng, past, prior


@pytest.mark.parametrize("n_labels", LABELS)
def test_covariances_are_sums_over_positions(n_labels):
    rng, past, prior = sample(n_labels)
    new = rng.integers(n_labels, size=past.shape[1], dtype=np.uint8)
    weights = rng.random(new.size)
    gains = picked(prior, new, weights)
    at = np.arange(new.size)
    assert np.array_equal(gains, weights * prior[new, at])
    out = np.empty((-(-new.size // BLOCK_POSITIONS), len(past)))
    covariances(past, new, gains, prior, 1.5, 0, len(out), out)
    expected = [(gains * (1.5 * (row == new) - prior[row, at])).sum() for row in past]
    assert out.sum(axis=0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_labels", LABELS)
def test_tilting_adds_each_change_at_the_label_shown(n_labels):
    rng, past, prior = sample(n_labels)
    change = rng.normal(size=len(past))
    state = np.zeros((2, *prior.shape))
    tilt(past, change, prior, n_labels, 0, -(-past.shape[1] // BLOCK_POSITIONS), state)
    theta = np.array([change @ (past == label) for label in range(n_labels)])
    assert state[0] == pytest.approx(theta, abs=1e-12)
    assert state[1] == pytest.approx(prior * (1.0 + theta - (prior * theta).sum(axis=0)), abs=1e-12)


def test_a_variant_has_the_mean_and_the_rough_variance_of_its_labels():
    rng, past, prior = sample(4)
    posterior = LinearPosterior(prior, np.ones(prior.shape[1]), 10)
    for codes in past:
        posterior.tell(posterior.look(codes), 200.0, 1.0)
    look = posterior.look(rng.integers(4, size=prior.shape[1], dtype=np.uint8))
    variants = QueryVariants(look, posterior, level=1.0, rng=rng)
    estimates, at = posterior.estimates, np.arange(look.codes.size)
    best = estimates.argmax(axis=0)
    kinds = set()
    for variant in variants:
        codes = variants.codes(variant)
        changed = codes != look.codes
        kinds.add(variant.kind)
        assert variant.mean == pytest.approx(posterior.look(codes).mean, abs=1e-6)
        added = estimates[codes, at][changed].sum()
        assert variant.variance == pytest.approx(look.variance + added, abs=1e-6)
        if variant.kind == UP:
            assert (codes[changed] == best[changed]).all()
        if variant.kind == DOWN:
            assert (look.codes[changed] == best[changed]).all()
    assert len(kinds) == 3
