r"""What exact or noisy match counts say of every label, to first order.

The indicator of label l at position j has prior mean p_j(l); the match count of a query is a sum
of such indicators. The best linear estimate of all indicators from all counts so far needs only
covariances,

    Cov(y_s, y_t) = sum_j w_j p_j(q_t[j]) ([q_s[j] = q_t[j]] - p_j(q_s[j])),

and with a uniform prior these are counts of agreements. A new answer is reduced to its innovation,
the part that the earlier answers did not predict, by one more row of the inverse Cholesky factor;
what it says of label l at position j is

    p_j(l) (1 + theta_j(l) - sum_c p_j(c) theta_j(c)),

theta_j(l) the sum of a_s over {s: q_s[j] = l}, a the solution of Cov(y) a = y - E y. A step costs
O(N t): the past queries are compared with the new one, and theta is updated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.threads import over_slices

__all__ = ["Codes", "Elsewhere", "LinearPosterior", "Look"]

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]

# Positions a block: partial sums are added block by block, so that the result does not depend on
# how the blocks were shared among threads, and a block's table of labels fits the first cache.
BLOCK = 512
# Below this many (query, position) pairs a second thread costs more than it saves.
LEAST_PAIRS = 1 << 20
# An answer whose unpredicted share of variance is below this was known before it was asked.
NOVEL = 1e-9
# A linear estimate can be negative; taken as a prior it is at least this share of the old one.
FLOOR = 1e-2


class Elsewhere(NamedTuple):
    """Examples that show one fixed label in every query: sums of p and of p^2, and how many."""

    total: float
    squares: float
    examples: float


NOWHERE = Elsewhere(0.0, 0.0, 0.0)


@njit(cache=True, nogil=True, fastmath=True)
def _agreements(past: Any, new: Any, gains: Any, first: int, last: int, out: Any) -> None:
    """out[b, s] = sum of gains_j over the positions of block b with past[s, j] = new[j]."""
    for block in range(first, last):
        low, high = block * BLOCK, min(new.size, (block + 1) * BLOCK)
        shown, gain = new[low:high], gains[low:high]
        for s in range(past.shape[0]):
            row = past[s, low:high]
            total = 0.0
            for j in range(high - low):
                total += gain[j] if row[j] == shown[j] else 0.0
            out[block, s] = total


@njit(cache=True, nogil=True, fastmath=True)
def _overlaps(past: Any, prior: Any, gains: Any, first: int, last: int, out: Any) -> None:
    """out[b, s] = sum of gains_j * prior[past[s, j], j] over the positions of block b."""
    for block in range(first, last):
        low, high = block * BLOCK, min(gains.size, (block + 1) * BLOCK)
        for s in range(past.shape[0]):
            total = 0.0
            for j in range(low, high):
                total += gains[j] * prior[past[s, j], j]
            out[block, s] = total


@njit(cache=True, nogil=True, fastmath=True)
def _tilt(past: Any, change: Any, prior: Any, first: int, last: int, out: Any) -> None:
    """Add change_s to theta at the label shown in query s, and renew the estimates.

    `out` is (theta, estimate) of shape (2, labels, positions).
    """
    n_labels, n = prior.shape
    table = np.empty((n_labels, BLOCK))
    for block in range(first, last):
        low, high = block * BLOCK, min(n, (block + 1) * BLOCK)
        table[:, :] = 0.0
        for s in range(past.shape[0]):
            amount = change[s]
            for j in range(low, high):
                table[past[s, j], j - low] += amount
        mean = np.zeros(high - low)
        for label in range(n_labels):
            for j in range(low, high):
                out[0, label, j] += table[label, j - low]
                mean[j - low] += prior[label, j] * out[0, label, j]
        for label in range(n_labels):
            for j in range(low, high):
                out[1, label, j] = prior[label, j] * (1.0 + out[0, label, j] - mean[j - low])


@njit(cache=True, nogil=True, fastmath=True)
def _whiten(inverse: Any, t: int, covariance: Any, out: Any) -> float:
    """Write the next row of the inverse Cholesky factor, not yet scaled; return its variance."""
    explained = 0.0
    out[:t] = 0.0
    for s in range(t):
        part = 0.0
        for r in range(s + 1):
            part += inverse[s, r] * covariance[r]
        explained += part * part
        for r in range(s + 1):
            out[r] -= part * inverse[s, r]
    out[t] = 1.0
    return float(covariance[t] - explained)


class Look(NamedTuple):
    """A query and what the answers so far say of its match count."""

    codes: Codes
    expected: float  # before any answer
    mean: float  # given the answers so far
    variance: float  # given the answers so far
    share: float  # of the variance before any answer that is left
    row: Floats  # of the inverse Cholesky factor, not yet scaled

    @property
    def novel(self) -> bool:
        """Whether the answers so far leave the count open."""
        return self.share >= NOVEL


class LinearPosterior:
    """The best linear estimate of every indicator [z_j = l] from match counts.

    Parameters
    ----------
    prior
        (labels, positions): probability of each label in play; a column may sum to less than 1.
    weights
        How many examples each position stands for.
    capacity
        The most answers it will be told.
    elsewhere
        The positions that show one fixed label throughout.
    fraction
        The scored share of all examples: the counts are of a fixed random subset, scaled up.
    """

    def __init__(
        self,
        prior: Floats,
        weights: Floats,
        capacity: int,
        *,
        elsewhere: Elsewhere = NOWHERE,
        fraction: float = 1.0,
    ) -> None:
        n = prior.shape[1]
        self._prior = np.ascontiguousarray(prior)
        self._weights = weights
        self._elsewhere = elsewhere
        self._boost = 1.0 / fraction
        self._even = float(prior[0, 0]) if np.ptp(prior) == 0.0 else None
        self._past = np.empty((capacity, n), dtype=np.uint8)
        self._inverse = np.zeros((capacity, capacity))
        self._surprise = np.empty(capacity)  # y - E y
        self._expected = np.empty(capacity)
        self._told = 0
        self._state = np.zeros((2, *prior.shape))
        self._state[1] = self._prior
        self._in_play = 1

    @property
    def estimates(self) -> Floats:
        """Estimated probabilities, (labels, positions): those shown so far, and the next one."""
        return self._state[1, : self._in_play + 1]

    @property
    def full(self) -> bool:
        """Whether it has been told as many answers as it can hold."""
        return self._told == len(self._past)

    @property
    def n_labels(self) -> int:
        """How many labels a position may show."""
        return len(self._prior)

    def best(self) -> Codes:
        """Return the most likely label of every position."""
        return np.asarray(self.estimates.argmax(axis=0), dtype=np.uint8)

    def renewed(self) -> LinearPosterior:
        """Return a belief whose prior is this one's estimate; how positions vary together is lost.

        The memory of past queries is reused, so this one must not be told any more.
        """
        theta = self._state[0]
        estimates = self._prior * (1.0 + theta - (self._prior * theta).sum(axis=0))
        floor = FLOOR * self._prior
        estimates = np.maximum(estimates, floor)
        estimates *= self._prior.sum(axis=0) / estimates.sum(axis=0)
        made = LinearPosterior(
            estimates,
            self._weights,
            1,
            elsewhere=self._elsewhere,
            fraction=1.0 / self._boost,
        )
        made._past, made._inverse = self._past, self._inverse
        made._surprise, made._expected = self._surprise, self._expected
        made._in_play = self._in_play
        return made

    def look(self, codes: Codes) -> Look:
        """Return what is known of the match count of a query before it is answered."""
        t = self._told
        gains = self._weights * self._prior[codes, np.arange(codes.size)]
        expected = float(gains.sum()) + self._elsewhere.total
        covariance = self._covariances(codes, gains, expected)
        row = np.empty(t + 1)
        variance = _whiten(self._inverse, t, covariance, row)
        mean = expected - float(row[:t] @ self._surprise[:t])
        share = variance / covariance[t] if covariance[t] > 0.0 else 0.0
        return Look(codes, expected, mean, max(variance, 0.0), share, row)

    def tell(self, look: Look, count: float, noise: float) -> None:
        """Take the count of the last look, known up to an error of this variance."""
        spread = look.variance + noise
        if not look.novel:
            return
        t = self._told
        self._past[t] = look.codes
        self._in_play = max(self._in_play, int(look.codes.max()) + 1)
        self._inverse[t, : t + 1] = look.row / math.sqrt(spread)
        self._surprise[t] = count - look.expected
        self._expected[t] = look.expected
        self._told = t + 1
        change = (count - look.mean) / spread * look.row
        top = min(self._in_play + 1, len(self._prior))
        past, prior, state = self._past[: t + 1], self._prior[:top], self._state[:, :top]
        self._over_blocks(lambda a, b: _tilt(past, change, prior, a, b, state))

    def _covariances(self, codes: Codes, gains: Floats, expected: float) -> Floats:
        """Return the covariances of the past answers, and last its own variance, with a query's.

        A scored subset of fraction f multiplies second moments by 1/f and leaves means alone; its
        size is fixed, which takes (1/f - 1) E y_s E y_t / n away again.
        """
        t = self._told
        past = self._past[:t]
        blocks = self._n_blocks
        agree = np.empty((blocks, t))
        self._over_blocks(lambda a, b: _agreements(past, codes, gains, a, b, agree))
        both = np.empty(t + 1)
        both[:t] = agree.sum(axis=0)
        both[t] = gains.sum()
        apart = np.empty(t + 1)
        if self._even is not None:
            apart[:] = self._even * gains.sum()
        else:
            overlap = np.empty((blocks, t))
            self._over_blocks(lambda a, b: _overlaps(past, self._prior, gains, a, b, overlap))
            apart[:t] = overlap.sum(axis=0)
            apart[t] = gains @ self._prior[codes, np.arange(codes.size)]
        total, squares, examples = self._elsewhere
        covariance = self._boost * (both + total) - (apart + squares)
        if self._boost > 1.0:
            means = np.append(self._expected[:t], expected)
            examples += float(self._weights.sum())
            covariance -= (self._boost - 1.0) * expected / examples * means
        return np.asarray(covariance)

    @property
    def _n_blocks(self) -> int:
        return -(-self._weights.size // BLOCK)

    def _over_blocks(self, run: Callable[[int, int], None]) -> None:
        least = max(1, LEAST_PAIRS // (BLOCK * (self._told + 1)))
        over_slices(lambda part: run(part.start, part.stop), self._n_blocks, least=least)
