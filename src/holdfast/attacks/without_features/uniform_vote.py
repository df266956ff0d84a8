"""The paper's decoder on Feldman, Frostig and Hardt's queries, features unknown."""

from __future__ import annotations

import numpy as np

from holdfast.attacks.column_attack import n_live_for
from holdfast.attacks.column_vote import QUERIES_PER_NAT
from holdfast.attacks.without_features.column_attack import ColumnAttack
from holdfast.columns import UniformColumns
from holdfast.problem import Problem

__all__ = ["UniformVote"]


class UniformVote(ColumnAttack):
    r"""Decide each row of a random share of the feature space, on columns drawn uniformly.

    As `holdfast.attacks.UniformVote`, with the live rows and their columns keyed by features.

    Implements: acharya2020 remark:uniform (section 6, after the queries)

    Parameters
    ----------
    problem
        The sizes to play for; the attack needs to know n.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a keyed permutation of each row's labels (Theorem 7).
    queries_per_nat
        The c in t = 1 + k/(c log m).

    Examples
    --------
    >>> attack = UniformVote(Problem(1000, 10, 300), rng=np.random.default_rng(0))
    >>> attack.ask().predict(["a", "b"]).dtype
    dtype('uint8')
    """

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        queries_per_nat: float = QUERIES_PER_NAT,
    ) -> None:
        problem = Problem(*problem)
        super().__init__(
            problem,
            rng=rng,
            permuted=permuted,
            columns=UniformColumns(problem.n_queries, problem.n_classes),
            n_live=n_live_for(problem, queries_per_nat),
        )
