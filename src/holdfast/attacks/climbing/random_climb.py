"""Random search against a Ladder's fixed step: large changes until one exceeds it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from holdfast.answers import ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import NewBestBoard, Reads
from holdfast.errors import InvalidInput
from holdfast.kernels.keyed import bounded, hash_keys, subkey
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["RandomClimb"]

# The shares of the examples that are tried; the best of them is a flat optimum.
CHANGED_SHARES = np.linspace(0.02, 1.0, 50)


class RandomClimb(LabelAttack):
    r"""Relabel a random part of the best submission again and again.

    The Ladder with a fixed step is not climbed block by block: a block's luck is smaller than
    the step. The luck of all n examples together has a standard deviation of sqrt(1/(mn)), and
    among k random submissions a few beat the step if it is not many times that. So: relabel a
    share f of the examples, at random; if the board climbs, go on from there.

    With a champion that is g above guessing, relabelling costs f g on average, and the change has
    a standard deviation of sqrt(f (2 - f)/(mn)): f new examples, and the f of the champion's that
    go, whose total is known. The share f with the best chance to climb a step is used.

    Departures
    ----------
    No paper. Blum and Hardt show that the Ladder's error grows with its step; this attack is the
    reason why it is not 0.

    Parameters
    ----------
    step
        The board's step; 0: it shows every improvement.

    Examples
    --------
    >>> attack = RandomClimb(Problem(4, 2, 3), rng=np.random.default_rng(0), step=0.25)
    >>> for answer in (0.5, 0.5, 0.75):
    ...     query = attack.ask()
    ...     attack.tell(answer)
    >>> bool((attack.predict() == query).all())
    True
    """

    family = "climbing"
    summary = "relabels random parts of the best"
    adaptive = True
    reads = Reads.NEW_BEST
    tolerates = frozenset({ExactAnswers, RankAnswers, NewBestAnswers})
    intolerance = "noise or rounding would decide what it keeps"
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})
    accounts = 2
    effort = 20.0

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with; None: the board shows new bests."""
        if isinstance(setting.answers, NewBestAnswers):
            return None
        return "made for boards that show a new best only if it clears a fixed step"

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:
        """Return how much a look has to climb to be shown: one match where there is no step."""
        return {"step": board.step or 1.0 / problem.n_examples}

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        step: float = 0.01,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        if not 0.0 <= step <= 1.0:
            raise InvalidInput(f"step must lie in [0, 1], got {step}.")
        self._step = step * self._problem.n_examples
        self._champion = np.zeros(self._problem.n_examples, dtype=np.uint32)
        self._trial = self._champion
        self._standing = -math.inf

    def _query(self, index: int) -> Labels:
        m = self._problem.n_classes
        if index:
            words = hash_keys(self._keys, subkey(self._seed, f"chosen {index}"))
            chosen = words < np.uint64(min(self._share(), 1.0 - 2.0**-53) * 2.0**64)
            away = 1 + bounded(self._keys, subkey(self._seed, f"label {index}"), m - 1)
            moved = (self._champion + away) % np.uint32(m)
            self._trial = np.where(chosen, moved, self._champion).astype(np.uint32)
        return self._shifted(self._trial)

    def _share(self) -> float:
        """Return the share of the examples to relabel that climbs with the largest chance."""
        n, m, _ = self._problem
        lead = max((self._standing - n / m) * m / (m - 1), 0.0)
        # What must be won back and the step, in units of the spread of the change.
        needed = (self._step + CHANGED_SHARES * lead) / np.sqrt(
            CHANGED_SHARES * (2.0 - CHANGED_SHARES)
        )
        return float(CHANGED_SHARES[np.argmin(needed)])

    def _receive(self, count: float) -> None:
        if count > self._standing:
            self._standing, self._champion = count, self._trial

    def _guess(self) -> Labels:
        return self._shifted(self._champion)
