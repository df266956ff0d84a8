"""Games in two stages: labels proved in the first are shown throughout the second."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, ExactAnswers, check_tolerated
from holdfast.attacks.base import TurnBased
from holdfast.attacks.informed import renumbered
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.quoting import quoted

__all__ = ["TwoStages"]


class TwoStages(TurnBased[Labels]):
    """An attack that proves labels, then another one on the examples that are still open.

    The labels that the first stage proved are shown in every query of the second, so their matches
    are known, and what an answer leaves is an exact answer about the others. A subclass sets
    `self._first`, an attack with `certain()`, and implements `_second_stage(open_, looks)`, the
    attack on those examples alone.

    Parameters
    ----------
    answers
        What a released answer tells: exact answers, or rounded to less than one match.
    """

    adaptive = True
    takes_answers = True
    proves_labels = True
    _first: Any

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, answers: AnswerModel | None = None
    ) -> None:
        super().__init__(problem, rng=rng)
        self._answers = ExactAnswers() if answers is None else answers
        if not isinstance(self._answers, AnswerModel):
            raise InvalidInput(f"answers must be an answer model, got {quoted(answers)}.")
        check_tolerated(type(self), self._answers, self._problem)
        # The second stage: who plays it, on which examples, beside which certain labels.
        self._second: Any = None
        self._open: NDArray[np.intp] = np.arange(self._problem.n_examples)
        self._known: Labels = np.empty(0, dtype=np.uint8)

    @abstractmethod
    def _second_stage(self, open_: NDArray[np.intp], looks: int) -> Any:
        """Return the attack on the examples that are open, with the looks that are left."""

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels of `predict` are known for certain."""
        sure: NDArray[np.bool_] = self._first.certain()
        if self._second is not None and self._second.proves_labels:
            sure[self._open] = self._second.certain()
        return sure

    def first_guess(self) -> Labels:
        """Return what the first stage alone guesses."""
        guess: Labels = self._first.predict()
        return guess

    def _query(self, index: int) -> Labels | None:
        if self._second is None:
            query: Labels | None = self._first.ask()
            if query is not None or not self._start_second(index):
                return query
        part = self._second.ask()
        return None if part is None else self._with(part)

    def _start_second(self, index: int) -> bool:
        """Give the looks that are left to the open examples; False if there are none of either."""
        self._open = np.flatnonzero(~self._first.certain())
        self._known = self._first.predict()
        if self._open.size:
            self._second = self._second_stage(self._open, self._problem.n_queries - index)
        return self._open.size > 0

    def _take(self, answer: float) -> None:
        n = self._problem.n_examples
        try:
            matches, _ = self._answers.counts(answer, n)
        except InconsistentAnswer as error:
            raise InconsistentAnswer(str(error), query=self._answered) from None
        if self._second is None:
            self._first.tell(matches / n)
            return
        left = matches - (n - self._open.size)
        if left < 0:
            raise InconsistentAnswer(
                f"it shows {n - self._open.size} labels known for certain, got {matches} matches.",
                query=self._answered,
            )
        try:
            self._second.tell(left / self._open.size)
        except InconsistentAnswer as error:
            raise renumbered(error, self._answered) from None

    def _guess(self) -> Labels:
        if self._second is None:
            return self.first_guess()
        return self._with(self._second.predict())

    def _with(self, part: Labels) -> Labels:
        """Return the certain labels together with these of the open examples."""
        labels = self._known.copy()
        labels[self._open] = part
        return labels
