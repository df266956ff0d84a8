"""Hardt's boosting attack on binary labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.paper._column_attack import ColumnAttack
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["Boosting"]


# Keeping the queries above one half and counting votes sees this much of sqrt(k/n); weighing all
# queries sees all of it.
SIGNAL_SHARE = 1.0 / math.sqrt(math.pi)


class Boosting(ColumnAttack):
    r"""Take the majority vote of the random queries that scored above one half (m = 2).

    A random query that happens to score above 1/2 is slightly right about every example, and a
    majority of many slightly right votes is right more often: bias .225 sqrt(k/n). Weighing all
    queries instead of dropping half of them (`NaiveBayes`) gives .399 sqrt(k/n).

    Implements: blum2015 alg:boosting (Hardt's boosting attack on a public leaderboard)

    Parameters
    ----------
    problem
        The sizes to play for; n_classes must be 2.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2). The queries are
        uniform already, so it changes nothing in distribution.

    Examples
    --------
    >>> attack = Boosting(Problem(100, 2, 20), rng=np.random.default_rng(0))
    >>> int(attack.ask().max())
    1
    """

    family = "paper"
    summary = "majority of submissions scoring above half"

    _average = False

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be played: it is for two classes."""
        m = setting.problem.n_classes
        return super().obstacle(setting) or (None if m == 2 else f"n_classes must be 2, got {m}")

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        problem = Problem(*problem)
        if problem.n_classes != 2:
            raise InvalidInput(
                f"n_classes must be 2 for Boosting (use NaiveBayes for more), "
                f"got {problem.n_classes}.",
                reason="it is for two classes.",
            )
        super().__init__(problem, rng=rng, permuted=permuted, n_live=problem.n_examples)

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return (2 * counts > self._problem.n_examples).astype(np.float64)
