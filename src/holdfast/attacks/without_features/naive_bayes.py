"""Feldman, Frostig and Hardt's attack for few queries, features unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Reads
from holdfast.attacks.paper.naive_bayes import whole_log_odds
from holdfast.attacks.without_features.column_attack import ColumnAttack
from holdfast.problem import Problem

__all__ = ["NaiveBayes"]


class NaiveBayes(ColumnAttack):
    r"""Weigh every random classifier's labels by the log odds of its accuracy.

    As `holdfast.attacks.NaiveBayes`, with each query a random function of the features.

    Implements: feldman2019 alg:naive-bayes (the polynomial-time attack)

    Departures
    ----------
    The weights are whole numbers, as there: two bytes a look, that add up alike everywhere.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a keyed permutation of each row's labels (Theorem 7); the queries are
        uniform already, so it changes nothing in distribution.

    Examples
    --------
    >>> attack = NaiveBayes(Problem(1000, 10, 300), rng=np.random.default_rng(0))
    >>> attack.predict().predict([b"row"]).shape
    (1,)
    """

    strongest_on = frozenset({Reads.SCORES})
    effort = 6.0
    _average = False

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        problem = Problem(*problem)
        super().__init__(problem, rng=rng, permuted=permuted, n_live=problem.n_examples)

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return whole_log_odds(counts, self._problem)
