"""Labels that hit pools test, in order: those of the permutation, or a prior's likeliest first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.hit_pools.groups import Members
from holdfast.attacks.exact.hit_pools.sizes import expected_hits, sizes
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["TestedLabels"]

# Labels of a prior that are put in order; after these the first ones are tested again.
MOST_RANKED = 64
# An example is left to the prior only if its likeliest label is this much likelier than by chance.
LIKELIER_THAN_CHANCE = 1.05
# Surer than this of an example a prior is right too often for hits.
SUREST_PLAYED = 0.25
# Shares of the examples that are tried. What they match is about so much of the law for hits with
# the mean probability of so many labels, and so much of what the prior names: by trial at (10000,
# 100), k = 1000 on labels that no table of the docs uses. A difference of two frequent labels hides
# some of both.
SHARES_PLAYED = np.linspace(0.0, 1.0, 41)
SHARE_OF_LAW_REACHED, LABELS_OF_THE_LAW, SHARE_OF_NAMED_KEPT = 0.82, 8, 0.6


class TestedLabels:
    """Which labels are tested in which round, on which examples, and how frequent they are.

    Labels are numbered by the rank that the prior gives them, example by example; without a prior
    these *symbols* are the labels of the permutation. Examples of which the prior is surer than
    hits would be show its label throughout, and are guessed so: the fewer are played, the more
    hits there are for each.

    Parameters
    ----------
    problem
        The sizes.
    prior
        What is known of the labels, relative to the permutation; None: nothing.
    """

    def __init__(self, problem: Problem, prior: Prior | None) -> None:
        n, m, _ = problem
        self._ranking: NDArray[Any] | None = None
        self._depth = m
        self.played: Members = np.arange(n, dtype=np.int64)
        self._classes: list[int] = [m]
        if prior is None:
            return
        self._depth = min(m, MOST_RANKED)
        self._ranking, odds = prior.ranked(self._depth)
        self.played = _worth_playing(problem, odds)
        if self.played.size:
            mean = odds[self.played].mean(axis=0)
            pairs = mean[: self._depth - self._depth % 2].reshape(-1, 2)
            # Of examples that have none of the labels before.
            left = 1.0 - np.concatenate([[0.0], pairs.sum(axis=1).cumsum()[:-1]])
            shares = pairs.mean(axis=1) / np.maximum(left, 1e-9)
            self._classes = [max(2, round(1.0 / max(share, 1e-9))) for share in shares.tolist()]

    def pair(self, n_rounds: int) -> tuple[int, int]:
        """Return the two symbols that are tested after so many rounds."""
        first = 2 * n_rounds % (self._depth - self._depth % 2)
        return first, first + 1

    def classes(self, n_rounds: int) -> int:
        """Return of how many equally frequent classes these two could be."""
        return self._classes[min(n_rounds, len(self._classes) - 1)]

    def untested(self, n_rounds: int) -> int:
        """Return a symbol that was not tested in so many rounds, or the last one."""
        return min(2 * n_rounds, self._depth - 1)

    def labels(self, symbols: NDArray[Any]) -> NDArray[Any]:
        """Return the labels of all examples' symbols, relative to the permutation."""
        if self._ranking is None:
            return symbols
        at = symbols.astype(np.int64)[:, None]
        return np.take_along_axis(self._ranking, at, axis=1)[:, 0].astype(symbols.dtype)


def _worth_playing(problem: Problem, odds: NDArray[np.float64]) -> Members:
    """Return the examples on which hits are worth more than the labels that a prior names.

    The prior's doubtful examples are played, the others keep its label: for every share of them,
    the matches that hits promise, and what is kept of the prior's own, are compared with the
    matches that its labels have. The best share wins; none is played if all lose.

    Parameters
    ----------
    problem
        The sizes.
    odds
        (examples, ranked labels): probabilities, the likeliest first.
    """
    _, m, k = problem
    doubtful = np.argsort(odds[:, 0], kind="stable")
    top = odds[doubtful, 0]
    named = np.concatenate([[0.0], top.cumsum()])
    chance = int(np.searchsorted(top, LIKELIER_THAN_CHANCE / m, side="right"))
    unsure = int(np.searchsorted(top, SUREST_PLAYED, side="right"))
    best, most = chance, 0.0
    for count in np.unique(np.rint(unsure * SHARES_PLAYED).astype(np.int64)).tolist():
        if count > chance:
            tested = odds[doubtful[:count], :LABELS_OF_THE_LAW].mean()
            here = Problem(count, max(2, round(1.0 / max(float(tested), 1e-9))), k)
            hits = SHARE_OF_LAW_REACHED * expected_hits(here, sizes(here).block)
            matched = min(float(count), hits + SHARE_OF_NAMED_KEPT * named[count])
            if matched - named[count] > most:
                best, most = count, matched - named[count]
    return np.sort(doubtful[:best])
