"""Exact release: the accuracy itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import ExactAnswers
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State
from holdfast.rules.base import Reading, Rule, WorksOn

__all__ = ["Exact"]


@dataclass(frozen=True)
class Exact(Rule):
    """Release the accuracy itself.

    The identity among release rules, and the one that the paper's model assumes: every answer
    is a match count divided by n.

    Examples
    --------
    >>> str(Exact()), Exact().resolution(Problem(1000, 10, 5))
    ('exact', 0.001)
    """

    name: ClassVar[str] = "exact"
    source: ClassVar[str] = "acharya2020, the model of section 2"
    text_forms: ClassVar[tuple[str, ...]] = ("exact",)
    keeps_exact: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ANY_METRIC

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reading as it is."""
        return reading, state

    def release(self, state: State, evaluation: Evaluation, rng: Generator) -> tuple[float, State]:
        """Return the exact accuracy; the same number as through `pass_on`, without a fraction."""
        return evaluation.matches / evaluation.n_examples, state

    def answer_model(self, problem: Problem) -> ExactAnswers:
        """Return that of exact answers."""
        return ExactAnswers()

    def refines(self, other: Rule, problem: Problem) -> bool:
        """Tell whether the other rule reads match counts: whoever has them can do what it does."""
        return other.tells_counts_alone

    def resolution(self, problem: Problem) -> float:
        """Return one match: nothing is hidden."""
        return 1.0 / problem.n_examples
