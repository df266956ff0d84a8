"""The paper's attack for many queries, features known."""

from __future__ import annotations

from holdfast.attacks.paper._column_attack import LiveColumnAttack
from holdfast.kernels.columns import BalancedColumns

__all__ = ["ColumnVote"]


class ColumnVote(LiveColumnAttack):
    r"""Decide one example at a time by the average answer of the queries that gave it each label.

    The first t examples get a random column in which every label appears equally often; the
    others are held at one label. For each label of example j, average the answers of the
    queries that used it: the true label's queries score one match more than the others', all
    else averages out, and with t small enough that one match stands out.

    Implements: acharya2020 fig:largek (Figure 2)
    Implements: acharya2020 remark:multiple (Remark 2)
    Guarantee: acharya2020 thm:large (Theorem 6), for 9 m log m < k <= 9 (n-1) log m, exact answers

    Departures
    ----------
    Any k: labels appear floor or ceil of k/m times, so votes are averages, not sums (a sum
    would prefer the label that appeared once more). t is floored and capped at n. The proof's
    epsilon should be m/(2(t-1)), which its Chernoff bound does not reach at this t; a
    Bernstein bound does (docs/bounds/achievable.md). Ties are broken by a keyed coin.

    Parameters
    ----------
    queries_per_nat
        The c in t = 1 + k/(c log m). The paper's 9 makes each of the t labels almost certain; a
        smaller value decides more examples less surely, and gains more in total.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> problem = Problem(n_examples=200, n_classes=2, n_queries=700)
    >>> attack = ColumnVote(problem, rng=np.random.default_rng(0))
    >>> attack.n_live
    113
    """

    family = "paper"
    summary = "decides each label by average answers"
    guarantee = "large-k"

    _design = BalancedColumns
