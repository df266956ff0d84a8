"""Every attack x every check of `holdfast.testing`."""

import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.attacks import without_features
from holdfast.testing import attack_checks
from holdfast.testing.games import AnyQueryOracle
from tests.attacks.conformance import attack_classes


def permuted(problem, *, rng):
    """A wrapper around an attack that would else permute by itself."""
    return attacks.Permuted(attacks.HillClimb(problem, rng=rng, permuted=False), rng=rng)


def permuted_without_features(problem, *, rng):
    inner = without_features.BlockMajority(problem, rng=rng, permuted=False)
    return without_features.Permuted(inner, rng=rng)


def by_index(problem, *, rng):
    return without_features.ByIndex(without_features.BlockMajority(problem, rng=rng))


WRAPPED = {"Permuted": permuted_without_features, "ByIndex": by_index}
WITHOUT_FEATURES = [
    WRAPPED.get(name, getattr(without_features, name)) for name in without_features.__all__
]
FACTORIES = [*attack_classes(), permuted, *WITHOUT_FEATURES]


def test_there_are_attacks_to_check():
    assert len(attack_classes()) >= 20
    assert len(WITHOUT_FEATURES) >= 6


@pytest.mark.parametrize("check", attack_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "factory", FACTORIES, ids=lambda factory: f"{factory.__module__}.{factory.__name__}"
)
def test_every_attack_passes_every_check(factory, check):
    check(factory)


def test_the_permuted_wrapper_counts_its_answers():
    problem = Problem(45, 5, 8)
    attack = permuted(problem, rng=np.random.default_rng(5))
    play(attack, AnyQueryOracle(problem))
    assert attack.answered == 8
