"""Exact expected accuracy of the small-k attack, for every n, m and k, in constant time."""

from __future__ import annotations

from holdfast.bounds.multinomial import expected_distance, first_or_second
from holdfast.bounds.record import Bound
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = ["known_features", "unknown_features"]

CONDITIONS = "1 <= k <= n + 1; k - 1 blocks"


def known_features(problem: Problem) -> Bound:
    """Return what `BlockMajority` reaches with blocks whose sizes differ by at most one.

    Implements: acharya2020 fig:smallk (Figure 1)

    Examples
    --------
    >>> round(known_features(Problem(10_000, 10, 101)).accuracy, 6)
    0.117751
    """
    reason = _too_many_blocks(problem)
    return Bound(
        name="block-majority",
        side="achievable",
        statement="acharya2020 fig:smallk (Figure 1), exact expectation",
        conditions=f"{CONDITIONS} of sizes floor and ceiling of n/(k-1)",
        accuracy=None if reason else expected_accuracy(problem),
        reason=reason,
        analyst="non-adaptive",
    )


def unknown_features(problem: Problem) -> Bound:
    """Return what `BlockMajority` reaches without test features, in random blocks.

    Implements: acharya2020 fig:smallk-unk (Figure 3)

    Examples
    --------
    >>> round(unknown_features(Problem(10_000, 10, 101)).accuracy, 6)
    0.117729
    """
    reason = _too_many_blocks(problem)
    return Bound(
        name="block-majority-without-features",
        side="achievable",
        statement="acharya2020 fig:smallk-unk (Figure 3), exact expectation",
        conditions=f"{CONDITIONS}, each example in a uniformly random one; distinct features",
        accuracy=None if reason else expected_accuracy_without_features(problem),
        reason=reason,
        analyst="non-adaptive",
    )


def expected_accuracy(problem: Problem) -> float:
    """Return the exact expected accuracy of `BlockMajority` on uniform or permuted labels.

    >>> expected_accuracy(Problem(2, 2, 1))
    0.75
    """
    _check_blocks(problem)
    n, m, k = problem
    if k == 1:
        return first_or_second(n, m).exact / n
    size, larger = divmod(n, k - 1)
    surplus = (k - 1 - larger) * expected_distance(size, m)
    if larger:
        surplus += larger * expected_distance(size + 1, m)
    return min(1.0, 1.0 / m + surplus / (2.0 * n))


def expected_accuracy_without_features(problem: Problem) -> float:
    """Return the same for random blocks, each example in one of the k - 1 at random.

    An example moves a given block's surplus up or down with probability 1/(m (k-1)) each, so the
    surplus is a lazy walk of n steps and the random block size needs no sum of its own.

    >>> expected_accuracy_without_features(Problem(2, 2, 2))
    0.75
    """
    _check_blocks(problem)
    n, m, k = problem
    if k == 1:
        return first_or_second(n, m).exact / n
    surplus = (k - 1) * expected_distance(n, m * (k - 1))
    return min(1.0, 1.0 / m + surplus / (2.0 * n))


def _too_many_blocks(problem: Problem) -> str | None:
    n, _, k = problem
    return f"k - 1 must be at most n = {n}, got k = {k}." if k - 1 > n else None


def _check_blocks(problem: Problem) -> None:
    reason = _too_many_blocks(problem)
    if reason:
        raise InvalidInput(reason)
