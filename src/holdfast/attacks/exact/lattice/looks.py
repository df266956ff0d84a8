"""Looks that recovering labels exactly takes: measured multiples of the information limit.

The limit: t labels of m equally likely classes have t ln m nats, and an answer, the number of
matches among t, has at most the entropy of Bin(t, 1/m). Their ratio is a number of looks that no
method can beat on average. `Lattice` takes 1.3 to 2.4 times that, by classes and positions in a way
that no formula gives; so the multiples are measured (`make data NAMES=planner`) and what lies
between the measured sizes is read off their line.
"""

from __future__ import annotations

import math

from holdfast.bounds.binomial import entropy
from holdfast.bounds.bisection import least
from holdfast.measured import grid, table
from holdfast.problem import Problem

__all__ = ["information_limit", "lattice_affordable", "lattice_looks"]


def lattice_looks(n_positions: int, n_classes: int) -> float:
    """Return how many looks `Lattice` takes for every label of so many positions.

    A measured multiple of the information limit t ln m / H(Bin(t, 1/m)).

    >>> 6000 < lattice_looks(10_000, 10) < 8000
    True
    """
    c = table("lattice")
    return grid([c["classes"], c["positions"]], c["ratio"], [n_classes, max(1, n_positions)]) * (
        information_limit(n_positions, n_classes)
    )


def lattice_affordable(n_queries: float, problem: Problem) -> int:
    """Return of how many positions so many looks tell every label, on average."""
    n, m, _ = problem
    return least(lambda t: lattice_looks(t, m) > n_queries, 0, n + 1) - 1


def information_limit(n_positions: int, n_classes: int) -> float:
    """Return how many looks no method can beat on average, for every label of so many positions."""
    if n_positions == 0:
        return 0.0
    return n_positions * math.log(n_classes) / entropy(n_positions, n_classes)
