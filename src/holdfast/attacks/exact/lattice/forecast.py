"""Looks that recovering labels exactly takes: measured multiples of the information limit.

The limit: t labels of m equally likely classes have t ln m nats, and an answer, the number of
matches among t, has at most the entropy of Bin(t, 1/m). Their ratio is a number of looks that no
method can beat on average. `Lattice` takes 1.3 to 2.4 times that, by classes and positions in a way
that no formula gives; so the multiples are measured (`make data NAMES=planner`) and what lies
between the measured sizes is read off their line.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast.bounds.binomial import entropy
from holdfast.bounds.bisection import least
from holdfast.forecasts import Setting
from holdfast.forecasts.tables import grid, table
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["lattice_affordable", "lattice_certain", "lattice_looks"]


def lattice_looks(n_positions: int, n_classes: int) -> float:
    """Return how many looks `Lattice` takes for every label of so many positions.

    A measured multiple of the information limit t ln m / H(Bin(t, 1/m)).

    >>> 6000 < lattice_looks(10_000, 10) < 8000
    True
    """
    c = table("lattice")
    return grid([c["classes"], c["positions"]], c["ratio"], [n_classes, max(1, n_positions)]) * (
        _limit(n_positions, n_classes)
    )


def lattice_affordable(n_queries: float, problem: Problem) -> int:
    """Return of how many positions so many looks tell every label, on average."""
    n, m, _ = problem
    return least(lambda t: lattice_looks(t, m) > n_queries, 0, n + 1) - 1


def lattice_certain(setting: Setting) -> tuple[int, int]:
    """Return how many labels `Lattice` makes certain with all the looks, and the looks it takes.

    A model's labels are checked and only those that fail are asked: a multiple of the entropy
    that the model leaves. With too few looks for all labels it must be careful, which costs some:
    another measured multiple.
    """
    n, m, k = setting.problem
    every = lattice_looks(n, m)
    if setting.prior is not None:
        every = min(every, _prior_looks(setting.prior))
    every = math.ceil(every)
    if every <= k:
        return n, every
    c = table("lattice-budget")
    ratio = grid([c["classes"], c["looks"]], c["ratio"], [m, k])
    return least(lambda t: ratio * _limit(t, m) > k, 0, n + 1) - 1, k


def _prior_looks(prior: Prior) -> float:
    """Return how many looks it takes to check and mend a model's labels.

    What is left to learn is the model's entropy over all examples, in nats, as far as its 64
    likeliest labels go; the rest of its probability is spread evenly. An answer about labels shown
    as the model has them varies with the number of its errors: a normal number with the variance
    of that sum, whose entropy is at most what an answer tells.
    """
    c = table("lattice-prior")
    _, rows = prior.ranked(min(prior.n_classes, 64))
    rest = np.maximum(0.0, 1.0 - rows.sum(axis=1))
    others = max(1, prior.n_classes - rows.shape[1])
    nats = -float((rows * np.log(np.maximum(rows, 1e-300))).sum())
    nats -= float((rest * np.log(np.maximum(rest / others, 1e-300))).sum())
    top = rows[:, 0]
    spread = max(1.0, float((top * (1.0 - top)).sum()))
    an_answer = 0.5 * math.log(2.0 * math.pi * math.e * spread)
    size = [prior.n_classes, prior.n_examples]
    return grid([c["classes"], c["examples"]], c["ratio"], size) * nats / an_answer


def _limit(n_positions: int, n_classes: int) -> float:
    if n_positions == 0:
        return 0.0
    return n_positions * math.log(n_classes) / entropy(n_positions, n_classes)
