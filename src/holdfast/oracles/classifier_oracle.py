"""Hidden features and labels, queried by classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.labels import as_labels
from holdfast.oracles.multi_account_oracle import MultiAccountOracle
from holdfast.problem import Problem
from holdfast.protocols import Classifier, Mechanism
from holdfast.quoting import quoted

__all__ = ["ClassifierOracle", "IndexedOracle"]


class ClassifierOracle(MultiAccountOracle[Classifier]):
    """Answer the accuracy of classifiers on a test set that nobody else sees.

    The rows are shown in a fresh random order each time, so nothing can lean on positions: a
    classifier only has the features. This is the paper's general setting, acc_S(f).

    Parameters
    ----------
    X
        The features: a numpy array with one row per example, a list of bytes or strings, or a
        pandas frame.
    labels
        The hidden labels, integers from 0 to n_classes - 1; copied.
    problem
        The sizes; n_queries is the budget.
    mechanism, rng, accounts
        As in `MultiAccountOracle`; `rng` is the randomness of the row order, too.

    Examples
    --------
    >>> class AllZero:
    ...     def predict(self, X):
    ...         return np.zeros(len(X), dtype=int)
    >>> oracle = ClassifierOracle(["a", "b", "c"], [0, 1, 0], problem=Problem(3, 2, 1))
    >>> oracle.query(AllZero())
    0.6666666666666666
    """

    def __init__(
        self,
        X: Any,
        labels: object,
        *,
        problem: Problem,
        mechanism: Mechanism | None = None,
        rng: np.random.Generator | None = None,
        accounts: int = 1,
    ) -> None:
        super().__init__(labels, problem=problem, mechanism=mechanism, rng=rng, accounts=accounts)
        n = self._problem.n_examples
        if len(X) != n:
            raise InvalidInput(f"X must have n_examples = {n} rows, got {len(X)}.")
        self._X = X
        # Not the release rule's own stream: a refused query must not change later answers.
        self._orders = self._rng.spawn(1)[0]

    def _predicted(self, query: Classifier) -> object:
        n, m, _ = self._problem
        order = self._orders.permutation(n)
        shown = _predict(query, _rows(self._X, order))
        shown = as_labels(shown, m, name="query", n_examples=n, error=InvalidQuery)
        # Back in the test set's order: a rule that scores a fixed part of it goes by position.
        predicted = np.empty_like(shown)
        predicted[order] = shown
        return predicted


class IndexedOracle(ClassifierOracle):
    """A test set that is always evaluated in one order, with the index shown: f(x, i).

    The paper's remark at the start of the section on unknown features: such a board is no harder
    to overfit than one that publishes its features. A query has `predict(X, index)`.
    """

    def _predicted(self, query: Any) -> object:
        return _predict(query, self._X, np.arange(self._problem.n_examples, dtype=np.uint64))


def _predict(query: Any, *shown: Any) -> Any:
    if not callable(getattr(query, "predict", None)):
        raise InvalidQuery(f"query must have a predict method, got {quoted(query)}.")
    return query.predict(*shown)


def _rows(X: Any, order: np.ndarray[Any, Any]) -> Any:
    """Take rows of whatever X is."""
    if hasattr(X, "iloc"):
        return X.iloc[order]
    if isinstance(X, np.ndarray):
        return X[order]
    return [X[j] for j in order]
