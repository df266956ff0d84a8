"""Batched release: the answers of several looks at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from holdfast.answers import ExactAnswers
from holdfast.problem import Problem
from holdfast.protocols import Answer, Evaluation, State
from holdfast.rules.base import PENDING, Reading, Rule, WorksOn
from holdfast.rules.checks import check_count
from holdfast.rules.packed import pack, unpack

__all__ = ["PENDING", "Batch", "is_pending", "released"]


def is_pending(answer: Answer) -> bool:
    """Tell whether an answer says "not yet".

    >>> is_pending(PENDING), is_pending(0.5)
    (True, False)
    """
    return not isinstance(answer, tuple) and math.isnan(answer)


def released(state: State) -> Sequence[float]:
    """Return the answers of the last full batch, in the order in which they were asked."""
    answers: Sequence[float] = state.get("released", [])
    return answers


@dataclass(frozen=True)
class Batch(Rule):
    """Answer only when a batch of looks is full, then all of them at once.

    An analyst can adapt between batches, not within one: with k looks and batches of b there
    are k/b rounds. While the batch fills, a look is counted, kept and answered with `PENDING`.
    The look that fills it gets its own answer, and `released(state)` holds those of the whole
    batch. The state holds the waiting submissions, not their scores.

    In a chain it comes first, and every submission of a full batch goes through the other rules
    in the order in which it came. A batch that never fills is never answered.

    Parameters
    ----------
    size
        Number of looks in a batch.

    Examples
    --------
    >>> from holdfast.evaluate import evaluate
    >>> rule, labels = Batch(2), np.zeros(4, dtype=np.uint8)
    >>> state, rng = rule.init(Problem(4, 2, 2)), np.random.default_rng(0)
    >>> first, state = rule.release(state, evaluate([0, 0, 0, 1], labels, 2), rng)
    >>> second, state = rule.release(state, evaluate([0, 1, 1, 1], labels, 2), rng)
    >>> first, second, released(state)
    (nan, 0.25, [0.75, 0.25])
    """

    size: int

    name: ClassVar[str] = "batch"
    source: ClassVar[str] = "boards that update once in a while; no paper"
    text_forms: ClassVar[tuple[str, ...]] = ("batch:20",)
    keeps_exact: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it holds answers back with the examples that they are of"

    def __post_init__(self) -> None:
        check_count("size", self.size, 1)

    def init(self, problem: Problem) -> State:
        """Return the state with an empty batch."""
        return {"waiting": [], "released": [], "n_classes": problem.n_classes}

    def collect(self, state: State, evaluation: Evaluation) -> tuple[list[Evaluation], State]:
        """Return the evaluations that are now due, none until the batch is full."""
        waiting = [*state["waiting"], pack(evaluation.query, state["n_classes"])]
        if len(waiting) < self.size:
            return [], {**state, "waiting": waiting}
        due = [_scored(text, evaluation, state["n_classes"]) for text in waiting]
        return due, {**state, "waiting": []}

    def answers(
        self, state: State, evaluation: Evaluation, rng: Generator
    ) -> tuple[list[Reading], State]:
        """Return nothing, or the answers of the batch that is now full."""
        del rng  # nothing random
        due, after = self.collect(state, evaluation)
        readings = [Reading.of(each) for each in due]
        if readings:
            after = {**after, "released": [float(reading.value) for reading in readings]}
        return readings, after

    def resolution(self, problem: Problem) -> float:
        """Return one match: answers are late, not coarse."""
        return 1.0 / problem.n_examples

    @classmethod
    def compared(cls, problem: Problem) -> tuple[str, ...]:
        """Return the batch of a third of the looks."""
        return (str(cls(-(-problem.n_queries // 3))),)

    @property
    def batch_size(self) -> int:
        """The size."""
        return self.size

    def answer_model(self, problem: Problem) -> ExactAnswers:
        """Return that of exact answers: they are late, not coarse."""
        return ExactAnswers()


def _scored(text: str, evaluation: Evaluation, n_classes: int) -> Evaluation:
    labels = evaluation.labels
    query = unpack(text, labels.size, n_classes)
    return Evaluation(int(np.count_nonzero(query == labels)), query, labels)
