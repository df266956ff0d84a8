"""The paper's attack for few queries, features known."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import (
    EVERY_MODEL,
    NewBestAnswers,
)
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import Reads
from holdfast.attacks.paper.rules import AnswerCounts
from holdfast.errors import InvalidInput
from holdfast.kernels.fixed_queries import Staircase
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["BlockMajority", "BlockRule", "first_label_wins", "n_blocks_for"]

Query = TypeVar("Query")


def n_blocks_for(problem: Problem) -> int:
    """Return the number of blocks that k queries decide: k - 1, or the whole set if k = 1."""
    n, _, k = problem
    if k - 1 > n:
        raise InvalidInput(
            f"n_queries must be at most n_examples + 1 = {n + 1} (one block per example), got {k}.",
            reason="it can't use so many looks.",
        )
    return max(k - 1, 1)


def first_label_wins(counts: NDArray[np.float64], problem: Problem) -> NDArray[np.bool_]:
    """Return, for each block that the answers so far decide, whether label 0 beats label 1.

    A block's surplus of 0s over 1s is the difference of two neighbouring counts. With k = 1 the
    only count is compared with n/m, as integers.
    """
    n, m, k = problem
    if k == 1:
        return np.asarray(m * counts >= n)
    return np.asarray(np.diff(counts) >= 0)


class BlockRule(AnswerCounts[Query]):
    """A chain of queries that tells of every block which of two labels it has more often."""

    reads = Reads.ORDER
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        self._n_blocks = n_blocks_for(self._problem)

    def _second_label_wins(self) -> NDArray[np.bool_]:
        """Return for each block whether it gets label 1; one not yet decided keeps label 0."""
        wins = first_label_wins(self._counts[: self._answered], self._problem)
        is_one = np.zeros(self._n_blocks, dtype=np.bool_)
        is_one[: wins.size] = ~wins
        return is_one


class BlockMajority(BlockRule[Labels], LabelAttack):
    r"""Guess each block's more frequent of two labels.

    Query i labels the first i blocks 0 and the rest 1. Two neighbouring answers differ by one
    block's surplus of 0s over 1s, and its sign picks the block's label. A block of b examples
    has about b/m of either label, give or take sqrt(b/m): always taking the luckier of the two
    gains that much in every block. With a single query, all labels are 0, and the guess is 0 if
    at least n/m matched and 1 otherwise.

    Implements: acharya2020 fig:smallk (Figure 1)
    Guarantee: acharya2020 thm:small (Theorem 3), for 1 <= k <= 1 + n/(2m), n >= m, exact answers

    Departures
    ----------
    Block sizes differ by at most one; the figure's upper limit holds only if k - 1 divides n.
    Labels are relative to the per-example permutation, see `LabelAttack`. Beyond the theorem's
    range it plays for every k <= n + 1, but two labels can never score more than 2/m. It compares
    neighbouring answers and nothing else, so a bare order of them is as good as the scores; noise
    and rounding cost it more than attacks that spread over all answers.

    Parameters
    ----------
    problem
        The sizes to play for; n_queries at most n_examples + 1.

    Examples
    --------
    >>> attack = BlockMajority(Problem(6, 2, 3), rng=np.random.default_rng(0), permuted=False)
    >>> for matches in (3, 2, 3):
    ...     query = attack.ask()
    ...     attack.tell(matches / 6)
    >>> query, attack.predict()
    (array([0, 0, 0, 0, 0, 0], dtype=uint8), array([1, 1, 1, 0, 0, 0], dtype=uint8))
    """

    summary = "finds each block's more frequent label"
    tolerates = EVERY_MODEL - {NewBestAnswers}
    intolerance = "it compares neighbouring looks, and the board only the best"
    accounts = None
    guarantee = "small-k"
    by_stretches = True

    @classmethod
    def usable(cls, problem: Problem) -> Problem:
        """Return the problem with at most n + 1 looks: one block per example.

        >>> BlockMajority.usable(Problem(100, 10, 500))
        Problem(n_examples=100, n_classes=10, n_queries=101)
        """
        n, m, k = problem
        return Problem(n, m, min(k, n + 1))

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        n, blocks = self._problem.n_examples, self._n_blocks
        self._edges = [n * block // blocks for block in range(blocks + 1)]

    # The two rows that every query is cut from.

    @cached_property
    def _zeros(self) -> Labels:
        return self._shifted(0)

    @cached_property
    def _ones(self) -> Labels:
        return self._shifted(1)

    def fixed_queries(self) -> Staircase | None:
        """Return all queries: a row of 0s that grows over a row of 1s."""
        if type(self) is not BlockMajority or self._waiting or self._answered:
            return None
        n, _, k = self._problem
        return Staircase(np.array([n] if k == 1 else self._edges), self._rows)

    def _rows(self, start: int, stop: int) -> tuple[Labels, Labels]:
        if (start, stop) == (0, self._problem.n_examples):
            return self._zeros, self._ones  # to be used again
        zeros, ones = self._shifted_on(start, stop, 0, 1)
        return zeros, ones

    def predict_on(self, start: int, stop: int) -> Labels:
        """Return the guess on the examples start .. stop - 1, without making the rest."""
        zeros, ones = self._rows(start, stop)
        edges = np.clip(self._edges, start, stop)
        return np.where(np.repeat(self._second_label_wins(), np.diff(edges)), ones, zeros)

    def _query(self, index: int) -> Labels:
        if self._problem.n_queries == 1:
            return self._zeros.copy()
        edge = self._edges[index]
        return np.concatenate((self._zeros[:edge], self._ones[edge:]))

    def _guess(self) -> Labels:
        return self.predict_on(0, self._problem.n_examples)
