"""Attacks that start from a model or must live with answers that are not exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, ExactAnswers, check_tolerated
from holdfast.attacks.base import LabelAttack
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.quoting import quoted

__all__ = ["InformedAttack", "renumbered"]


def renumbered(error: InconsistentAnswer, query: int) -> InconsistentAnswer:
    """Return the error of an attack inside another, which counts its own queries from 0.

    >>> renumbered(InconsistentAnswer("no count gives this answer.", query=2), 30)
    InconsistentAnswer('Query 30: no count gives this answer.')
    """
    return InconsistentAnswer(error.reason, query=query)


class InformedAttack(LabelAttack):
    """A label attack that takes `prior=` and `answers=`.

    A subclass lists the answer models it can use in `tolerates`, says in `intolerance` why it
    needs them, and implements `_learn(low, high, estimate)`: the smallest and largest possible
    match count of the last query and an estimate of it. An answer that the model rules out
    raises `InconsistentAnswer` naming the query, and nothing has changed.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities; None:
        nothing is known. `self._prior` holds it relative to the permutation.
    answers
        What a released answer tells.
    """

    takes_prior = True
    takes_answers = True

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        if answers is not None and not isinstance(answers, AnswerModel):
            raise InvalidInput(f"answers must be an answer model, got {quoted(answers)}.")
        self._answers: AnswerModel = ExactAnswers() if answers is None else answers
        check_tolerated(type(self), self._answers, self._problem)
        self._prior: Prior | None = None
        if prior is not None:
            known = prior if isinstance(prior, Prior) else Prior.dense(prior)
            known.check_fits(self._problem)
            self._prior = known.relative(self._shifts)

    def _take(self, answer: float) -> None:
        n = self._problem.n_examples
        try:
            low, high = self._answers.counts(answer, n)
            estimate = self._answers.estimate(answer, n)
        except InconsistentAnswer as error:
            raise InconsistentAnswer(str(error), query=self._answered) from None
        self._learn(low, high, estimate)

    def _learn(self, low: int, high: int, estimate: float) -> None:
        raise NotImplementedError
