r"""Sizes of hit pools: of the blocks to test, and of the groups to leave alone.

With H hits, each of which is left in a group of n/H examples, and blocks rho times as large, a
test finds one with probability 2 rho n / (H m), and log3(rho) splits bring it down to that size. So

    m H^2 / (2 rho n) + H log3(rho) = sigma k

sums of k looks, sigma per look, do for H hits: matches, H - n/m more than by chance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from holdfast.attacks.exact.hit_pools import tuning
from holdfast.problem import Problem
from holdfast.roots import root

__all__ = ["Sizes", "expected_hits", "sizes"]


class Sizes(NamedTuple):
    """Sizes in units of a group's that is left alone: a block's, and the splits between the two."""

    block: float

    @property
    def splits(self) -> float:
        """Splits per hit."""
        return math.log(self.block, 3) + 0.1

    def left_alone(self, problem: Problem, n_groups: int, looks: int) -> float:
        """Return the size at which a group with a hit is left alone, in examples.

        All its members are guessed to have the label of the hit. Splitting it further would find
        the same hit in fewer examples, and free the others for tests that find more: worth it as
        long as looks are left, so the size falls as groups are found and rises as looks run out.

        Parameters
        ----------
        problem
            The sizes of the examples that are played.
        n_groups
            Groups with hits so far.
        looks
            Those that are left.
        """
        n, m, _ = problem
        sums = tuning.SUMS_HOPED_FOR * tuning.SUMS_PER_LOOK * looks

        def too_many(log_size: float) -> float:
            size = math.exp(log_size)
            return (n / size - n_groups) * (m / (2.0 * self.block * size) + self.splits) - sums

        low, high = math.log(1e-3), math.log(float(n) + 1.0)
        if too_many(high) > 0.0:
            return float(n)
        return math.exp(root(too_many, low, high, xtol=1e-9))


def expected_hits(problem: Problem, block: float) -> float:
    """Return H of the law for blocks of this size.

    >>> 500 < expected_hits(Problem(50_000, 1000, 1000), 3.0) < 560
    True
    """
    n, m, k = problem
    square, splits = m / (2.0 * block * n), math.log(block, 3)
    sums = tuning.SUMS_PER_LOOK * k
    return 2.0 * sums / (splits + math.sqrt(splits * splits + 4.0 * square * sums))


def sizes(problem: Problem) -> Sizes:
    """Return the sizes for a problem: the more hits there will be, the larger the blocks."""
    n, m, _ = problem
    for limit, block in zip(tuning.HITS_PER_MATCH, tuning.BLOCK, strict=False):
        if expected_hits(problem, block) * m / n <= limit:
            return Sizes(block)
    return Sizes(tuning.BLOCK[-1])
