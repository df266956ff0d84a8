"""Feldman, Frostig and Hardt's attack for few queries, features unknown."""

from __future__ import annotations

from holdfast.attacks.paper.naive_bayes import LogOddsVotes
from holdfast.attacks.without_features.column_attack import ColumnAttack
from holdfast.attacks.without_features.keyed_classifier import KeyedClassifier

__all__ = ["NaiveBayes"]


class NaiveBayes(LogOddsVotes[KeyedClassifier], ColumnAttack):
    r"""Weigh every random classifier's labels by the log odds of its accuracy.

    As `holdfast.attacks.NaiveBayes`, with each query a random function of the features.

    Implements: feldman2019 alg:naive-bayes (the polynomial-time attack)

    Departures
    ----------
    The weights are whole numbers, as there: two bytes per look, that add up alike everywhere.

    Parameters
    ----------
    permuted
        Play through a keyed permutation of each row's labels (Theorem 7); the queries are
        uniform already, so it changes nothing in distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> attack = NaiveBayes(Problem(1000, 10, 300), rng=np.random.default_rng(0))
    >>> attack.predict().predict([b"row"]).shape
    (1,)
    """
