"""What every local oracle shares: a budget, a release rule and its state."""

from __future__ import annotations

import numpy as np

from holdfast.errors import BudgetExhausted
from holdfast.mechanisms import Exact
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, Mechanism

__all__ = ["Budgeted"]


class Budgeted:
    """Count looks and release answers; subclasses evaluate queries.

    The order is what keeps a refused query free: check the budget, evaluate (which may refuse),
    release, and only then count.
    """

    def __init__(
        self, problem: Problem, mechanism: Mechanism | None, rng: np.random.Generator | None
    ) -> None:
        self._problem = Problem(*problem)
        self._mechanism: Mechanism = Exact() if mechanism is None else mechanism
        self._state = self._mechanism.init(self._problem)
        self._rng = np.random.default_rng(0) if rng is None else rng
        self._looks = 0

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({self._problem}, {self._mechanism}, looks_left={self.looks_left})"

    @property
    def problem(self) -> Problem:
        """The sizes; n_queries is the whole budget."""
        return self._problem

    @property
    def looks(self) -> int:
        """Number of queries answered so far."""
        return self._looks

    @property
    def looks_left(self) -> int:
        """Number of queries that will still be answered."""
        return self._problem.n_queries - self._looks

    def _check_budget(self) -> None:
        if self._looks >= self._problem.n_queries:
            raise BudgetExhausted(f"all {self._problem.n_queries} looks are used up.")

    def _release(self, evaluation: Evaluation) -> float:
        answer, self._state = self._mechanism.release(self._state, evaluation, self._rng)
        self._looks += 1
        return answer
