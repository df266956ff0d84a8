"""The paper's decoder on Feldman, Frostig and Hardt's queries."""

from __future__ import annotations

import numpy as np

from holdfast.attacks.column_attack import ColumnAttack, n_live_for
from holdfast.attacks.column_vote import QUERIES_PER_NAT
from holdfast.columns import UniformColumns
from holdfast.problem import Problem

__all__ = ["UniformVote"]


class UniformVote(ColumnAttack):
    r"""Decide one example at a time by average answers, on columns drawn uniformly.

    As `ColumnVote`, but every label of every column is drawn independently, as Feldman, Frostig
    and Hardt query. The paper remarks that a slight change of the final prediction handles
    these columns too: divide each label's total by how often it was asked.

    Implements: acharya2020 remark:uniform (section 6, after the queries)

    Departures
    ----------
    The remark gives no decoder; averages are the slight change that works. Sums do not: with
    n = 10,000, m = 10, k = 2,080 they decide 9 % of the t labels, averages 99 %.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    queries_per_nat
        The c in t = 1 + k/(c log m).

    Examples
    --------
    >>> attack = UniformVote(Problem(200, 2, 700), rng=np.random.default_rng(0))
    >>> attack.ask().shape
    (200,)
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
