"""A board under attack: hidden labels, a release rule, and one account or several."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.evaluate import evaluate
from holdfast.labels import Labels
from holdfast.mechanisms import Rule, is_pending, released
from holdfast.problem import Problem
from holdfast.protocols import Attack, State

__all__ = ["Board", "looks_of_accounts", "play_on"]


def looks_of_accounts(n_queries: int, accounts: int) -> list[int]:
    """Return how many looks each account takes when they take turns, one after the other.

    >>> looks_of_accounts(5, 2)
    [3, 2]
    """
    turns = [look * accounts // n_queries for look in range(n_queries)]
    return [turns.count(account) for account in range(accounts)]


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

    Where a rule holds answers back, the attack is rehearsed: it is told that nothing happened,
    to hear what it would ask next, and played again from the start when the answers are there.

    Parameters
    ----------
    build
        Makes the attack, the same one each time.
    board
        Who answers.

    Raises
    ------
    NotSupported
        Within a batch the attack's queries depend on answers that it does not have yet.
    """
    n, m, _ = board.problem
    nothing = round(n / m) / n
    asked: list[Labels] = []
    answers: list[float] = []
    while True:
        attack = build()
        waiting = False
        for look in range(board.problem.n_queries + 1):
            query = attack.ask()
            if query is None:
                break
            if look < len(asked):
                if not np.array_equal(query, asked[look]):
                    raise NotSupported("its queries depend on answers that the batch holds back.")
            else:
                try:
                    answer = board.query(query)
                except BudgetExhausted:
                    break
                asked.append(query)
                if is_pending(answer):
                    waiting = True
                else:
                    answers.extend(board.batch if waiting else [answer])
                    if waiting:
                        break
            attack.tell(answers[look] if look < len(answers) else nothing)
        else:
            return attack.predict()
        if not waiting:
            return attack.predict()
        if len(answers) < len(asked):
            # A batch that was never filled: guess from what came before it.
            return _told(build(), answers).predict()


def _told(attack: Attack[Labels], answers: list[float]) -> Attack[Labels]:
    for answer in answers:
        attack.ask()
        attack.tell(answer)
    return attack
