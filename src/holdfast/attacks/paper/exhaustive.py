"""Feldman, Frostig and Hardt's attack for many queries: brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.description import Needs
from holdfast.attacks.paper._column_attack import ColumnAttack
from holdfast.errors import InvalidInput
from holdfast.kernels.keyed import keyed64
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least
from holdfast.setting import Setting

__all__ = ["Exhaustive"]

# About ten seconds of search at k = 100.
MAX_LABELINGS = 2**24


@njit(cache=True, nogil=True)
def _best_labeling(rows: Any, counts: Any, m: Any, level_known: Any, key: Any) -> Any:
    """Return the labeling of the live examples that explains the answers best.

    `rows` is (t, k). The rest of the test set adds the same unknown number of matches to every
    answer, so a labeling is judged by how constant the unexplained part is (by how small it is
    where there is no rest). Labelings are visited like an odometer: one step changes few
    digits, and each digit costs one pass over the answers.
    """
    t, k = rows.shape
    labeling, best = np.zeros(t, np.int64), np.zeros(t, np.int64)
    unexplained = counts.copy()
    for j in range(t):
        for i in range(k):
            unexplained[i] -= rows[j, i] == 0
    best_misfit, best_coin, visited = np.inf, np.uint64(0), np.uint64(0)
    while True:
        total, squares = 0.0, 0.0
        for i in range(k):
            total += unexplained[i]
            squares += unexplained[i] * unexplained[i]
        misfit = squares if level_known else squares - total * total / k
        if misfit < best_misfit + 1e-9:
            coin = keyed64(visited, key)
            if misfit < best_misfit - 1e-9 or coin > best_coin:
                best[:] = labeling
                best_coin = coin
            best_misfit = min(misfit, best_misfit)
        visited += np.uint64(1)
        j = 0
        while j < t:
            old = labeling[j]
            new = old + 1 if old + 1 < m else 0
            labeling[j] = new
            for i in range(k):
                unexplained[i] += (rows[j, i] == old) - (rows[j, i] == new) + 0.0
            if new != 0:
                break
            j += 1
        if j == t:
            return best


def n_decided(problem: Problem) -> int:
    """Return t, the number of examples to decide: k/(2 log2 m), at least 1 and at most n."""
    n, m, k = problem
    return min(n, max(1, math.floor(k / (2 * math.log2(m)))))


class Exhaustive(ColumnAttack):
    r"""Try every labeling of t examples and keep the one that explains the answers best.

    The first t examples are asked with uniform columns, the rest held at one label. With k large
    enough only the true labeling leaves the same unexplained number of matches in every answer.
    It decides more examples per query than `ColumnVote` can prove, in m^t time: this is the
    row of the paper's Table 1 that needs exp(k) time.

    Implements: feldman2019 alg:brute-force (the attack of Table 1, large k, previous work)

    Departures
    ----------
    t is not derived from the Erdos-Renyi and Chvatal bounds, whose constants are asymptotic, but
    is k/(2 log2 m) by default, which the tests show to be decided almost always.

    Parameters
    ----------
    n_live
        The number t of examples to decide; None: k/(2 log2 m), at least 1 and at most n.

    Examples
    --------
    >>> attack = Exhaustive(Problem(100, 2, 16), rng=np.random.default_rng(0))
    >>> attack.n_live
    8
    >>> Exhaustive(Problem(100, 10, 300), rng=np.random.default_rng(0))
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: n_classes ** n_live must be at most 16777216 ...
    """

    family = "paper"
    summary = "tries every labeling of few examples"
    needs = Needs.TINY_PROBLEM

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be played: there are too many labelings to search."""
        m, decided = setting.problem.n_classes, n_decided(setting.problem)
        few = decided * math.log(m) <= math.log(MAX_LABELINGS)
        reason = None if few else f"n_classes ** {decided} labelings are too many to search"
        return super().obstacle(setting) or reason

    @classmethod
    def work(cls, problem: Problem) -> int:
        """Return about how many labels a play handles, and labelings it tries."""
        n, _, k = problem
        return n * k + (1 << k // 2)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        n_live: int | None = None,
    ) -> None:
        problem = Problem(*problem)
        n, m, _ = problem
        if n_live is None:
            n_live = n_decided(problem)
        if check_at_least("n_live", n_live, 1) > n:
            raise InvalidInput(f"n_live must be at most n_examples = {n}, got {n_live}.")
        if n_live * math.log(m) > math.log(MAX_LABELINGS) + 1e-9:
            reachable = math.floor(math.log(MAX_LABELINGS) / math.log(m) + 1e-9)
            raise InvalidInput(
                f"n_classes ** n_live must be at most {MAX_LABELINGS} (the labelings to try), "
                f"got {m} ** {n_live}; choose n_live <= {reachable}, or ColumnVote, which needs "
                f"no search."
            )
        super().__init__(problem, rng=rng, permuted=permuted, n_live=n_live)

    def _guess(self) -> Labels:
        n, m, _ = self._problem
        labels = np.zeros(n, dtype=np.uint32)
        if self._answered:
            labels[: self._n_live] = _best_labeling(
                self._rows(),
                self._counts[: self._answered],
                m,
                self._n_live == n,
                np.uint64(self._seed),
            )
        return self._shifted(labels)

    def _rows(self) -> NDArray[np.uint32]:
        """Return the live part of the queries so far: t is small, so this is no k x n matrix."""
        shifted = np.empty((self._answered, self._n_live), dtype=np.uint32)
        self._columns.write_rows(0, shifted)
        m = np.uint32(self._problem.n_classes)
        return np.ascontiguousarray(((shifted + m - self._shifts[: self._n_live]) % m).T)
