r"""Variants of a champion-challenger query, and what is expected of their match counts.

A variant shows the champion, the challenger, a random or the least likely label on a share of the
positions, those whose uniform number falls below it. Its mean is a sum of estimates, and exact. Its
variance is rough: what a variant adds is taken to be that of the labels it changes, without a
glance at the past queries.

All means and variances come from one pass over the positions: what a position changes is added to
the least share that includes it, and cumulative sums over the shares do the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.steering.linear_posterior import AnsweredQuery, Codes, LinearPosterior

__all__ = ["QueryVariants", "Variant"]

# Shares of the positions that are tried with another label.
SHIFTED_SHARES = (0.15, 0.3, 0.45, 0.6, 0.8)
FRESH_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
# A random label's information is spread over all labels instead of the two that compete: worth
# about (.6/.94)^2 as much, the ratio of the constants in the gain.
FRESH_LOSS = 0.6
# Labels that are believed wrong carry the count below n/m. Where they stand, the labels that
# compete are not asked for.
LEAST_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9)
LEAST_LOSS = 0.6
UP, DOWN, FRESH, LEAST = range(4)


class Variant(NamedTuple):
    """Which labels are shown on which share of the positions, and what is expected of the count.

    `worth` is what its information is worth beside the query's own.
    """

    kind: int
    share: float
    mean: float
    variance: float
    worth: float


@njit(cache=True, nogil=True)
def _shown(estimates: Any, codes: Any, fall: float) -> Any:
    """Return each position's champion, and the challenger where it is to replace the champion."""
    n_labels, n = estimates.shape
    champion, down = np.empty(n, dtype=np.uint8), codes.copy()
    for j in range(n):
        best, second = 0, -1
        for label in range(1, n_labels):
            if estimates[label, j] > estimates[best, j]:
                best, second = label, best
            elif second < 0 or estimates[label, j] > estimates[second, j]:
                second = label
        champion[j] = best
        parked = second < 0 or estimates[second, j] <= estimates[best, j] * fall
        if not parked and codes[j] == best:
            down[j] = second
    return champion, down


@njit(cache=True, nogil=True)
def _changes(
    estimates: Any, weights: Any, codes: Any, other: Any, uniforms: Any, shares: Any
) -> Any:
    """Return what showing `other` below each share adds to mean and variance, (2, shares)."""
    top = len(estimates) - 1  # the last row stands for all labels not shown so far
    sums = np.zeros((2, shares.size))
    for j in range(codes.size):
        if other[j] == codes[j]:
            continue
        at = 0
        while at < shares.size and uniforms[j] >= shares[at]:
            at += 1
        if at < shares.size:
            after = estimates[min(other[j], top), j]
            sums[0, at] += weights[j] * (after - estimates[min(codes[j], top), j])
            sums[1, at] += weights[j] * after
    for at in range(1, shares.size):
        sums[:, at] += sums[:, at - 1]
    return sums


class QueryVariants:
    """The variants of a query.

    Parameters
    ----------
    look
        The query.
    posterior
        What is believed of the labels.
    level
        Log-odds at which a position is parked.
    rng
        Where uniform numbers and random labels come from.
    """

    def __init__(
        self,
        look: AnsweredQuery,
        posterior: LinearPosterior,
        *,
        level: float,
        rng: np.random.Generator,
    ) -> None:
        self._look, self._posterior = look, posterior
        self._uniforms = rng.random(look.codes.size)
        champion, down = _shown(posterior.estimates, look.codes, math.exp(-level))
        fresh = rng.integers(posterior.n_labels, size=look.codes.size, dtype=np.uint8)
        least = np.asarray(posterior.estimates.argmin(axis=0), dtype=np.uint8)
        self._others: tuple[Codes, ...] = (champion, down, fresh, least)
        self._all = tuple(self._weighed())

    def __iter__(self) -> Iterator[Variant]:
        """Return the variants, small shifts first, random labels last."""
        return iter(self._all)

    def out_of_reach(self) -> Iterator[Variant]:
        """Return variants for a boundary that neither n/m nor the champions come near.

        The least likely labels are expected below n/m, towards a boundary there. While all labels
        are alike, random ones spread most widely, and there is nothing else that they could lose.
        """
        least = self._expected(LEAST, LEAST_SHARES)
        for at, share in enumerate(LEAST_SHARES):
            mean, variance = float(least[0, at]), float(least[1, at])
            yield Variant(LEAST, share, mean, variance, 1.0 - LEAST_LOSS * share)
        yield self._all[-1]._replace(worth=1.0)

    def codes(self, variant: Variant) -> Codes:
        """Return what a variant shows."""
        return np.where(
            self._uniforms < variant.share, self._others[variant.kind], self._look.codes
        )

    def _weighed(self) -> Iterator[Variant]:
        up, down = (self._expected(kind, SHIFTED_SHARES) for kind in (UP, DOWN))
        for at, share in enumerate(SHIFTED_SHARES):
            yield Variant(UP, share, float(up[0, at]), float(up[1, at]), 1.0)
            yield Variant(DOWN, share, float(down[0, at]), float(down[1, at]), 1.0)
        fresh = self._expected(FRESH, FRESH_SHARES)
        for at, share in enumerate(FRESH_SHARES):
            mean, variance = float(fresh[0, at]), float(fresh[1, at])
            yield Variant(FRESH, share, mean, variance, 1.0 - FRESH_LOSS * share)

    def _expected(self, kind: int, shares: tuple[float, ...]) -> NDArray[np.float64]:
        """Return mean and variance of the count for each share, (2, shares)."""
        added = _changes(
            self._posterior.estimates,
            self._posterior.weights,
            self._look.codes,
            self._others[kind],
            self._uniforms,
            np.array(shares),
        )
        added[0] += self._look.mean
        added[1] += self._look.variance
        return np.asarray(added)
