"""Queries that show each example one of r labels, in near-balanced random columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.answer_likelihood import (
    Floats,
    ReleasedCounts,
    effective_variance,
    normal_nodes,
    slopes,
)
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InvalidInput
from holdfast.kernels.columns import BalancedColumns
from holdfast.kernels.keyed import hash_keys, subkey, wrap
from holdfast.labels import Labels, label_dtype
from holdfast.priors import Prior
from holdfast.problem import Problem, check_at_least

__all__ = ["SubsetDesign", "best_of", "label_counts", "one_step_accuracy"]

# Bytes of regenerated rows that are worked on at a time.
CHUNK_BYTES = 1 << 21

# Rounds of expectation-maximisation for the offset that all answers have in common.
OFFSET_ROUNDS = 40

# Examples that stand for all others when a design is chosen for a prior.
SAMPLED_EXAMPLES = 400


@njit(cache=True, nogil=True)
def add_rows(rows: Any, weights: Any, sums: Any) -> None:
    """Add to each example's label sums the weights of the rows that show it that label."""
    for i in range(rows.shape[0]):
        weight = weights[i]
        for j in range(rows.shape[1]):
            sums[j, rows[i, j]] += weight


@njit(cache=True, nogil=True)
def row_totals(rows: Any, values: Any, out: Any) -> None:
    """Write, for every row, the total over examples of the value of the label shown."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += values[j, rows[i, j]]
        out[i] = total


def label_counts(n_classes: int) -> list[int]:
    """Return the numbers of labels worth considering: all small ones, then steps of a quarter.

    >>> label_counts(30)
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 25, 30]
    """
    counts = list(range(2, min(n_classes, 16) + 1))
    while counts[-1] < n_classes:
        counts.append(min(n_classes, counts[-1] + counts[-1] // 4))
    return counts


def best_of(count: int, strength: float) -> float:
    """Return the chance that N(d, 1) exceeds count - 1 standard normals, d^2 = strength.

    >>> round(best_of(2, 2.0), 4)
    0.8413
    """
    nodes, weights = normal_nodes(120)
    return float(weights @ ndtr(nodes + math.sqrt(strength)) ** (count - 1))


@lru_cache(maxsize=1024)
def one_step_accuracy(problem: Problem, n_labels: int, answers: AnswerModel) -> float:
    r"""Return the accuracy of centred group means with r labels per example, Gaussian limit.

    An answer that shows an example its true label is one higher. The k/r answers of a label have
    that mean, and a variance of v + s each: v = (n-1)/m (1-1/r) k/(k-1) from the other examples,
    in columns sampled without replacement, and s from what the answers hide. With
    d^2 = (k/r)/(v+s), the true label beats r - 1 others with probability

        integral phi(x) Phi(x + d)^(r-1) dx,

    and it is among the r with probability r/m.
    """
    n, m, k = problem
    r = n_labels
    spread = (n - 1) / m * (1 - 1 / r) * (k / max(k - 1, 1))
    offset = n / (r * m) * max(0.0, 1 - r / m)
    hidden = effective_variance(answers, max(spread, 1e-9), offset, problem)
    return best_of(r, k / r / max(spread + hidden, 1e-9)) * r / m


class SubsetDesign(InformedAttack):
    """Show each example one of r labels, in near-balanced random columns; decode somehow.

    Symbol s of example j is the label s after the per-example permutation, so an example's r
    labels are a random set; with a prior they are its r most likely ones. Queries are regenerated
    from the seed, a few rows at a time. A subclass implements `_scores()`: the evidence, as a
    log-likelihood relative to a label that was never shown, for each of the labels.

    Parameters
    ----------
    prior
        What a model says of the labels.
    answers
        What a released answer tells.
    n_labels
        r, from 2 to n_classes; None: the number with the largest expected accuracy.
    """

    tolerates = frozenset({ExactAnswers, RoundedAnswers, NoisyAnswers, SubsetAnswers})
    intolerance = "it averages counts, which a bare order does not give"

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
        n_labels: int | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, prior=prior, answers=answers)
        n, m, k = self._problem
        if n_labels is not None and check_at_least("n_labels", n_labels, 2) > m:
            raise InvalidInput(f"n_labels must be at most n_classes = {m}, got {n_labels}.")
        known = self._prior
        self._flat = known is None or bool(known.ranked(1)[1].max() <= 1 / m + 1e-12)
        if known is None or self._flat:
            r = n_labels or self.best_label_count(self._problem, self._answers)
            used = np.arange(n)
            # Views of one row: symbols are labels, all equally likely.
            self._candidates: Labels = np.broadcast_to(np.arange(r, dtype=self._dtype), (n, r))
            self._odds: Floats = np.broadcast_to(1 / m, (n, r))
            self._next: Labels = np.full(n, r % m)
            self._next_odds: Floats = np.full(n, 1 / m if r < m else 0.0)
        else:
            used, r = self._choose_for(known, n_labels)
            self._candidates, self._odds = known.ranked(r)
            self._next, self._next_odds = _label_after(known, r)
        self._used, self._n_labels = used, r
        self._top = self._shifted(self._candidates[:, 0])
        keys = hash_keys(self._keys[used], subkey(self._seed, "column"))
        self._columns = BalancedColumns(k, r).on(keys, np.zeros(used.size, dtype=np.uint32))
        self._released = ReleasedCounts.empty(k)

    @property
    def n_labels(self) -> int:
        """r: how many labels each example is shown over the queries."""
        return self._n_labels

    @classmethod
    def best_label_count(cls, problem: Problem, answers: AnswerModel) -> int:
        """Return the number of labels with the largest expected accuracy."""
        return max(
            label_counts(problem.n_classes), key=lambda r: one_step_accuracy(problem, r, answers)
        )

    def _choose_for(self, known: Prior, n_labels: int | None) -> tuple[NDArray[np.int64], int]:
        """Return which examples to ask about, the least clear first, and r.

        Every choice is tried on a sample: labels drawn from the prior, evidence drawn from the
        Gaussian limit of one step, and the gain of the posterior's guess over the prior's.
        """
        n, m, k = self._problem
        draw = np.random.default_rng(int(subkey(self._seed, "choice")))
        order = np.argsort(known.ranked(1)[1][:, 0], kind="stable")
        counts = [n_labels] if n_labels is not None else [r for r in label_counts(m) if r <= 16]
        odds = known.ranked(max(counts))[1][order]
        best, most = (n, counts[0]), -math.inf
        sizes = sorted({min(n, 2**e) for e in range(3, n.bit_length() + 1)})
        for size in sizes:
            rows = odds[draw.integers(size, size=SAMPLED_EXAMPLES)]
            uniform, noise = (
                draw.random(SAMPLED_EXAMPLES),
                draw.normal(size=(SAMPLED_EXAMPLES, rows.shape[1])),
            )
            for r in counts:
                shown = rows[:, :r]
                spread = float((shown * (1 - shown)).sum(axis=1).mean()) / r * size
                hidden = effective_variance(self._answers, max(spread, 1e-9), n / m, self._problem)
                strength = k / r / max(spread + hidden, 1e-9)
                hit = uniform[:, None] < np.cumsum(shown, axis=1)
                hit[:, 1:] &= ~hit[:, :-1]
                evidence = strength * (hit - 0.5) + math.sqrt(strength) * noise[:, :r]
                with np.errstate(divide="ignore"):
                    guess = np.argmax(np.log(shown) + evidence, axis=1)
                gain = size * float(
                    hit[np.arange(SAMPLED_EXAMPLES), guess].mean() - hit[:, 0].mean()
                )
                if gain > most:
                    best, most = (size, r), gain
        return np.sort(order[: best[0]]), best[1]

    def _query(self, index: int) -> Labels:
        symbols = np.empty((1, self._used.size), dtype=np.uint32)
        self._columns.write_rows(index, symbols)
        row = self._top.copy()
        row[self._used] = self._labels_of(symbols[0])
        return row

    def _labels_of(self, symbols: NDArray[Any]) -> Labels:
        """Return the labels, in the host's terms, that these symbols of the used ones stand for."""
        moved = self._candidates[self._used, symbols] + self._shifts[self._used]
        return wrap(moved, self._problem.n_classes).astype(self._dtype)

    def _learn(self, low: int, high: int, estimate: float) -> None:
        self._released.put(self._answered, low, high, estimate)

    def _guess(self) -> Labels:
        out = self._top.copy()
        if self._answered == 0:
            return out
        with np.errstate(divide="ignore"):
            posterior = self._scores() + np.log(self._odds[self._used])
            unseen = np.log(self._next_odds[self._used])
        best = np.argmax(posterior, axis=1)
        out[self._used] = self._labels_of(best)
        poor = np.flatnonzero(posterior[np.arange(best.size), best] < unseen)
        where = self._used[poor]
        m = self._problem.n_classes
        out[where] = (self._next[where] + self._shifts[where]) % m
        return out

    def _scores(self) -> Floats:
        raise NotImplementedError

    def _chunks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Regenerate the answered rows' symbols, as many at a time as fit the cache."""
        dtype = label_dtype(self._n_labels)
        size = max(1, CHUNK_BYTES // max(1, self._used.size * dtype.itemsize))
        rows = np.empty((size, self._used.size), dtype=dtype)
        for start in range(0, self._answered, size):
            stop = min(start + size, self._answered)
            self._columns.write_rows(start, rows[: stop - start])
            yield slice(start, stop), rows[: stop - start]

    def _spread(self, odds: Floats) -> float:
        """Return the variance of a count around its query's centred expectation.

        A symbol shows its label with probability 1/r; what all r have in common is the offset.
        """
        r = self._n_labels
        shown = odds.sum(axis=1)
        own = shown * (1 - 1 / r) - (odds**2).sum(axis=1) + shown**2 / r
        return max(float(own.sum()) / r, 1 / 12)

    def _offset(self, odds: Floats) -> tuple[float, float]:
        """Return mean and variance of what all counts have in common.

        That is 1/r for each used example whose label is among its r, and the examples that show
        their likeliest label in every query.
        """
        r = self._n_labels
        shown = odds.sum(axis=1)
        still = np.delete(self._odds[:, 0], self._used)
        mean = shown.sum() / r + still.sum()
        variance = (shown * (1 - shown)).sum() / r**2 + (still * (1 - still)).sum()
        return float(mean), max(float(variance), 0.0)

    def _level(self, means: Floats, variance: float, common: float) -> float:
        """Return the estimate of the common offset above its expectation."""
        seen = self._answered
        released = self._released.first(seen)
        shrink = common * seen / (variance + common * seen)
        level = 0.0
        for _ in range(OFFSET_ROUNDS):
            slope = slopes(self._answers, released, means + level, variance, self._problem)
            moved = shrink * (level + variance * float(slope.mean()))
            if abs(moved - level) < 1e-6:
                break
            level = moved
        return level


def _label_after(known: Prior, depth: int) -> tuple[Labels, Floats]:
    """Return the likeliest label behind the first `depth` and its probability; 0: there is none."""
    if depth >= known.n_classes:
        return known.ranked(1)[0][:, 0], np.zeros(known.n_examples)
    labels, odds = known.ranked(depth + 1)
    return labels[:, depth], odds[:, depth]
