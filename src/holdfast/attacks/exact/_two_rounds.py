"""Two rounds of the detecting design, the second on what the first left open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.exact._second_round import SecondRound
from holdfast.attacks.exact.detecting import PooledDetecting
from holdfast.errors import InconsistentAnswer
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["TwoRounds"]


class TwoRounds(TurnBased[Labels]):
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
        super().__init__(problem, rng=rng, permuted=permuted)
        n, m, k = self._problem
        self._rows = second
        self._first = PooledDetecting(
            Problem(n, m, k - second),
            rng=np.random.default_rng([self._seed, 1]),
            permuted=permuted,
        )
        self._second: SecondRound | None = None
        self._began = 0  # looks before the second round
        self._open: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._known: Labels = np.empty(0, dtype=np.uint8)

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels the answers prove."""
        sure = self._first.certain()
        if self._second is not None:
            sure[self._open] = self._second.sure
        return sure

    def posterior(self, examples: NDArray[np.intp]) -> Prior:
        """Return what the answers say of some examples whose labels they do not prove."""
        if self._second is None:
            return self._first.posterior(examples)
        at = np.searchsorted(self._open, examples)
        labels, odds = self._second.posterior()
        return Prior.candidates(labels[at], odds[at], self._problem.n_classes)

    def _query(self, index: int) -> Labels | None:
        if self._second is None:
            query = self._first.ask()
            if query is not None or not self._begin(index):
                return query
        assert self._second is not None
        if index - self._began >= self._rows:
            return None
        return self._with(self._second.row(index - self._began))

    def _begin(self, index: int) -> bool:
        """Begin the second round; False if nothing is open."""
        self._open = np.flatnonzero(~self._first.certain())
        self._known = self._first.predict()
        if not self._open.size:
            return False
        rng = np.random.default_rng([self._seed, 2])
        labels, odds = self._first.posterior(self._open).ranked(self._problem.n_classes)
        # Of equally likely labels a random one comes first, whatever the numbers of the classes.
        order = np.lexsort((rng.random(odds.shape), -odds), axis=1)
        labels = np.take_along_axis(labels, order, axis=1)
        odds = np.take_along_axis(odds, order, axis=1)
        wrong = np.where(odds[:, -1] == 0.0, labels[:, -1].astype(np.int64), -1)
        self._began = index
        self._second = SecondRound(labels, odds, wrong, self._rows, rng)
        return True

    def _take(self, answer: float) -> None:
        if self._second is None:
            self._first.tell(answer)
            return
        # Labels that are the same in all rows add the same to all counts, and cancel.
        try:
            self._second.tell(round(answer * self._problem.n_examples))
        except InconsistentAnswer as error:
            raise InconsistentAnswer(str(error), query=self._answered) from None

    def _guess(self) -> Labels:
        if self._second is None:
            return self._first.predict()
        labels, odds = self._second.posterior()
        best = odds.argmax(axis=1)
        return self._with(np.take_along_axis(labels, best[:, None], axis=1)[:, 0])

    def _with(self, part: Labels) -> Labels:
        labels = self._known.copy()
        labels[self._open] = part
        return labels
