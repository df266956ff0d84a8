"""Base classes of attacks: turns, budget, and the per-example permutation of Theorem 2."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Described
from holdfast.errors import InvalidInput, OutOfTurn
from holdfast.kernels.fixed_queries import FixedQueries
from holdfast.kernels.keyed import bounded, subkey, wrap
from holdfast.labels import Labels, label_dtype
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number
from holdfast.quoting import quoted

__all__ = ["LabelAttack", "TurnBased", "Turns"]

Query = TypeVar("Query")

EVERYWHERE = slice(None)


class Turns(Described, Generic[Query]):
    """Keep `ask` and `tell` in turn and within the budget.

    A subclass implements `_query(index)`, the next query or None if it has nothing left to ask;
    `_take(answer)`, which takes an answer as `_checked` returns it; and `_guess()`.

    Parameters
    ----------
    problem
        The sizes to play for.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = Problem.of(problem)
        self._answered = 0
        self._waiting = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._problem}, answered={self._answered})"

    @property
    def problem(self) -> Problem:
        """The sizes that it plays for."""
        return self._problem

    @property
    def answered(self) -> int:
        """How many of its queries were answered so far."""
        return self._answered

    def ask(self) -> Query | None:
        """Return the next query; None when the budget is used up or nothing is worth asking."""
        if self._waiting:
            raise OutOfTurn("ask() needs the answer to the last query first: call tell().")
        if self._answered >= self._problem.n_queries:
            return None
        query = self._query(self._answered)
        self._waiting = query is not None
        return query

    def tell(self, answer: Answer) -> None:
        """Take the released answer to the last query."""
        if not self._waiting:
            raise OutOfTurn("tell() needs an open query: call ask() first.")
        self._take(self._checked(answer))
        self._waiting = False
        self._answered += 1

    def predict(self) -> Query:
        """Return the best guess so far."""
        return self._guess()

    def _checked(self, answer: Answer) -> Any:
        """Return a finite number, or raise `InvalidInput`."""
        try:
            value = answer if type(answer) is float else float(one_number(answer))
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise InvalidInput(f"answer must be a finite number, got {quoted(answer)}.")
        return value

    def _query(self, index: int) -> Query | None:
        raise NotImplementedError

    def _take(self, answer: Any) -> None:
        raise NotImplementedError

    def _guess(self) -> Query:
        raise NotImplementedError


class TurnBased(Turns[Query]):
    """Play in turn from one seed.

    A subclass implements `_query`, `_guess`, and `_receive(count)`, which takes the answer as a
    match count, or `_take(answer)`, as it was released.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's one 64-bit seed is drawn from; everything else follows from the seed.
    permuted
        Play through a permutation of each example's labels; how is up to the subclass.
    """

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem)
        if not isinstance(rng, np.random.Generator):
            raise InvalidInput(f"rng must be a numpy.random.Generator, got {quoted(rng)}.")
        self._seed = int(rng.integers(2**63))
        self._permuted = bool(permuted)

    def fixed_queries(self) -> FixedQueries | None:
        """Return all queries of the play, to be counted together; None: ask one by one.

        Fixed ones, or such whose answers, which choose the next, all follow from one count.
        Whoever answers them says so with `tell_all`.
        """
        return None

    def tell_all(self, answers: NDArray[np.float64]) -> None:
        """Take the answers to all fixed queries, as `tell` would take each."""
        if self._waiting or self._answered:
            raise OutOfTurn("tell_all() answers a whole play, and looks were taken already.")
        self._take_all(answers)
        self._answered = answers.size

    def _take_all(self, answers: NDArray[np.float64]) -> None:
        raise NotImplementedError

    def _take(self, answer: Any) -> None:
        """Learn from an accuracy as it was released; unless overridden, from its match count."""
        count = answer * self._problem.n_examples
        nearest = round(count)
        # An exact answer is a count divided by n: undo the rounding of that division, so that
        # equal counts compare equal.
        self._receive(float(nearest) if abs(count - nearest) < 1e-6 else count)

    def _receive(self, count: float) -> None:
        raise NotImplementedError


class LabelAttack(TurnBased[Labels]):
    """An attack whose queries are label vectors, playing through a per-example permutation.

    The permutation of example j is the cyclic shift by an independent uniform amount. Theorem 2
    only uses that it sends any fixed label to a uniform one, independently across examples, and
    a shift does. `self._shifts` holds the amounts; all zero when `permuted` is off.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Off: play with the labels as they are, to see what goes wrong on class-balanced or
        adversarial test sets.
    """

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        self._dtype = label_dtype(self._problem.n_classes)

    # Made when first asked for: a play by stretches of the examples never holds them whole.

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return np.arange(self._problem.n_examples, dtype=np.uint64)

    @cached_property
    def _shifts(self) -> NDArray[np.uint32]:
        return self._shifts_of(self._keys)

    def _shifts_of(self, keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Return the shift of each example, by its key."""
        return (
            bounded(keys, subkey(self._seed, "shift"), self._problem.n_classes)
            if self._permuted
            else np.zeros(keys.size, dtype=np.uint32)
        )

    def _shifted_on(self, start: int, stop: int, *labels: int) -> list[Labels]:
        """Return the rows to send for constant labels on the examples start .. stop - 1."""
        m = self._problem.n_classes
        shifts = self._shifts_of(np.arange(start, stop, dtype=np.uint64))
        return [wrap(shifts + np.uint32(each), m).astype(self._dtype) for each in labels]

    def _shifted(self, labels: NDArray[Any] | int, here: slice = EVERYWHERE) -> Labels:
        """Return pi(labels), here: what to send for labels in the attack's own terms."""
        shifts = self._shifts[here]
        if isinstance(labels, int):
            if labels == 0:
                return shifts.astype(self._dtype)
            moved = shifts + np.uint32(labels)
        else:
            moved = shifts + np.asarray(labels, dtype=np.uint32)
        return wrap(moved, self._problem.n_classes).astype(self._dtype)
