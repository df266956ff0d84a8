"""Acharya and Suresh: what their attacks guarantee, and what one query can't exceed.

"Optimal multiclass overfitting by sequence reconstruction from Hamming queries", arXiv 1908.03156.
Where the paper's text and its proofs disagree, the proofs decide: see docs/paper/errata.md.
"""

from __future__ import annotations

import math

from holdfast.bounds.column_vote import QUERIES_PER_NAT
from holdfast.bounds.multinomial import first_or_second
from holdfast.bounds.record import EVERYTHING, Bound
from holdfast.problem import Problem

__all__ = [
    "large_k",
    "one_query",
    "one_query_optimum",
    "small_k",
    "small_k_without_features",
]

# Theorem 3: the coefficient of sqrt(k/(mn)), after eqn:last.
SMALL_K = 1.0 / 8.0
# The unknown-features proof (appendix app:small) reaches each block's size with probability 1/2.
SMALL_K_WITHOUT_FEATURES = 1.0 / 16.0
# Theorem 6: each example that is voted on gains at least 1/4 of a match.
LARGE_K_GAIN = 1.0 / 4.0


def small_k(problem: Problem) -> Bound:
    """Return 1/m + (1/8) sqrt(k/(mn)), reached by `BlockMajority`.

    Implements: acharya2020 thm:small (Theorem 3)

    Examples
    --------
    >>> small_k(Problem(10_000, 10, 500)).accuracy is not None
    True
    >>> small_k(Problem(10_000, 10, 502)).reason
    'k must be at most 1 + n/(2m) = 501, got 502.'
    """
    return _small(
        problem,
        "small-k",
        "acharya2020 thm:small (Theorem 3)",
        "n >= m, 1 <= k <= 1 + n/(2m)",
        SMALL_K,
    )


def small_k_without_features(problem: Problem) -> Bound:
    """Return 1/m + (1/16) sqrt(k/(mn)), reached without the test features.

    Implements: acharya2020 fig:smallk-unk (Figure 3)
    """
    return _small(
        problem,
        "small-k-without-features",
        "acharya2020 fig:smallk-unk (Figure 3), proof in appendix app:small",
        "n >= m, 1 <= k <= 1 + n/(2m), distinct features",
        SMALL_K_WITHOUT_FEATURES,
    )


def large_k(problem: Problem) -> Bound:
    """Return 1/m + k/(36 n log m), reached by `ColumnVote`.

    The paper leaves out the second condition, without which t exceeds n and the right side
    exceeds one. docs/bounds/achievable.md proves the statement with the corrected constant, for
    every k in the range and not only multiples of m.

    Implements: acharya2020 thm:large (Theorem 6)

    Examples
    --------
    >>> large_k(Problem(10_000, 10, 207)).reason
    'k must be above 9 m log m = 207.2, got 207.'
    """
    n, m, k = problem
    low, high = QUERIES_PER_NAT * m * math.log(m), QUERIES_PER_NAT * (n - 1) * math.log(m)
    reason = None
    if not k > low:
        reason = f"k must be above 9 m log m = {low:.1f}, got {k}."
    elif k > high:
        reason = f"k must be at most 9 (n-1) log m = {high:.1f}, got {k}."
    return Bound(
        name="large-k",
        side="achievable",
        statement="acharya2020 thm:large (Theorem 6)",
        conditions="9 m log m < k <= 9 (n-1) log m",
        accuracy=None
        if reason
        else 1.0 / m + LARGE_K_GAIN * k / (QUERIES_PER_NAT * math.log(m)) / n,
        reason=reason,
        analyst="non-adaptive",
    )


def regime_edges(n_examples: int, n_classes: int) -> tuple[int, ...]:
    """Return the numbers of looks at which a theorem of the paper begins or ends to apply.

    >>> regime_edges(10_000, 100)
    (1, 51, 4145, 414423)
    """
    n, m = n_examples, n_classes
    large = QUERIES_PER_NAT * math.log(m)
    edges = (1, 1 + n // (2 * m), math.floor(m * large) + 1, math.floor((n - 1) * large))

    def applies(k: int) -> bool:
        return any(theorem(Problem(n, m, k)).accuracy is not None for theorem in (small_k, large_k))

    return tuple(k for k in edges if k >= 1 and applies(k))


def one_query(problem: Problem) -> Bound:
    """Return 1/m + 1/(2 sqrt(n (m-1))), which no attack with one query exceeds.

    Implements: acharya2020 thm:info (Theorem 9)
    """
    n, m, _ = problem
    reason = _more_than_one(problem)
    return Bound(
        name="one-query",
        statement="acharya2020 thm:info (Theorem 9)",
        conditions="k = 1",
        accuracy=None if reason else min(1.0, 1.0 / m + 0.5 / math.sqrt(n * (m - 1.0))),
        reason=reason,
        assumptions=EVERYTHING,
    )


def one_query_optimum(problem: Problem) -> Bound:
    """Return the best expected accuracy of any attack with one query, exactly.

    The step before the last one in the proof of Theorem 9: 1/m + E|mN - n| / (2n(m-1)) with
    N ~ Bin(n, 1/m), which is (1 + P(Bin(n-1, 1/m) = floor(n/m))) / m. The small-k attack attains
    it.

    Implements: acharya2020 thm:info (Theorem 9)

    Examples
    --------
    >>> one_query_optimum(Problem(2, 2, 1)).accuracy
    0.75
    """
    n, m, _ = problem
    reason = _more_than_one(problem)
    return Bound(
        name="one-query-optimum",
        statement="acharya2020 thm:info (Theorem 9), exact form of its proof",
        conditions="k = 1",
        accuracy=None if reason else min(1.0, first_or_second(n, m).exact / n),
        reason=reason,
        assumptions=EVERYTHING,
    )


def _small(
    problem: Problem, name: str, statement: str, conditions: str, coefficient: float
) -> Bound:
    n, m, k = problem
    reason = None
    if n < m:
        reason = f"n must be at least m = {m}, got {n}."
    elif 2 * m * (k - 1) > n:
        reason = f"k must be at most 1 + n/(2m) = {1 + n / (2 * m):.6g}, got {k}."
    return Bound(
        name=name,
        side="achievable",
        statement=statement,
        conditions=conditions,
        accuracy=None if reason else 1.0 / m + coefficient * math.sqrt(k / (m * n)),
        reason=reason,
        analyst="non-adaptive",
    )


def _more_than_one(problem: Problem) -> str | None:
    k = problem.n_queries
    return f"It is proved for k = 1 only, got k = {k}." if k > 1 else None
