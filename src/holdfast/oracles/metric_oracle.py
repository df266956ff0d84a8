"""Hidden truth behind a budget and a release rule, scored by any metric, in one or more numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.mechanisms import Exact
from holdfast.mechanisms.base import Rule
from holdfast.metrics import Metric, Show
from holdfast.metrics.base import Value
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Answer, State

__all__ = ["MetricOracle", "check_rule"]


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
        The release rule; None: exact values. It must work on values alone.
    rng
        Randomness of the release rule.

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
    ) -> None:
        self.show = show
        self._mechanism = Exact() if mechanism is None else mechanism
        for metric in show.metrics:
            check_rule(self._mechanism, metric)
        self._budget = check_at_least("n_queries", n_queries, 1)
        self._rng = np.random.default_rng(0) if rng is None else rng
        self._truth = show.truth(hidden)
        self._looks = 0
        sizes = Problem(len(self._truth), 2, self._budget)
        self._states: list[State] = [self._mechanism.init(sizes) for _ in show.names]

    def __repr__(self) -> str:
        return f"MetricOracle({self.show!r}, {self._mechanism}, looks_left={self.looks_left})"

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
        if self._looks >= self._budget:
            raise BudgetExhausted(f"all {self._budget} looks are used up.")
        given = self.show.submitted(submission, self._truth)
        values = self.show.values(self._truth, given)
        answers, states = [], []
        for metric, value, state in zip(self.show.metrics, values, self._states, strict=True):
            answer, after = released_value(self._mechanism, metric, state, value, self._rng)
            answers.append(answer)
            states.append(after)
        self._states = states
        self._looks += 1
        return answers[0] if len(answers) == 1 else tuple(answers)


def check_rule(rule: Rule, metric: Metric) -> None:
    """Raise `NotSupported`, with the reason, unless the rule works on values of this metric.

    >>> from holdfast.mechanisms import parse_mechanism
    >>> from holdfast.metrics import F1, LogLoss
    >>> check_rule(parse_mechanism("ladder:0.01"), F1())
    >>> check_rule(parse_mechanism("ladder:0.01"), LogLoss())
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: ladder:0.01 needs values between two limits, and log_loss has \
none above.
    """
    if not rule.reads_values_alone:
        raise NotSupported(
            f"{rule} looks at the examples behind an accuracy, and {metric} is none: use exact, "
            f"rounding, a Ladder with a step, or noise."
        )
    hides_nothing_else = all(
        stage.keeps_exact or stage.rounds_to is not None for stage in rule.stages
    )
    if not (metric.bounded or hides_nothing_else):
        side = "above" if metric.high == float("inf") else "below"
        raise NotSupported(f"{rule} needs values between two limits, and {metric} has none {side}.")


def released_value(
    rule: Rule, metric: Metric, state: State, value: Value, rng: np.random.Generator
) -> tuple[float, State]:
    """Return what a rule releases of a metric's value, and the state after it.

    A rule prefers higher values, so it is handed the negative of a loss.
    """
    sign = 1 if metric.higher_is_better else -1
    shown, after = rule.release_value(state, sign * Fraction(value), rng)
    return float(sign * shown), after
