"""Hidden labels in memory, queried by label vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import NotSupported
from holdfast.kernels.fixed_queries import FixedQueries
from holdfast.labels import Labels
from holdfast.oracles.multi_account_oracle import MultiAccountOracle

__all__ = ["LabelOracle"]


class LabelOracle(MultiAccountOracle[Labels]):
    """Answer accuracy queries about hidden labels, up to a budget.

    The paper's oracle h(q, z): a query is one label per example, in the test set's order. Its
    parameters are those of `MultiAccountOracle`.

    Examples
    --------
    >>> from holdfast import Problem
    >>> oracle = LabelOracle([0, 1, 2], problem=Problem(3, 3, 1))
    >>> oracle.query([0, 1, 1])
    0.6666666666666666
    >>> oracle.looks_left
    0
    """

    def answers_at_once(self, n_queries: int) -> bool:
        """Tell whether `query_all` answers so many: exact scores, and within the budget."""
        in_turn = type(self).query is not LabelOracle.query or "query" in vars(self)
        return self._exact and n_queries <= self.looks_left and not in_turn

    def query_all(self, queries: FixedQueries) -> NDArray[np.float64]:
        """Answer all queries of a play that fixes them beforehand, in one pass over the labels."""
        if not self.answers_at_once(queries.n_queries):
            raise NotSupported("the queries must be asked one by one.")
        answers = queries.matches(self._labels) / self._problem.n_examples
        self._looks += queries.n_queries
        return np.asarray(answers)

    def _predicted(self, query: Labels) -> Labels:
        return query
