"""The paper's decoder on Feldman, Frostig and Hardt's queries."""

from __future__ import annotations

from holdfast.attacks.paper._column_attack import LiveColumnAttack
from holdfast.kernels.columns import UniformColumns

__all__ = ["UniformVote"]


class UniformVote(LiveColumnAttack):
    r"""Decide one example at a time by average answers, on columns drawn uniformly.

    As `ColumnVote`, but every label of every column is drawn independently, as Feldman, Frostig
    and Hardt query. The paper remarks that a slight change of the final prediction handles
    these columns too: divide each label's total by how often it was asked.

    Implements: acharya2020 remark:uniform (Remark 1)

    Departures
    ----------
    The remark gives no decoder; averages are the slight change that works. Sums do not: with
    n = 10,000, m = 10, k = 2,080 they decide 9 % of the t labels, averages 99 %.

    Parameters
    ----------
    queries_per_nat
        The c in t = 1 + k/(c log m).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> attack = UniformVote(Problem(200, 2, 700), rng=np.random.default_rng(0))
    >>> attack.ask().shape
    (200,)
    """

    family = "paper"
    summary = "averages answers to uniformly random queries"

    _design = UniformColumns
