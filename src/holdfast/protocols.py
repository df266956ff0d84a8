"""The protocols of the package: attack, oracle, release rule.

Everything else in the package implements one of these protocols or uses all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InconsistentAnswer
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = [
    "Answer",
    "Attack",
    "BatchOracle",
    "Classifier",
    "Evaluation",
    "Mechanism",
    "Oracle",
    "State",
    "one_number",
]

# A query is a label vector where the test features are known, a classifier where they are not.
Query_co = TypeVar("Query_co", covariant=True)
Query_contra = TypeVar("Query_contra", contravariant=True)

# What a mechanism remembers between looks: JSON-ready data, stored beside the look.
State: TypeAlias = Mapping[str, Any]

# What a look is told: one number, or one for each group, class or metric that the board shows.
Answer: TypeAlias = float | tuple[float, ...]


def one_number(answer: Answer) -> float:
    """Return the number of an answer that has one, for what reads no more.

    >>> one_number(0.5), one_number((0.5,))
    (0.5, 0.5)
    """
    if isinstance(answer, tuple):
        if len(answer) != 1:
            raise InconsistentAnswer(f"answer must be one number, got {len(answer)}.")
        return answer[0]
    return answer


@runtime_checkable
class Attack(Protocol[Query_co]):
    """Asks, is told, predicts. Sees no labels, no oracle and no mechanism.

    An attack is deterministic given its generator, so one that was stopped resumes when the
    recorded answers are told again.
    """

    @property
    def problem(self) -> Problem:
        """The sizes that it plays for."""
        ...

    def ask(self) -> Query_co | None:
        """Return the next query, fresh for the caller to keep; None: nothing left worth asking."""
        ...

    def tell(self, answer: Answer) -> None:
        """Take the released answer to the last query; one that it can't use is an error."""
        ...

    def predict(self) -> Query_co:
        """Return the best guess so far; legal at any time, before the first answer too."""
        ...


class Classifier(Protocol):
    """Anything with scikit-learn's `predict`: rows of features in, one label per row out."""

    def predict(self, X: Any) -> Any:
        """Return one label for each row of X."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """What a mechanism may look at: one scored query. It never leaves the oracle.

    A query is a label per example; or K of them, of which one must be the hidden label; or a set,
    which must be the hidden one.
    """

    matches: int
    query: Labels
    labels: Labels

    @property
    def n_examples(self) -> int:
        """Number of scored examples."""
        return len(self.labels)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which examples the query labels correctly."""
        return self.hits_of(self.query)

    def hits_of(self, query: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which examples another query labels correctly.

        >>> kept = Evaluation(1, np.array([[0, 1], [2, 1]]), np.array([1, 0]))
        >>> kept.correct, kept.hits_of(np.array([[2, 1], [0, 2]]))
        (array([ True, False]), array([ True,  True]))
        """
        hits: NDArray[np.bool_]
        if query.ndim == 1:
            hits = np.equal(query, self.labels)
        elif self.labels.ndim == 1:
            hits = (query == self.labels[:, None]).any(axis=1)
        else:
            hits = (query == self.labels).all(axis=1)
        return hits

    def __repr__(self) -> str:
        # The exact score must not reach a log through a repr.
        return f"Evaluation(n_examples={self.n_examples})"


@runtime_checkable
class Mechanism(Protocol):
    """A release rule: frozen settings; its state is kept apart and is plain data."""

    def init(self, problem: Problem) -> State:
        """Return the state before the first look."""
        ...

    def release(
        self, state: State, evaluation: Evaluation, rng: np.random.Generator
    ) -> tuple[float, State]:
        """Return what is released for this look, and the state after it."""
        ...


class Oracle(Protocol[Query_contra]):
    """Owns the labels and the budget; answers queries and can't score a prediction."""

    @property
    def problem(self) -> Problem:
        """The sizes that it answers for; n_queries is its budget."""
        ...

    def query(self, query: Query_contra) -> Answer:
        """Answer one query, or raise `BudgetExhausted` or `InvalidQuery` and change nothing."""
        ...


@runtime_checkable
class BatchOracle(Oracle[Query_contra], Protocol[Query_contra]):
    """An oracle that may answer "not yet" (not a number), and tells a batch when it is full."""

    @property
    def batch(self) -> Sequence[Answer]:
        """The answers of the last full batch, in the order in which they were asked."""
        ...
