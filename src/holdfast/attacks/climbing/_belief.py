"""Beliefs about a block's champion: the distribution of its matches after won and lost challenges.

A belief follows from the threshold and from which challenges rose alone, so blocks and games with
the same history share it, and each is computed once.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = ["Belief", "first_belief"]

# Where a block's number of matches can lie, in standard deviations about its mean.
DEVIATIONS = np.linspace(-5.0, 6.0, 221)
# Histories up to this length are kept for others: 511 of them, a megabyte for each threshold.
LONGEST_KEPT = 8


class Challenge:
    """What a challenge does where a board wants to be beaten by a margin."""

    def __init__(self, margin: float) -> None:
        self.margin = margin
        density = np.exp(-(DEVIATIONS**2) / 2)
        self.prior: NDArray[np.float64] = density / density.sum()
        self.withstood = ndtr(DEVIATIONS + margin)
        tail = 1.0 - self.withstood
        above = np.exp(-((DEVIATIONS + margin) ** 2) / 2) / math.sqrt(2.0 * math.pi)
        self.gains = above - DEVIATIONS * tail

    def changed(self, density: NDArray[np.float64], rose: bool) -> NDArray[np.float64]:
        """Return the distribution of the champion's matches after a challenge."""
        if rose:
            # The new champion is at y with the prior's density, times P(old champion < y - margin).
            below = np.interp(DEVIATIONS - self.margin, DEVIATIONS, np.cumsum(density), left=0.0)
            changed = self.prior * below
        else:
            changed = density * self.withstood
        total = changed.sum()
        return changed / total if total > 0.0 else self.prior


class Belief:
    """The distribution of a champion's matches, and what a challenge gains on average.

    Never changed: copies of an attack share it.
    """

    __slots__ = ("_after", "_length", "challenge", "density", "worth")

    def __init__(self, challenge: Challenge, density: NDArray[np.float64], length: int) -> None:
        self.challenge, self.density, self._length = challenge, density, length
        self.worth = float(density @ challenge.gains)
        self._after: list[Belief | None] = [None, None]

    def __deepcopy__(self, memo: dict[int, Any]) -> Belief:
        return self

    def after(self, rose: bool) -> Belief:
        """Return the belief after a challenge."""
        known = self._after[rose]
        if known is None:
            density = self.challenge.changed(self.density, rose)
            known = Belief(self.challenge, density, self._length + 1)
            if self._length < LONGEST_KEPT:
                self._after[rose] = known
        return known


@lru_cache(maxsize=16)
def first_belief(margin: float) -> Belief:
    """Return what is believed of a block that was never challenged.

    Where any rise is shown, the champion after one challenge is the better of two, whoever won:

    >>> first = first_belief(0.0)
    >>> [round(each.worth, 2) for each in (first, first.after(True), first.after(False))]
    [0.56, 0.28, 0.28]
    """
    challenge = Challenge(margin)
    return Belief(challenge, challenge.prior, 0)
