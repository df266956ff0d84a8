"""Attacks on a column beside the metric that ranks, through the submission that the board takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import NotSupported
from holdfast.metrics import Accuracy, Metric, Submission
from holdfast.metrics.one_submission import embedded, read_of
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["Beside"]

# How sure the look is that tells how sure the final submission may be.
CHECKED_AT = 0.75


class Beside:
    """Plays an attack on one column of a board, and submits what it found for another that ranks.

    Queries are put into the richer submission that the board takes. Where probabilities rank and
    the attack finds labels, one more look is spent on its final guess: the loss of a guess that is
    equally sure everywhere tells how many are right, and that is how sure the final one is. Where
    labels rank and the attack proves some of them, all others get the best constant.

    Parameters
    ----------
    make
        Makes the attack on the column from its problem and a generator.
    problem
        The sizes of the board.
    rng
        Where the attack's randomness comes from.
    column
        The metric that the attack reads.
    ranks
        The metric that ranks, which is the first number of an answer.
    taker
        The metric whose submission the board takes.
    heard
        Returns what the attack is told of an answer.
    constant
        The label that is best for all examples alike, where labels rank.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        problem: Problem,
        *,
        rng: np.random.Generator,
        column: Metric,
        ranks: Metric,
        taker: Metric,
        heard: Callable[[tuple[float, ...]], Answer],
        constant: int = 0,
    ) -> None:
        self._problem = Problem(*problem)
        self._column, self._ranks, self._taker, self._heard = column, ranks, taker, heard
        self._loss = ranks.inside
        self._checks = (
            isinstance(self._loss, ProbabilityMetric)
            and column.takes is not Submission.PROBABILITIES
        )
        self._constant = constant
        self._right: float | None = None
        self._checking = False
        looks = self._problem.n_queries - self._checks
        if looks < 1:
            raise NotSupported("it needs one look to read, and one to see how sure it may be.")
        self._inner = make(self._problem._replace(n_queries=looks), rng=rng)

    @property
    def problem(self) -> Problem:
        """The sizes of the board."""
        return self._problem

    def ask(self) -> Any:
        """Return the attack's next query as the board takes it; then, if need be, the guess."""
        query = self._inner.ask()
        if query is not None:
            return self._embedded(query)
        if not self._checks or self._right is not None:
            return None
        self._checking = True
        return self._equally_sure(CHECKED_AT)

    def tell(self, answer: Answer) -> None:
        """Tell the attack its column, or take how many of the guess are right.

        The loss L of a guess that gives p to every guessed label is R hit + (1 - R) miss, where R
        is the share that is right, and hit and miss are what p and the rest cost: one look tells
        R = (miss - L) / (miss - hit). R is also the probability that costs least, so it is what
        the final submission says, but never nothing or all.
        """
        numbers = answer if isinstance(answer, tuple) else (answer,)
        if not self._checking:
            self._inner.tell(self._heard(numbers))
            return
        self._checking = False
        n, m, _ = self._problem
        assert isinstance(self._loss, ProbabilityMetric)
        hit, miss = map(float, self._loss.costs(_row(CHECKED_AT, m))[:2])
        right = (miss - numbers[0]) / (miss - hit)
        self._right = float(np.clip(right, 1.0 / m, 1.0 - 0.5 / n))

    def predict(self) -> Any:
        """Return the final submission, as the metric that ranks takes it."""
        if self._checks:
            right = 1.0 / self._problem.n_classes if self._right is None else self._right
            return read_of(self._equally_sure(right), self._taker, self._ranks)
        guess = np.asarray(self._inner.predict())
        found = read_of(self._embedded(guess), self._taker, self._ranks)
        # Who submits scores or probabilities proves labels one by one, and knows no others.
        proves = guess.dtype.kind == "f" and self._inner.proves_labels
        if proves and self._ranks.takes is Submission.LABELS:
            found[~self._inner.certain()] = self._constant
        return found

    def _embedded(self, query: Any) -> Any:
        return embedded(query, self._column, self._taker, self._problem.n_classes)

    def _equally_sure(self, right: float) -> NDArray[np.float64]:
        """Return probabilities that give each guessed label the same, and all others the rest."""
        n, m, _ = self._problem
        labels = read_of(self._embedded(self._inner.predict()), self._taker, Accuracy())
        rows = np.full((n, m), (1.0 - right) / (m - 1))
        rows[np.arange(n), labels] = right
        return rows


def _row(right: float, n_classes: int) -> NDArray[np.float64]:
    """Return probabilities of one example whose label is the first class.

    >>> _row(0.75, 2).tolist()
    [0.75, 0.25]
    """
    row = np.full(n_classes, (1.0 - right) / (n_classes - 1))
    row[0] = right
    return row
