"""A board under attack: hidden labels, a release rule, and one account or several."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.evaluate import evaluate
from holdfast.labels import Labels
from holdfast.mechanisms import Rule, is_pending, released
from holdfast.problem import Problem
from holdfast.protocols import Attack, State

__all__ = ["Board", "looks_of_accounts", "play_on"]

# Part of the seed of the labels that attacks are rehearsed on.
REHEARSAL = 0x7265686561727361


def looks_of_accounts(n_queries: int, accounts: int) -> list[int]:
    """Return how many looks each account takes when they take turns, one after the other.

    >>> looks_of_accounts(5, 2)
    [3, 2]
    """
    # An account's first look is the least with look * accounts // n_queries = account.
    first = [-(-account * n_queries // accounts) for account in range(accounts + 1)]
    return [after - before for before, after in pairwise(first)]


class Board:
    """Answer label vectors under a rule, with a separate state for each account.

    Accounts are used up one after the other, each for an equal share of the looks; with as many
    accounts as looks every look comes from a new one. To the rule they are strangers.

    Parameters
    ----------
    labels
        The hidden labels.
    problem
        The sizes; n_queries is the budget of all accounts together.
    rule
        What is released.
    rng
        Randomness of the rule.
    accounts
        Number of accounts.
    """

    def __init__(
        self,
        labels: Labels,
        *,
        problem: Problem,
        rule: Rule,
        rng: np.random.Generator,
        accounts: int = 1,
    ) -> None:
        self.problem = problem
        self.looks = 0
        self._labels, self._rule, self._rng, self._accounts = labels, rule, rng, accounts
        self._account = -1
        self._state: State = {}

    def query(self, labels: Labels) -> float:
        """Return what the rule releases to the account whose turn it is."""
        n, m, k = self.problem
        if self.looks >= k:
            raise BudgetExhausted(f"all {k} looks are used up.")
        account = self.looks * self._accounts // k
        if account != self._account:
            shares = looks_of_accounts(k, self._accounts) if self._accounts < k else [1] * k
            self._state = self._rule.init(Problem(n, m, shares[account]))
            self._account = account
        evaluation = evaluate(labels, self._labels, m)
        answer, self._state = self._rule.release(self._state, evaluation, self._rng)
        self.looks += 1
        return answer

    @property
    def batch(self) -> list[float]:
        """The answers of the last full batch."""
        return list(released(self._state))


def play_on(build: Callable[[], Attack[Labels]], board: Board) -> Labels:
    """Let a fresh attack play until it has nothing to ask or is refused; return its guess.

    Where a rule holds answers back, the attack is rehearsed on labels of its own to learn its
    queries, and plays when their answers are there.

    Parameters
    ----------
    build
        Makes the attack, the same one each time.
    board
        Who answers.

    Raises
    ------
    NotSupported
        Answers are held back and the attack's queries depend on them.
    """
    attack = build()
    while (query := attack.ask()) is not None:
        try:
            answer = board.query(query)
        except BudgetExhausted:
            break
        if is_pending(answer):
            return _play_in_batches(build, board)
        attack.tell(answer)
    return attack.predict()


def _play_in_batches(build: Callable[[], Attack[Labels]], board: Board) -> Labels:
    """Go on after the first look, whose answer is held back."""
    queries = _rehearsed(build(), board.problem)
    answers: list[float] = []
    for query in queries[1:]:
        try:
            answer = board.query(query)
        except BudgetExhausted:
            break
        if not is_pending(answer):
            answers.extend(board.batch)
    attack = build()
    for rehearsed, answer in zip(queries, answers, strict=False):
        asked = attack.ask()
        if asked is None or not np.array_equal(asked, rehearsed):
            raise NotSupported("its queries depend on answers that the batch holds back.")
        attack.tell(answer)
    return attack.predict()


def _rehearsed(attack: Attack[Labels], problem: Problem) -> list[Labels]:
    """Return what an attack asks, answering it as any labels would: consistently."""
    n, m, _ = problem
    # Not a seed that hidden labels are drawn from: a rehearsal on them would be no rehearsal.
    labels = np.random.default_rng([n, m, REHEARSAL]).integers(m, size=n)
    queries: list[Labels] = []
    while (query := attack.ask()) is not None:
        queries.append(query)
        attack.tell(int(np.count_nonzero(query == labels)) / n)
    return queries
