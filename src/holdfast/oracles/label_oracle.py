"""Hidden labels in memory, queried by label vectors."""

from __future__ import annotations

import numpy as np

from holdfast.evaluate import evaluate
from holdfast.labels import Labels, as_labels
from holdfast.oracles.budgeted import Budgeted
from holdfast.problem import Problem
from holdfast.protocols import Mechanism

__all__ = ["LabelOracle"]


class LabelOracle(Budgeted):
    """Answer accuracy queries about hidden labels, up to a budget.

    The paper's oracle h(q, z): a query is one label per example, in the test set's order.

    Parameters
    ----------
    labels
        The hidden labels, integers from 0 to n_classes - 1; copied.
    problem
        The sizes; n_queries is the budget.
    mechanism
        The release rule; None: the exact accuracy.
    rng
        Randomness of the release rule; unused by deterministic rules.

    Examples
    --------
    >>> oracle = LabelOracle([0, 1, 2], problem=Problem(3, 3, 1))
    >>> oracle.query([0, 1, 1])
    0.6666666666666666
    >>> oracle.looks_left
    0
    """

    def __init__(
        self,
        labels: object,
        *,
        problem: Problem,
        mechanism: Mechanism | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        super().__init__(problem, mechanism, rng)
        n, m, _ = self._problem
        self._labels = as_labels(labels, m, n_examples=n).copy()

    def query(self, query: Labels) -> float:
        """Return what the mechanism releases about the accuracy of `query`.

        Raises
        ------
        BudgetExhausted
            All n_queries looks are used up.
        InvalidQuery
            Wrong length, dtype or range. Either way nothing is counted and nothing changes.
        """
        self._check_budget()
        return self._release(evaluate(query, self._labels, self._problem.n_classes))
