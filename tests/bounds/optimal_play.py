"""Optimal adaptive play on tiny problems: any release rule, several accounts, known label laws.

The labels are independent; example j has label l with probability `rows[j][l]`, and the analyst
knows the rows. A position is the set of label vectors that the releases so far leave open, with
what the rule remembers for each account. At every look the analyst chooses an account and a query;
in the end he guesses every label. Everything is tried, so the value is the optimum.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# (match count, memory of the account, None before its first look) -> (release, new memory).
Rule = Callable[[int, Hashable], tuple[Hashable, Hashable]]
Indices = NDArray[np.intp]


def exact(count: int, memory: Hashable) -> tuple[Hashable, Hashable]:
    """Release the match count."""
    return count, memory


def rounded(n: int, step: Fraction) -> Rule:
    """Release the multiple of the step nearest to the accuracy, half a step up."""

    def release(count: int, memory: Hashable) -> tuple[Hashable, Hashable]:
        return math.floor(Fraction(count, n) / step + Fraction(1, 2)), memory

    return release


def ladder(n: int, step: Fraction) -> Rule:
    """Release the rung; climb only if the accuracy is above the next one, the first look always."""

    def release(count: int, rung: Hashable) -> tuple[Hashable, Hashable]:
        accuracy = Fraction(count, n)
        if rung is None or accuracy > (rung + 1) * step:  # type: ignore[operator]
            rung = math.floor(accuracy / step + Fraction(1, 2))
        return rung, rung

    return release


def exact_best(count: int, best: Hashable) -> tuple[Hashable, Hashable]:
    """Release the largest match count so far."""
    best = count if best is None else max(count, best)  # type: ignore[call-overload]
    return best, best


def improved(count: int, best: Hashable) -> tuple[Hashable, Hashable]:
    """Release whether the match count is above all before; the first always is."""
    if best is None or count > best:  # type: ignore[operator]
        return True, count
    return False, best


def uniform_rows(n: int, m: int) -> list[list[float]]:
    return [[1.0 / m] * m for _ in range(n)]


def best_play(rows: Sequence[Sequence[float]], k: int, rule: Rule, *, accounts: int = 1) -> float:
    """Return the largest expected accuracy after k looks in all, over at most so many accounts."""
    return _Game(rows, rule, accounts).value(k)


class _Game:
    def __init__(self, rows: Sequence[Sequence[float]], rule: Rule, accounts: int) -> None:
        self._n, self._m, self._accounts = len(rows), len(rows[0]), accounts
        queries = np.array(list(itertools.product(range(self._m), repeat=self._n)))
        weights = np.array(rows)[np.arange(self._n), queries].prod(axis=1)
        # Impossible vectors can't be true, but may be asked about.
        vectors, weights = queries[weights > 0.0], weights[weights > 0.0]
        self._counts = (queries[:, None, :] == vectors[None, :, :]).sum(axis=2)
        shown = vectors[:, :, None] == np.arange(self._m)
        self._mass = (shown * weights[:, None, None]).reshape(len(vectors), -1)
        self._releases, self._memories = _tables(rule, self._n)
        self._known: dict[Hashable, float] = {}

    def value(self, looks: int) -> float:
        everything = np.arange(len(self._mass))
        memories = np.zeros((self._accounts, len(everything)), dtype=np.intp)
        return min(1.0, self._best(everything, memories, looks) / self._n)

    def _guess(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected matches of the best guess, from the mass of each label."""
        shape = (*mass.shape[:-1], self._n, self._m)
        best: NDArray[np.float64] = mass.reshape(shape).max(axis=-1).sum(axis=-1)
        return best

    def _best(self, left: Indices, memories: Indices, looks: int) -> float:
        """Return the value of a position, times its probability.

        `left` are the vectors left open, `memories[i]` what account i remembers under each of them.
        """
        if looks == 0 or len(left) == 1:
            return float(self._guess(self._mass[left].sum(axis=0)))
        memories = memories[np.lexsort(memories.T[::-1])]  # accounts are alike but for that
        key = (left.tobytes(), memories.tobytes(), looks)
        if key not in self._known:
            distinct = [
                i for i in range(len(memories)) if i == 0 or (memories[i] != memories[i - 1]).any()
            ]
            self._known[key] = max(self._ask(left, memories, i, looks) for i in distinct)
        return self._known[key]

    def _ask(self, left: Indices, memories: Indices, account: int, looks: int) -> float:
        """Return the best value over all queries from one account."""
        counts = np.unique(self._counts[:, left], axis=0)
        released = self._releases[memories[account], counts]
        if looks == 1:
            inside = released[:, None, :] == np.unique(released)[None, :, None]
            return float(self._guess(inside @ self._mass[left]).sum(axis=1).max())
        best = 0.0
        for count, release in zip(counts, released, strict=True):
            after = memories.copy()
            after[account] = self._memories[memories[account], count]
            total = 0.0
            for value in np.unique(release):
                inside = release == value
                total += self._best(left[inside], after[:, inside], looks - 1)
            best = max(best, total)
        return best


def _tables(rule: Rule, n: int) -> tuple[Indices, Indices]:
    """Return the number of the release and of the next memory, by memory and count."""
    memories: list[Hashable] = [None]
    releases: list[Hashable] = []
    rows: list[list[tuple[int, int]]] = []
    for memory in memories:  # grows while it is walked
        row = []
        for count in range(n + 1):
            release, after = rule(count, memory)
            if after not in memories:
                memories.append(after)
            if release not in releases:
                releases.append(release)
            row.append((releases.index(release), memories.index(after)))
        rows.append(row)
    table = np.array(rows, dtype=np.intp)
    return table[:, :, 0], table[:, :, 1]
