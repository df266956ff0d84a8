"""A guarded ledger as an oracle, so that any attack can play it."""

from __future__ import annotations

from holdfast.guard.guard import Guard
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.protocols import Answer
from holdfast.rules import PENDING, is_pending

__all__ = ["GuardOracle"]


class GuardOracle:
    """Ask a guard in the name of one team: the policy counts the looks, the ledger has each.

    The sizes are those of a prediction, and n_queries is what the team may still look in the
    present window. What it has asked before is answered from the record and costs nothing.

    Parameters
    ----------
    guard
        Who scores and records.
    team
        Whose looks they are.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from holdfast import attacks, play
    >>> from holdfast.guard import Policy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy = Policy("exact", looks_per_team=5)
    ...     guard = Guard([0, 1, 1, 0] * 10, policy, folder + "/ledger.db", create=True)
    ...     oracle = GuardOracle(guard, "blue")
    ...     attack = attacks.BlockMajority(oracle.problem, rng=np.random.default_rng(0))
    ...     guess = play(attack, oracle)
    ...     guard.allowance(team="blue")[0]
    0
    """

    def __init__(self, guard: Guard, team: str) -> None:
        self._guard, self._team = guard, team
        left, _ = guard.allowance(team=team)
        # A team that has none left is told so by its first look.
        self.problem = Problem(guard.n_predicted, guard.problem.n_classes, max(1, left))
        self.batch: list[Answer] = []
        self._waiting: list[Labels] = []

    def query(self, query: Labels) -> Answer:
        """Return what the guard releases; raises what `Guard.score` raises."""
        answer = self._released(query)
        self._waiting.append(query)
        if not is_pending(answer):
            # The look that fills a batch has the earlier ones answered: they ask again, free.
            self.batch = [*map(self._released, self._waiting[:-1]), answer]
            self._waiting.clear()
        return answer

    def _released(self, query: Labels) -> Answer:
        released = self._guard.score(query, team=self._team).answer
        return PENDING if released is None else released
