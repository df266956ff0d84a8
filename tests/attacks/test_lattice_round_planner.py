"""Choices of rounds that are remembered are those that would be made anew."""

import numpy as np
import pytest

from holdfast import Problem
from holdfast.attacks import Lattice
from holdfast.attacks.exact.lattice import round_planner
from holdfast.priors import Prior


def queries(hidden, m, seed, prior=None, k=10_000):
    """Return all that a game asks."""
    attack = Lattice(Problem(hidden.size, m, k), rng=np.random.default_rng(seed), prior=prior)
    asked = []
    while (query := attack.ask()) is not None:
        asked.append(query.tolist())
        attack.tell(np.count_nonzero(query == hidden) / hidden.size)
    return asked


@pytest.mark.parametrize(("m", "k"), [(2, 10_000), (3, 10_000), (7, 10_000), (7, 30), (40, 10_000)])
def test_a_game_asks_the_same_whatever_was_chosen_before(m, k, monkeypatch):
    labels = [np.random.default_rng(seed).integers(m, size=60) for seed in range(3)]
    fresh = []
    for seed, hidden in enumerate(labels):
        round_planner.forget()
        fresh.append(queries(hidden, m, seed, k=k))
    assert [queries(hidden, m, seed, k=k) for seed, hidden in enumerate(labels)] == fresh
    # The same games once more: nothing is left to choose.
    monkeypatch.setattr(round_planner.RoundPlanner, "_choose", None)
    assert [queries(hidden, m, seed, k=k) for seed, hidden in enumerate(labels)] == fresh


def test_from_a_model_every_round_is_chosen_for_its_doubts():
    hidden = np.random.default_rng(0).integers(4, size=60)
    rng = np.random.default_rng(1)
    top = np.where(rng.random(60) < 0.8, hidden, (hidden + 1) % 4)
    round_planner.forget()
    for sure in (0.9, 0.7):
        prior = Prior.candidates(top[:, None], np.full((60, 1), sure), 4)
        queries(hidden, 4, 0, prior)
    assert not round_planner._chosen
