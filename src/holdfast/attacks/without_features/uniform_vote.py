"""The paper's decoder on Feldman, Frostig and Hardt's queries, features unknown."""

from __future__ import annotations

from holdfast.attacks.without_features.column_attack import LiveColumnAttack
from holdfast.kernels.columns import UniformColumns

__all__ = ["UniformVote"]


class UniformVote(LiveColumnAttack):
    r"""Decide each row of a random share of the feature space, on columns drawn uniformly.

    As `holdfast.attacks.UniformVote`, with the live rows and their columns keyed by features.

    Implements: acharya2020 remark:uniform (Remark 1)

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
    >>> attack = UniformVote(Problem(1000, 10, 300), rng=np.random.default_rng(0))
    >>> attack.ask().predict(["a", "b"]).dtype
    dtype('uint8')
    """

    _design = UniformColumns
