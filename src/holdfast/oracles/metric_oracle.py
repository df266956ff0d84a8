"""Hidden truth behind a budget and a release rule, scored by any metric, in one or more numbers."""

from __future__ import annotations

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidQuery, NotSupported
from holdfast.labels import count_classes
from holdfast.metrics import Show, Submission
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Answer, State
from holdfast.rules import Exact, Rule, check_metric
from holdfast.rules.on_metrics import first_states, release_show

__all__ = ["MetricOracle"]


class MetricOracle:
    """Answer what a board shows of submissions, up to a budget.

    Every number of a show goes through the rule by itself, with a state of its own: a breakdown is
    released group by group. A show of one number answers with a float, others with a tuple.

    Parameters
    ----------
    hidden
        The hidden truth: labels, label sets or numbers, as the show's metric wants them.
    show
        What a look shows: a metric, a `Breakdown`, `Several` metrics, ...
    n_queries
        The budget.
    mechanism
        The release rule; None: exact values. It must work on the show's metrics.
    rng
        Randomness of the release rule.
    n_classes
        Number of classes, where labels are hidden; None: as many as these labels show.
    accounts
        How many accounts share the budget. Each is used up before the next one begins, and meets
        the rule afresh.

    Examples
    --------
    >>> from holdfast.metrics import F1, Breakdown
    >>> oracle = MetricOracle([0, 1, 1], F1(), n_queries=1)
    >>> oracle.query([0, 1, 0]), oracle.looks_left
    (0.6666666666666666, 0)
    >>> MetricOracle([0, 1, 1], Breakdown(["a", "a", "b"]), n_queries=1).query([0, 1, 0])
    (1.0, 0.0)
    """

    def __init__(
        self,
        hidden: object,
        show: Show,
        *,
        n_queries: int,
        mechanism: Rule | None = None,
        rng: np.random.Generator | None = None,
        n_classes: int | None = None,
        accounts: int = 1,
    ) -> None:
        self.show = show
        self._mechanism = Exact() if mechanism is None else mechanism
        for metric in show.metrics:
            check_metric(self._mechanism, metric)
        self._budget = check_at_least("n_queries", n_queries, 1)
        self._rng = np.random.default_rng(0) if rng is None else rng
        self._truth = show.truth(hidden)
        self._looks = 0
        if self._mechanism.waits:
            raise NotSupported(f"{self._mechanism} holds answers back, and this oracle does not.")
        self._problem = Problem(len(self._truth), self._classes(n_classes), self._budget)
        check_at_least("accounts", accounts, 1)
        parts = np.array_split(np.arange(self._budget), accounts)
        self._shares = [part.size for part in parts if part.size]
        self._left_to_account, self._states = self._next_account()

    def __repr__(self) -> str:
        return f"MetricOracle({self.show!r}, {self._mechanism}, looks_left={self.looks_left})"

    @property
    def problem(self) -> Problem:
        """The sizes that it answers for. Numbers and label sets have no classes: 2 stands there."""
        return self._problem

    @property
    def n_examples(self) -> int:
        """Number of hidden examples."""
        return len(self._truth)

    @property
    def looks(self) -> int:
        """Number of queries answered so far."""
        return self._looks

    @property
    def looks_left(self) -> int:
        """Number of queries that will still be answered."""
        return self._budget - self._looks

    def query(self, submission: object) -> Answer:
        """Return what is released about a submission: a float, or a tuple of several.

        Raises
        ------
        BudgetExhausted
            All looks are used up.
        InvalidQuery
            The submission is none. Nothing is counted, and later answers are what they would
            have been.
        """
        if self.looks_left and not self._left_to_account:
            self._left_to_account, self._states = self._next_account()
        if self._looks >= self._budget:
            raise BudgetExhausted(f"all {self._budget} looks are used up.")
        given = self.show.submitted(submission, self._truth)
        n_classes = self._problem.n_classes
        if self._mechanism.looks_at_examples and given.max() >= n_classes:
            raise InvalidQuery(f"submission must lie below {n_classes}, got {given.max()}.")
        told, states = release_show(
            self._mechanism, self.show, self._states, self._truth, given, self._rng
        )
        self._states = states
        self._looks += 1
        self._left_to_account -= 1
        answers = tuple(float(reading.value) for reading in told[-1])
        return answers[0] if len(answers) == 1 else answers

    def _next_account(self) -> tuple[int, list[State]]:
        """Return an account's looks, and the rule's states before its first one."""
        looks = self._shares.pop(0)
        own = self._problem._replace(n_queries=looks)
        return looks, first_states(self._mechanism, self.show, self._truth, own)

    def _classes(self, given: int | None) -> int:
        """Return the number of classes: those given, or those of the hidden labels."""
        if self.show.metrics[0].takes in (Submission.NUMBERS, Submission.LABEL_SETS):
            return 2
        shown = count_classes(self._truth)
        return shown if given is None else check_at_least("n_classes", given, shown)
