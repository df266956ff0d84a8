"""Match counts from other metrics of two classes: any attack on an accuracy plays through them."""

from __future__ import annotations

from collections.abc import Callable
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
from holdfast.attacks.through_metrics.description import MetricBoard, MetricEstimate
from holdfast.attacks.through_metrics.label_metrics import label_metric, scores_two_classes
from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.labels import Labels
from holdfast.metrics import LabelMetric, Metric
from holdfast.metrics.confusion import two_class_counts
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["CountReader", "tells_counts"]

# What floats lose of a quotient or a root, with room to spare.
FLOAT_SLACK = Fraction(1, 2**48)


class CountReader(AroundAttack):
    """Play an attack on accuracies where another metric of two classes is shown.

    Given how many examples are positive, and how many a query calls positive, F1, balanced
    accuracy, macro averages, the Matthews correlation and kappa rise with the number of true
    positives: a value belongs to one number of them, and so to one number of matches. That is what
    the inner attack is told.

    Where the number of positives is not public, the first looks tell it: everything called
    positive for a metric that then shows it, else a single example. They are counted.

    Departures
    ----------
    Not in the paper, whose oracle answers accuracies. Its guarantees hold with the looks that are
    left.
    See docs/attacks/count_reader.md.

    Parameters
    ----------
    problem
        The sizes to play for; two classes.
    make
        Makes the inner attack from a problem and a generator.
    rng
        The inner attack's generator.
    metric
        A metric of labels.
    decimals
        How many decimals are released; None: all that a float has. Decimals that leave more than
        one count open tell the inner attack the middle one.
    positives
        The number of positives where it is public.

    Examples
    --------
    >>> from holdfast import attacks, metrics, oracles
    >>> hidden = (np.arange(60) % 7 == 0).astype(int)
    >>> board = oracles.MetricOracle(hidden, metrics.F1(), n_queries=60)
    >>> attack = CountReader(
    ...     Problem(60, 2, 60), attacks.Lattice, rng=np.random.default_rng(0), metric=metrics.F1())
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.predict() == hidden).all()), attack.positives
    (True, 9)
    """

    summary = "reads hits off the values"
    proves_labels = True
    tells_class_sizes = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels of two classes, or is the area under the ROC curve."""
        return scores_two_classes(metric, n_classes)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> CountReader:
        """Make it for a board that shows a metric of two classes.

        The number of positives is taken for public where values are rounded, unless it is a
        group's. The attack is told exact counts if decimals tell every count, and else the middle
        of several, which is about what a rounded accuracy tells.
        """
        metric, decimals = label_metric(board.metric), board.decimals
        positives = None if decimals is None else board.positives
        n = problem.n_examples
        exact = (
            decimals is not None
            and positives is not None
            and tells_counts(metric, n, positives, n, decimals)
        )
        make = partial(inner.make, exact=exact)
        return cls(problem, make, rng=rng, metric=metric, decimals=decimals, positives=positives)

    @classmethod
    def forecast_on(
        cls, problem: Problem, board: MetricBoard, inner: OnCounts = LATTICE
    ) -> MetricEstimate:
        """Forecast what the attack gains at accuracies, with one look less."""
        if board.decimals is not None:
            raise NotSupported(
                f"no forecast for {board.metric} of {board.decimals} decimals: how much rounding "
                "hides depends on the number of positives. Audit the labels instead."
            )
        n, m, k = problem
        if k < 2:
            return MetricEstimate(0.0, 0, None, "one look counts the positives")
        found = inner.forecast(Problem(n, m, k - 1))
        looks = None if found.looks_for_all is None else found.looks_for_all + 1
        return found._replace(looks_for_all=looks, reason="as accuracies, one look less")

    def __init__(
        self,
        problem: Problem,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        decimals: int | None = None,
        positives: int | None = None,
    ) -> None:
        self._problem = Problem(*problem)
        n, m, _ = self._problem
        if m != 2:
            raise NotSupported(
                f"{metric} of {m} classes does not determine the matches: a class has a "
                f"denominator of its own."
            )
        if positives is not None and not 0 <= positives <= n:
            raise InvalidInput(f"positives must lie in 0 .. {n}, got {positives}.")
        if decimals is not None:
            check_at_least("decimals", decimals, 0)
        self._metric, self._make, self._rng = metric, make, rng
        # A value half-way between two decimals is rounded by half a step, and told as a float.
        self._error = FLOAT_SLACK
        if decimals is not None:
            self._error += Fraction(1, 2 * 10**decimals)
        self.positives = positives
        self._possible = list(range(n + 1)) if positives is None else [positives]
        self._inner: Attack[Labels] | None = None
        self._first_looks = self._learning_queries() if positives is None else []
        self._asked: Labels | None = None
        self._answered = 0
        self._blurred = False

    @property
    def problem(self) -> Problem:
        """The sizes to play for."""
        return self._problem

    @property
    def inner(self) -> Attack[Labels] | None:
        """The attack that is told match counts; None while positives are counted."""
        return self._inner

    def ask(self) -> Labels | None:
        """Return the next query: one that counts positives, or the inner attack's."""
        if self._asked is not None:
            raise OutOfTurn("ask() needs the answer to the last query first: call tell().")
        if self._answered >= self._problem.n_queries:
            return None
        if self.positives is None and self._first_looks:
            self._asked = self._first_looks[0]
            return self._asked.copy()
        if self.positives is None:
            raise NotSupported(
                f"the answers leave open how many positives there are, "
                f"{self._possible[0]} to {self._possible[-1]}: give `positives`."
            )
        if self._inner is None:
            n, m, k = self._problem
            self._inner = self._make(Problem(n, m, k - self._answered), rng=self._rng)
        query = self._inner.ask()
        self._asked = None if query is None else np.asarray(query)
        return query

    def tell(self, answer: Answer) -> None:
        """Take the released value of the last query."""
        if self._asked is None:
            raise OutOfTurn("tell() needs an open query: call ask() first.")
        value = Fraction(float(one_number(answer)))
        if self.positives is None:
            self._count_positives(self._asked, value)
            self._first_looks = self._first_looks[1:]
        else:
            assert self._inner is not None
            n = self._problem.n_examples
            self._inner.tell(self._matches(self._asked, value) / n)
        self._asked = None
        self._answered += 1

    def predict(self) -> Labels:
        """Return the inner attack's guess; no positives before it has started."""
        if self._inner is None:
            return np.zeros(self._problem.n_examples, dtype=np.uint8)
        return self._inner.predict()

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels the inner attack has proved: none if it was told a middle count."""
        return proved_by(None if self._blurred else self._inner, self._problem.n_examples)

    @property
    def class_sizes(self) -> tuple[int, ...] | None:
        """How many examples each class has; None: positives are not counted yet."""
        if self.positives is None:
            return None
        return self._problem.n_examples - self.positives, self.positives

    def _matches(self, query: NDArray[np.generic], value: Fraction) -> float:
        """Return the number of matches that a value tells, the middle one of several."""
        assert self.positives is not None
        n, positives = self._problem.n_examples, self.positives
        predicted = int(np.count_nonzero(query))
        low, high = max(0, positives + predicted - n), min(positives, predicted)
        first = least(
            lambda both: self._value(predicted, both) >= value - self._error, low - 1, high + 1
        )
        after = least(
            lambda both: self._value(predicted, both) > value + self._error, low - 1, high + 1
        )
        if first >= after:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for {positives} positives, "
                f"got {float(value)}."
            )
        self._blurred |= after - first > 1
        both = (first + after - 1) / 2
        return n - positives - predicted + 2 * both

    def _value(self, predicted: int, both: int) -> Fraction:
        assert self.positives is not None
        return self._of(self.positives, predicted, both)

    def _of(self, positives: int, predicted: int, both: int) -> Fraction:
        counts = two_class_counts(self._problem.n_examples, positives, predicted, both)
        return Fraction(self._metric.from_counts(counts))

    def _learning_queries(self) -> list[Labels]:
        """Return the looks that tell the number of positives: all positive, then a single one."""
        n = self._problem.n_examples
        everything, single = np.ones(n, dtype=np.uint8), np.zeros(n, dtype=np.uint8)
        single[0] = 1
        shows = self._of(1, n, 1) != self._of(max(1, n // 2), n, max(1, n // 2))
        return [everything] if shows else [single]

    def _count_positives(self, query: Labels, value: Fraction) -> None:
        predicted = int(np.count_nonzero(query))
        n = self._problem.n_examples
        fitting = []
        for positives in self._possible:
            options = (positives,) if predicted == n else (0, 1)
            for both in options:
                possible = 0 <= both <= positives and predicted - both <= n - positives
                if possible and abs(self._of(positives, predicted, both) - value) <= self._error:
                    fitting.append(positives)
        if not fitting:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric}, got {float(value)}."
            )
        self._possible = sorted(set(fitting))
        if len(self._possible) == 1:
            self.positives = self._possible[0]


def tells_counts(metric: LabelMetric, n: int, positives: int, called: int, decimals: int) -> bool:
    """Tell whether decimals show one true positive more, with so many called positive or fewer."""
    if positives < 1:
        return False
    for predicted in {called, max(1, called // 2), 1}:
        first = max(0, positives + predicted - n)
        last = min(positives, predicted)
        for both in {first, max(first, last - 1)}:
            if both < last:
                values = [
                    float(metric.from_counts(two_class_counts(n, positives, predicted, hits)))
                    for hits in (both, both + 1)
                ]
                if values[1] - values[0] <= 10.0**-decimals:
                    return False
    return True
