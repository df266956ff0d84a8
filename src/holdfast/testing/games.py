"""Small games for attacks under test: problems, hidden labels and an oracle for any query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from holdfast.attacks.without_features.by_index import IndexClassifier
from holdfast.errors import CheckFailed
from holdfast.labels import Labels, label_dtype
from holdfast.oracles import ClassifierOracle, IndexedOracle, LabelOracle
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import quoted

__all__ = [
    "ATTACK_SEED",
    "PROBLEMS",
    "AnyQueryOracle",
    "Factory",
    "build",
    "expect",
    "hidden_labels",
    "labels_of",
]

# An attack's class, or a function that makes one: called with a problem and `rng=`.
Factory: TypeAlias = Callable[..., Attack[Any]]

# Two classes and several, few looks and one, more classes than a byte holds, a single example.
PROBLEMS = (
    Problem(60, 2, 12),
    Problem(60, 2, 1),
    Problem(45, 5, 8),
    Problem(7, 3, 2),
    Problem(9, 300, 4),
    Problem(1, 2, 1),
)

ATTACK_SEED, FEATURE_SEED, LABEL_SEED, ORDER_SEED = 5, 76, 77, 78


def expect(condition: object, message: str) -> None:
    """Raise `CheckFailed` with the message unless the condition is true."""
    if not condition:
        raise CheckFailed(message)


def build(factory: Factory, problem: Problem) -> Attack[Any]:
    """Return a new attack, always from the same seed."""
    return factory(problem, rng=np.random.default_rng(ATTACK_SEED))


def hidden_labels(problem: Problem, seed: int = LABEL_SEED) -> Labels:
    """Return uniform labels."""
    n, m, _ = problem
    return np.random.default_rng(seed).integers(m, size=n).astype(label_dtype(m))


def _features(problem: Problem) -> Any:
    return np.random.default_rng(FEATURE_SEED).normal(size=(problem.n_examples, 2))


class AnyQueryOracle:
    """An oracle that answers what its attack asks: label vectors or classifiers."""

    def __init__(self, problem: Problem, seed: int = LABEL_SEED) -> None:
        self.problem = problem
        self._hidden = hidden_labels(problem, seed)
        self._oracle: Any = None

    def query(self, query: Any) -> float:
        """Return the exact accuracy."""
        if self._oracle is None:
            self._oracle = self._oracle_for(query)
        answer: float = self._oracle.query(query)
        return answer

    def _oracle_for(self, query: Any) -> Any:
        if isinstance(query, np.ndarray):
            return LabelOracle(self._hidden, problem=self.problem)
        oracle = IndexedOracle if isinstance(query, IndexClassifier) else ClassifierOracle
        rng = np.random.default_rng(ORDER_SEED)
        return oracle(_features(self.problem), self._hidden, problem=self.problem, rng=rng)


def labels_of(query: Any, problem: Problem) -> list[int]:
    """Return the labels that a query or a prediction gives the examples, if they are labels."""
    n, m, _ = problem
    labels = query
    if isinstance(query, IndexClassifier):
        labels = query.predict(_features(problem), np.arange(n, dtype=np.uint64))
    elif callable(getattr(query, "predict", None)):
        labels = query.predict(_features(problem))
    expect(
        isinstance(labels, np.ndarray) and labels.shape == (n,),
        f"a query and a prediction must be an array of shape ({n},), or a classifier that "
        f"predicts one, got {quoted(labels)}.",
    )
    expect(
        labels.dtype == label_dtype(m),
        f"labels must have dtype {label_dtype(m)}, which is holdfast.labels.label_dtype({m}), "
        f"got {labels.dtype}.",
    )
    expect(labels.max() < m, f"labels must lie in 0 .. {m - 1}, got {labels.max()}.")
    found: list[int] = labels.tolist()
    return found
