"""No attack exceeds what the information in its answers allows, nor the true optimum."""

import itertools

import numpy as np
import pytest

from holdfast import Problem, play
from holdfast.bounds.information import information_non_adaptive
from holdfast.bounds.tilted import information_adaptive_tilted
from holdfast.optimal import optimal
from holdfast.oracles import LabelOracle
from holdfast.planner.auto import Auto
from tests.attacks.conformance import attack_classes, build

STEERED = {cls for cls in attack_classes() if getattr(cls, "adaptive", True)}


def plays(cls, sizes):
    """Whether an attack is made for these sizes: one is for two classes only."""
    return cls.__name__ != "Boosting" or sizes[1] == 2


def every_attack(*cases):
    """Every attack with the sizes that it plays."""
    return pytest.mark.parametrize(
        ("cls", "sizes"),
        [
            pytest.param(cls, sizes, marks=pytest.mark.slow if cls is Auto else [])
            for cls in attack_classes()
            for sizes in cases
            if plays(cls, sizes)
        ],
    )


@every_attack((5, 2, 2), (5, 2, 3), (4, 3, 2), (3, 4, 3))
def test_the_optimum(cls, sizes):
    """With one seed an attack is one strategy: over all label vectors it is at most optimal."""
    n, m, _ = problem = Problem(*sizes)
    matches = 0
    for hidden in itertools.product(range(m), repeat=n):
        guess = play(build(cls, problem), LabelOracle(hidden, problem=problem))
        matches += int((guess == hidden).sum())
    assert matches <= optimal(*sizes) * n * m**n


@every_attack((200, 2, 30), (200, 10, 40), (60, 30, 10))
def test_the_information_bound(cls, sizes):
    """Entropy of the answers; for fixed queries that of a single one, k times."""
    n, m, _ = problem = Problem(*sizes)
    bound = information_adaptive_tilted(problem).accuracy
    if cls not in STEERED and cls.__name__ != "Auto":
        bound = information_non_adaptive(problem).accuracy
    right = []
    for seed in range(8):
        hidden = np.random.default_rng([seed, 9]).integers(m, size=n)
        guess = play(build(cls, problem, seed), LabelOracle(hidden, problem=problem))
        right.append(np.mean(guess == hidden))
    assert np.mean(right) - 4 * np.std(right, ddof=1) / np.sqrt(8) <= bound < 1.0
