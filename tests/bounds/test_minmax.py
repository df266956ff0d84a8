"""Corollary 1 as a game: the best mixed strategy against the worst labels, by linear programs."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.bounds.exhaustive import best_adaptive_accuracy, matches, vectors


@pytest.mark.statement("acharya2020 cor:minmax")
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 2), (1, 3), (1, 5), (3, 2), (2, 3)])
def test_the_best_worst_case_accuracy_is_the_best_uniform_accuracy(n: int, m: int) -> None:
    everything = vectors(n, m)
    # Pure strategies: a query and an output for each answer; what they score on each label vector.
    scores = {
        tuple(matches(rule[matches(query, z)], z) for z in everything)
        for query in everything
        for rule in itertools.product(everything, repeat=n + 1)
    }
    payoff = np.array(sorted(scores), dtype=np.float64) / n
    n_strategies, n_labels = payoff.shape
    # Maximise v with (weights @ payoff)_z >= v for every z, weights a distribution.
    game = linprog(
        c=np.append(np.zeros(n_strategies), -1.0),
        A_ub=np.column_stack([-payoff.T, np.ones(n_labels)]),
        b_ub=np.zeros(n_labels),
        A_eq=np.append(np.ones(n_strategies), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, 1.0)] * (n_strategies + 1),
    )
    assert game.success
    assert -game.fun == pytest.approx(best_adaptive_accuracy(n, m, 1), abs=1e-9)
    assert payoff.mean(axis=1).max() == pytest.approx(best_adaptive_accuracy(n, m, 1), abs=1e-12)
