"""Hidden labels behind a budget and a release rule, asked by one account or by several."""

from __future__ import annotations

from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from holdfast.errors import BudgetExhausted
from holdfast.evaluate import count_matches, evaluate
from holdfast.labels import as_labels
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Mechanism, State
from holdfast.rules import Exact, released

__all__ = ["MultiAccountOracle"]

Query = TypeVar("Query")


class MultiAccountOracle(Generic[Query]):
    """Count looks and release answers, with a state of the rule for each account.

    Accounts are used up one after the other, each for an equal share of the looks; with as many
    accounts as looks every look comes from a new one. To the rule they are strangers. A subclass
    says in `_predicted` which labels a query gives to the examples.

    Parameters
    ----------
    labels
        The hidden labels, integers from 0 to n_classes - 1; copied.
    problem
        The sizes; n_queries is the budget of all accounts together.
    mechanism
        The release rule; None: the exact accuracy.
    rng
        Randomness of the release rule; unused by deterministic rules.
    accounts
        Number of accounts.
    """

    def __init__(
        self,
        labels: object,
        *,
        problem: Problem,
        mechanism: Mechanism | None = None,
        rng: np.random.Generator | None = None,
        accounts: int = 1,
    ) -> None:
        self._problem = Problem.of(problem)
        self._mechanism: Mechanism = Exact() if mechanism is None else mechanism
        self._exact = type(self._mechanism) is Exact
        self._given_rng = rng
        self._accounts = check_at_least("accounts", accounts, 1)
        n, m, _ = self._problem
        self._labels = as_labels(labels, m, n_examples=n).copy()
        self._looks, self._account = 0, 0
        self._state = self._opened(0)

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

    @property
    def batch(self) -> list[float]:
        """The answers of the present account's last full batch, where the rule holds them back."""
        return list(released(self._state))

    def query(self, query: Query) -> float:
        """Return what the mechanism releases about the accuracy of `query`.

        Raises
        ------
        BudgetExhausted
            All n_queries looks are used up, or the rule answers no more.
        InvalidQuery
            It gives labels of the wrong number, dtype or range, or none. Either way nothing is
            counted, and later answers are what they would have been.
        """
        k = self._problem.n_queries
        if self._looks >= k:
            raise BudgetExhausted(f"all {k} looks are used up.")
        if self._exact:  # the same answers with less ado: small games come by the thousand
            n, m, _ = self._problem
            answer = count_matches(self._predicted(query), self._labels, m) / n
            self._looks += 1
            return answer
        evaluation = evaluate(self._predicted(query), self._labels, self._problem.n_classes)
        account = self._looks * self._accounts // k
        state = self._state if account == self._account else self._opened(account)
        answer, self._state = self._mechanism.release(state, evaluation, self._rng)
        self._account = account
        self._looks += 1
        return answer

    @cached_property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(0) if self._given_rng is None else self._given_rng

    def _predicted(self, query: Query) -> object:
        """Return the labels that a query gives to the examples, in the test set's order."""
        raise NotImplementedError

    def _opened(self, account: int) -> State:
        """Return the state that an account starts from, made for its share of the looks."""
        if self._accounts == 1:
            return self._mechanism.init(self._problem)
        n, m, k = self._problem
        # An account's first look is the least with look * accounts // n_queries = account.
        first, after = (-(-number * k // self._accounts) for number in (account, account + 1))
        return self._mechanism.init(Problem(n, m, after - first))
