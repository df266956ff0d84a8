"""The paper's attack for many queries, features unknown."""

from __future__ import annotations

from holdfast.attacks.without_features.column_attack import LiveColumnAttack
from holdfast.kernels.columns import BalancedColumns

__all__ = ["ColumnVote"]


class ColumnVote(LiveColumnAttack):
    r"""Decide each row of a random share t/n of the feature space by its average answers.

    As `holdfast.attacks.ColumnVote`, with the t live examples chosen by a keyed coin of the
    features (their number is Bin(n, t/n)) and each row's column drawn by its key.

    Implements: acharya2020 fig:largek-unk (Figure 4)
    Implements: acharya2020 remark:multiple (Remark 2)
    Guarantee: acharya2020 thm:large (Theorem 6), up to a constant, distinct features, exact answers

    Departures
    ----------
    As for `holdfast.attacks.ColumnVote`.

    Parameters
    ----------
    problem
        The sizes to play for; the attack needs to know n.
    permuted
        Play through a keyed permutation of each row's labels (Theorem 7).
    queries_per_nat
        The c in t = 1 + k/(c log m).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> attack = ColumnVote(Problem(1000, 10, 300), rng=np.random.default_rng(0))
    >>> attack.ask().predict(np.arange(12.0).reshape(4, 3)).shape
    (4,)
    """

    _design = BalancedColumns
