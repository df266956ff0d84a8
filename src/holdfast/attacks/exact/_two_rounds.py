"""Two rounds of the detecting design, the second on what the first left open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks._two_stages import TwoStages
from holdfast.attacks.exact._second_round import SecondRound
from holdfast.attacks.exact.detecting import PooledDetecting
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["TwoRounds"]


class TwoRounds(TwoStages):
    """Play `PooledDetecting`, then a `SecondRound`; both are exact, and what they prove is proved.

    Parameters
    ----------
    problem
        The sizes to play for; the looks are those of both rounds.
    rng
        Where the seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels.
    second
        How many of the looks are the second round's, at least 2.
    """

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool, second: int
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, k = self._problem
        self._rows = second
        self._first = PooledDetecting(
            Problem(n, m, k - second),
            rng=np.random.default_rng([self._seed, 1]),
            permuted=permuted,
        )

    def posterior(self, examples: NDArray[np.intp]) -> Prior:
        """Return what the answers say of some examples whose labels they do not prove."""
        if self._second is None:
            prior: Prior = self._first.posterior(examples)
            return prior
        at = np.searchsorted(self._open, examples)
        labels, odds = self._second.posterior()
        return Prior.candidates(labels[at], odds[at], self._problem.n_classes)

    def _second_stage(self, open_: NDArray[np.intp], looks: int) -> SecondRound:  # noqa: ARG002
        rng = np.random.default_rng([self._seed, 2])
        labels, odds = self._first.posterior(open_).ranked(self._problem.n_classes)
        # Of equally likely labels a random one comes first, whatever the numbers of the classes.
        order = np.lexsort((rng.random(odds.shape), -odds), axis=1)
        labels = np.take_along_axis(labels, order, axis=1)
        odds = np.take_along_axis(odds, order, axis=1)
        wrong = np.where(odds[:, -1] == 0.0, labels[:, -1].astype(np.int64), -1)
        return SecondRound(labels, odds, wrong, self._rows, rng)
