r"""Best linear estimates of label posteriors from exact or noisy match counts.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.steering.posterior_kernels import (
    BLOCK_POSITIONS,
    agreements,
    covariances,
    picked,
    tilt,
    whiten,
)
from holdfast.kernels.threads import over_slices

__all__ = ["AnsweredQuery", "Codes", "FixedRemainder", "LinearPosterior"]

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]

# Below this many (query, position) pairs a second thread costs more than it saves.
LEAST_PAIRS = 1 << 20
# An answer whose unpredicted share of variance is below this was known before it was asked.
NOVEL_SHARE = 1e-9
# Recentre when positions have moved by this much in log-odds, on average, since the last time, and
# there are a few percent more answers than then: the work grows with their square.
STRAIN, TOO_LATE, RECENTRE_GROWTH = 0.3, 2.0, 1.05
# A linear estimate can be negative; taken as a prior it is at least this share of the old one.
LEAST_SHARE_OF_PRIOR = 1e-2


class FixedRemainder(NamedTuple):
    """Examples that show one fixed label in every query: sums of p and of p^2, and how many."""

    total: float
    squares: float
    examples: float


NO_REMAINDER = FixedRemainder(0.0, 0.0, 0.0)


class AnsweredQuery(NamedTuple):
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
        return self.share >= NOVEL_SHARE


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
    remainder
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
        remainder: FixedRemainder = NO_REMAINDER,
        fraction: float = 1.0,
    ) -> None:
        n = prior.shape[1]
        self._weights, self._ones = weights, np.ones_like(weights)
        self._remainder = remainder
        self._boost = 1.0 / fraction
        self._past = np.empty((capacity, n), dtype=np.uint8)
        self._inverse = np.zeros((capacity, capacity))
        self._surprise = np.empty(capacity)  # y - E y
        self._expected = np.empty(capacity)
        self._counts = np.empty(capacity)
        self._noises = np.empty(capacity)
        self._solution = np.zeros(capacity)  # a of Cov(y) a = y - E y
        self._tilts = np.zeros(capacity)  # the sum of a over the priors given up so far
        self._state = np.empty((2, *prior.shape))  # theta and the estimates
        self._in_play = 1
        self._centred = 0  # answers at the last `recentre`
        self._restart(np.ascontiguousarray(prior))

    @property
    def estimates(self) -> Floats:
        """Estimated probabilities, (labels, positions): those shown so far, and the next one."""
        return self._state[1, : self._in_play + 1]

    @property
    def weights(self) -> Floats:
        """How many examples each position stands for."""
        return self._weights

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

    @property
    def strained(self) -> bool:
        """Whether the estimates have moved so far that `recentre` is worth its cost.

        Beyond log-odds of 2 the exponential of a linear estimate is no estimate: too late.
        """
        if self._told < RECENTRE_GROWTH * self._centred + 1:
            return False
        moved = np.abs(self._state[0, : self._in_play]).max(axis=0)
        return bool(moved.mean() > STRAIN and moved.max() < TOO_LATE)

    def look(self, codes: Codes) -> AnsweredQuery:
        """Return what is known of the match count of a query before it is answered."""
        t = self._told
        gains = (
            picked(self._prior, codes, self._weights)
            if self._even is None
            else self._even * self._weights
        )
        expected = float(gains.sum()) + self._remainder.total
        covariance = self._covariances(codes, gains, expected)
        row = np.empty(t + 1)
        variance = whiten(self._inverse, t, covariance, row)
        mean = expected - float(row[:t] @ self._surprise[:t])
        share = variance / covariance[t] if covariance[t] > 0.0 else 0.0
        return AnsweredQuery(codes, expected, mean, max(variance, 0.0), share, row)

    def tell(self, look: AnsweredQuery, count: float, noise: float) -> None:
        """Take the count of the last look, known up to an error of this variance."""
        if not look.novel:
            return
        t = self._told
        self._past[t] = look.codes
        self._in_play = max(self._in_play, int(look.codes.max()) + 1)
        self._counts[t], self._noises[t] = count, noise
        self._tilts[t] = self._solution[t] = 0.0
        self._shift(self._absorb(look, count, noise))

    def recentre(self) -> None:
        """Take the estimates, made probabilities, as the prior, and learn all answers anew.

        Exponential tilting: given the counts, every prior p_a ~ p exp(a . counts) has the same
        posterior. The a of the last solution is the one whose expected counts are about those
        there were, around which a linear estimate is best (a Newton step). Worth 11 % at
        (10000, 100, 300): 208.7 +- 2.0 matches against 188.0 +- 1.7 without.
        """
        t = self._told
        unlisted = 1.0 - self._prior.sum(axis=0)
        tilted = self._prior * np.exp(self._state[0])
        total, squares, examples = self._remainder
        total += float(self._solution[:t].sum()) * (total - squares)
        self._remainder = FixedRemainder(total, squares, examples)
        self._tilts[:t] += self._solution[:t]
        self._restart(tilted / (tilted.sum(axis=0) + unlisted))
        change = np.zeros(t)
        for s in range(t):
            # A noisy count's likelihood takes up the tilt by a shift of its mean.
            count = self._counts[s] - self._noises[s] * self._tilts[s]
            change[: s + 1] += self._absorb(self.look(self._past[s]), count, self._noises[s])
        self._shift(change)
        self._centred = t

    def forget(self) -> None:
        """Take the estimates as the prior; how positions vary together is forgotten."""
        theta = self._state[0]
        estimates = self._prior * (1.0 + theta - (self._prior * theta).sum(axis=0))
        np.maximum(estimates, LEAST_SHARE_OF_PRIOR * self._prior, out=estimates)
        self._restart(estimates * (self._prior.sum(axis=0) / estimates.sum(axis=0)))
        self._centred = 0

    def _restart(self, prior: Floats) -> None:
        """Begin anew from this prior."""
        self._prior = prior
        self._even = float(prior[0, 0]) if np.ptp(prior) == 0.0 else None
        self._state[0] = 0.0
        self._state[1] = prior
        self._solution[:] = 0.0
        self._told = 0

    def _absorb(self, look: AnsweredQuery, count: float, noise: float) -> Floats:
        """Add a row for an answer and return the change of the solution."""
        t = self._told
        spread = max(
            look.variance + noise, NOVEL_SHARE * look.variance / max(look.share, NOVEL_SHARE), 1e-9
        )
        self._inverse[t, : t + 1] = look.row / math.sqrt(spread)
        self._surprise[t] = count - look.expected
        self._expected[t] = look.expected
        self._told = t + 1
        return (count - look.mean) / spread * look.row

    def _shift(self, change: Floats) -> None:
        """Change the solution, and the estimates with it."""
        self._solution[: self._told] += change
        top = min(self._in_play + 1, len(self._prior))
        past, prior, state = self._past[: self._told], self._prior[:top], self._state[:, :top]
        shown = self._in_play
        self._over_blocks(lambda a, b: tilt(past, change, prior, shown, a, b, state))

    def _covariances(self, codes: Codes, gains: Floats, expected: float) -> Floats:
        """Return the covariances of the past answers, and last its own variance, with a query's.

        A scored subset of fraction f multiplies second moments by 1/f and leaves means alone; its
        size is fixed, which takes (1/f - 1) E y_s E y_t / n away again.
        """
        t = self._told
        past = self._past[:t]
        blocks = self._n_blocks
        total, squares, examples = self._remainder
        found = np.empty((blocks, t))
        covariance = np.empty(t + 1)
        if self._even is not None:
            self._over_blocks(lambda a, b: agreements(past, codes, gains, a, b, found))
            gained = float(gains.sum())
            covariance[:t] = self._boost * found.sum(axis=0) - self._even * gained
            covariance[t] = (self._boost - self._even) * gained
        else:
            prior, boost = self._prior[: self._in_play], self._boost
            self._over_blocks(
                lambda a, b: covariances(past, codes, gains, prior, boost, a, b, found)
            )
            covariance[:t] = found.sum(axis=0)
            covariance[t] = boost * gains.sum() - gains @ picked(self._prior, codes, self._ones)
        covariance += self._boost * total - squares
        if self._boost > 1.0:
            means = np.append(self._expected[:t], expected)
            examples += float(self._weights.sum())
            covariance -= (self._boost - 1.0) * expected / examples * means
        return np.asarray(covariance)

    @property
    def _n_blocks(self) -> int:
        return -(-self._weights.size // BLOCK_POSITIONS)

    def _over_blocks(self, run: Callable[[int, int], None]) -> None:
        least = max(1, LEAST_PAIRS // (BLOCK_POSITIONS * (self._told + 1)))
        over_slices(lambda part: run(part.start, part.stop), self._n_blocks, least=least)
