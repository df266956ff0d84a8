"""Hidden features and labels, queried by classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, InvalidQuery
from holdfast.evaluate import evaluate
from holdfast.labels import as_labels
from holdfast.oracles.budgeted import Budgeted
from holdfast.problem import Problem
from holdfast.protocols import Classifier, Mechanism
from holdfast.quoting import quoted

__all__ = ["ClassifierOracle", "IndexedOracle"]


class ClassifierOracle(Budgeted):
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
    mechanism
        The release rule; None: the exact accuracy.
    rng
        Randomness of the row order and of the release rule.

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
    ) -> None:
        super().__init__(problem, mechanism, rng)
        n, m, _ = self._problem
        if len(X) != n:
            raise InvalidInput(f"X must have n_examples = {n} rows, got {len(X)}.")
        self._X = X
        # Not the release rule's own stream: a refused query must not change later answers.
        self._orders = self._rng.spawn(1)[0]
        self._labels = as_labels(labels, m, n_examples=n).copy()

    def query(self, query: Classifier) -> float:
        """Return what the mechanism releases about the accuracy of a classifier.

        Raises
        ------
        BudgetExhausted
            All n_queries looks are used up.
        InvalidQuery
            No `predict`, or it returned labels of the wrong number, dtype or range. Either way
            nothing is counted, and later answers are what they would have been.
        """
        self._check_budget()
        if not callable(getattr(query, "predict", None)):
            raise InvalidQuery(f"query must have a predict method, got {quoted(query)}.")
        n, m, _ = self._problem
        order = self._orders.permutation(n)
        shown = query.predict(_rows(self._X, order))
        shown = as_labels(shown, m, name="query", n_examples=n, error=InvalidQuery)
        # Back in the test set's order: a rule that scores a fixed part of it goes by position.
        predicted = np.empty_like(shown)
        predicted[order] = shown
        return self._release(evaluate(predicted, self._labels, m))


class IndexedOracle(ClassifierOracle):
    """A test set that is always evaluated in one order, with the index shown: f(x, i).

    The paper's remark at the start of the section on unknown features: such a board is no harder
    to overfit than one that publishes its features. A query has `predict(X, index)`.
    """

    def query(self, query: Any) -> float:
        """Return what the mechanism releases about the accuracy of `query.predict(X, index)`."""
        self._check_budget()
        if not callable(getattr(query, "predict", None)):
            raise InvalidQuery(f"query must have a predict method, got {quoted(query)}.")
        predicted = query.predict(self._X, np.arange(self._problem.n_examples, dtype=np.uint64))
        return self._release(evaluate(predicted, self._labels, self._problem.n_classes))


def _rows(X: Any, order: np.ndarray[Any, Any]) -> Any:
    """Take rows of whatever X is."""
    if hasattr(X, "iloc"):
        return X.iloc[order]
    if isinstance(X, np.ndarray):
        return X[order]
    return [X[j] for j in order]
