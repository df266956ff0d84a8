"""Match counts from metrics of several classes whose value belongs to one number of matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.around_attack import (
    LATTICE,
    AroundAttack,
    OnCounts,
    proved_by,
)
from holdfast.attacks.through_metrics.count_reader import FLOAT_SLACK
from holdfast.attacks.through_metrics.description import MetricBoard, MetricEstimate
from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Accuracy, BalancedAccuracy, LabelMetric, Metric, RecallMacro
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.confusion import ClassCounts
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["BY_RECALL", "MatchReader"]

# Means of the recall of each class. A query that shows one label everywhere does not tell its size.
BY_RECALL = (RecallMacro, BalancedAccuracy)


class MatchReader(AroundAttack):
    """Play an attack on accuracies where a metric of several classes tells the matches.

    Given the sizes of the classes, and how often a query shows each, kappa and the Matthews
    correlation rise with the number of matches; so do balanced accuracy and the mean recall if all
    classes are equally large. The number that a value belongs to is what the inner attack is told.
    Of F1 and its kin a value is a sum over classes with a denominator each, and belongs to many
    numbers of matches: they are refused.

    The sizes must be public: a query that shows one label everywhere scores 0 whatever they are.

    Departures
    ----------
    Not in the paper, whose oracle answers accuracies. Its guarantees hold.
    See docs/attacks/count_reader.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    make
        Makes the inner attack from a problem and a generator.
    rng
        The inner attack's generator.
    metric
        A metric of labels.
    sizes
        The number of examples of each class.
    decimals
        How many decimals are released; None: all that a float has. Decimals that leave more than
        one count open tell the inner attack the middle one.

    Examples
    --------
    >>> from holdfast import attacks, metrics, oracles
    >>> hidden = np.arange(60) % 7 % 4
    >>> board = oracles.MetricOracle(hidden, metrics.CohenKappa(), n_queries=80)
    >>> attack = MatchReader(
    ...     Problem(60, 4, 80), attacks.Lattice, rng=np.random.default_rng(0),
    ...     metric=metrics.CohenKappa(), sizes=np.bincount(hidden))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.predict() == hidden).all())
    True
    """

    summary = "reads matches off the values"
    proves_labels = True
    tells_class_sizes = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels of several classes, and may tell the matches alone."""
        return (
            n_classes > 2
            and isinstance(metric, LabelMetric)
            and not isinstance(metric, Accuracy)
            and (metric.function_of is not FunctionOf.CLASS_HITS or isinstance(metric, BY_RECALL))
        )

    @classmethod
    def fits(cls, board: MetricBoard) -> bool:
        """Tell whether a value belongs to one number of matches for classes of these sizes."""
        if board.metric.function_of is not FunctionOf.CLASS_HITS:
            return True
        return board.sizes is not None and min(board.sizes) == max(board.sizes)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> MatchReader:
        """Make it for a board that shows a metric of several classes whose sizes are public."""
        assert isinstance(board.metric, LabelMetric)
        if board.sizes is None:
            raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
        make = partial(inner.make, exact=False)
        return cls(
            problem,
            make,
            rng=rng,
            metric=board.metric,
            sizes=board.sizes,
            decimals=board.decimals,
        )

    @classmethod
    def forecast_on(
        cls, problem: Problem, board: MetricBoard, inner: OnCounts = LATTICE
    ) -> MetricEstimate:
        """Forecast what the attack gains at accuracies."""
        if board.is_group:
            raise NotSupported(
                f"no forecast for {board.metric} of groups of {problem.n_classes} classes: a "
                "group's class sizes are not public."
            )
        if board.decimals is not None:
            raise NotSupported(
                f"no forecast for {board.metric} of {board.decimals} decimals: how much rounding "
                "hides depends on the sizes of the classes. Audit the labels instead."
            )
        found = inner.forecast(problem)
        return found._replace(reason="as accuracies, where the class sizes are public")

    def __init__(
        self,
        problem: Problem,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        sizes: Sequence[int] | NDArray[np.integer],
        decimals: int | None = None,
    ) -> None:
        self._problem = Problem(*problem)
        n, m, _ = self._problem
        self._sizes = tuple(int(size) for size in sizes)
        if len(self._sizes) != m or min(self._sizes) < 0 or sum(self._sizes) != n:
            raise InvalidInput(f"sizes must be {m} numbers that add up to {n}, got {self._sizes}.")
        equal = min(self._sizes) == max(self._sizes)
        if metric.function_of is FunctionOf.CLASS_HITS and not (
            isinstance(metric, BY_RECALL) and equal
        ):
            raise NotSupported(
                f"a value of {metric} belongs to several numbers of matches: each class has a "
                f"denominator of its own."
            )
        self._metric = metric
        self._error = FLOAT_SLACK
        if decimals is not None:
            self._error = Fraction(1, 2 * 10 ** check_at_least("decimals", decimals, 0))
        self._inner = make(self._problem, rng=rng)
        self._asked: NDArray[np.generic] | None = None
        self._blurred = False

    @property
    def problem(self) -> Problem:
        """The sizes to play for."""
        return self._problem

    @property
    def inner(self) -> Attack[Labels]:
        """The attack that is told match counts."""
        return self._inner

    def ask(self) -> Labels | None:
        """Return the inner attack's next query."""
        query = self._inner.ask()
        self._asked = None if query is None else np.asarray(query)
        return query

    def tell(self, answer: Answer) -> None:
        """Take the released value, and tell the inner attack the matches that it belongs to."""
        value = Fraction(float(one_number(answer)))
        matches = 0.0 if self._asked is None else self._matches(self._asked, value)
        self._inner.tell(matches / self._problem.n_examples)  # it says so if it asked nothing

    def predict(self) -> Labels:
        """Return the inner attack's guess."""
        return self._inner.predict()

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels the inner attack has proved: none if it was told a middle count."""
        return proved_by(None if self._blurred else self._inner, self._problem.n_examples)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """How many examples each class has."""
        return self._sizes

    def _matches(self, query: NDArray[np.generic], value: Fraction) -> float:
        """Return the number of matches that a value tells, the middle one of several."""
        n, m, _ = self._problem
        shown = np.bincount(np.asarray(query, dtype=np.int64), minlength=m)
        pairs = list(zip(self._sizes, shown.tolist(), strict=True))
        fewest = sum(max(0, size + count - n) for size, count in pairs)
        both = sum(min(size, count) for size, count in pairs)

        def of(matches: int) -> Fraction:
            hits = (matches, *[0] * (m - 1))
            counts = ClassCounts(n, tuple(range(m)), self._sizes, tuple(shown.tolist()), hits)
            return Fraction(self._metric.from_counts(counts))

        first = least(lambda matches: of(matches) >= value - self._error, fewest - 1, both + 1)
        after = least(lambda matches: of(matches) > value + self._error, fewest - 1, both + 1)
        if first >= after:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for these classes, got {float(value)}."
            )
        self._blurred |= after - first > 1
        return (first + after - 1) / 2
