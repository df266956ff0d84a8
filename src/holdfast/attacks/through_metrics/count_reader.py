"""Match counts from other metrics of labels: any attack on an accuracy plays through them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import Turns
from holdfast.attacks.through_metrics.description import (
    EXACT,
    LATTICE,
    AroundAttack,
    MetricBoard,
    OnCounts,
    Told,
    label_metric,
    proved_by,
    scores_two_classes,
)
from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Accuracy, BalancedAccuracy, LabelMetric, Metric, RecallMacro
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.confusion import ClassCounts, two_class_counts
from holdfast.problem import Problem
from holdfast.protocols import Attack

__all__ = [
    "BY_RECALL",
    "FLOAT_SLACK",
    "CountReader",
    "tells_counts",
    "tells_matches",
    "whole_parts",
]

# What floats lose of a quotient or a root, with room to spare.
FLOAT_SLACK = Fraction(1, 2**48)
# Means of the recall of each class. A query that shows one label everywhere does not tell its size.
BY_RECALL = (RecallMacro, BalancedAccuracy)


class CountReader(Turns[Labels], AroundAttack):
    """Play an attack on accuracies where another metric of labels is shown.

    Given how many examples each class has, and how often a query calls each, a value belongs to one
    number of matches, and that is what the inner attack is told:

    - of two classes, F1, balanced accuracy, macro averages, the Matthews correlation and kappa rise
      with the number of true positives;
    - of more classes, kappa and the Matthews correlation rise with the matches, and so do balanced
      accuracy and the mean recall if all classes are equally large. Of F1 and its kin a value is a
      sum over classes with a denominator each, and belongs to many numbers of matches: they are
      refused.

    A value that is rounded to several counts, or noisy, stands for a count with a variance: the
    inner attack is told the middle, and how far that is off.

    Where the sizes of two classes are not public, the first looks tell them: everything called
    positive for a metric that then shows it, else a single example. They are counted.

    Departures
    ----------
    Not in the paper, whose oracle answers accuracies. Its guarantees hold with the looks that are
    left.
    See docs/attacks/counts.md.

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
        How many examples each class has; None: that is not public, of two classes.
    step
        The step to which values are rounded; 0: they are not.
    noise
        The standard deviation of what is added to them.

    Examples
    --------
    >>> from holdfast import attacks, metrics, oracles
    >>> hidden = (np.arange(60) % 7 == 0).astype(int)
    >>> board = oracles.MetricOracle(hidden, metrics.F1(), n_queries=60)
    >>> attack = CountReader(
    ...     Problem(60, 2, 60), attacks.Lattice, rng=np.random.default_rng(0), metric=metrics.F1())
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.predict() == hidden).all()), attack.class_sizes
    (True, (51, 9))
    """

    summary = "reads matches off the values"
    reads_decimals = False
    proves_labels = True
    tells_class_sizes = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels, and a value may tell the matches alone."""
        return scores_two_classes(metric, n_classes) or (
            n_classes > 2
            and isinstance(metric, LabelMetric)
            and not isinstance(metric, Accuracy)
            and (metric.function_of is not FunctionOf.CLASS_HITS or isinstance(metric, BY_RECALL))
        )

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:
        """Tell whether a value belongs to one number of matches for classes of these sizes."""
        metric = label_metric(board.metric)
        return n_classes == 2 or tells_matches(metric, board.sizes or range(n_classes))

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> CountReader:
        """Make it for a board that tells something of every look's own value.

        The sizes of two classes are taken for public where values are rounded or noisy, unless
        they are a group's.
        """
        if board.noise is None:
            raise NotSupported("it reads every look's own value, and the rule does not tell it.")
        if board.sizes is None and problem.n_classes > 2:
            raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
        exact = problem.n_classes == 2 and not board.noise and not board.rounding

        def make(problem: Problem, *, rng: np.random.Generator) -> Attack[Labels]:
            made: Attack[Labels] = inner.make(problem, rng=rng, told=reader.told)
            return made

        reader = cls(
            problem,
            make,
            rng=rng,
            metric=label_metric(board.metric),
            sizes=None if exact else board.sizes,
            step=board.rounding,
            noise=board.noise,
        )
        return reader

    def __init__(
        self,
        problem: Problem,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        sizes: Sequence[int] | NDArray[np.integer] | None = None,
        step: float = 0.0,
        noise: float = 0.0,
    ) -> None:
        super().__init__(problem)
        n, m, _ = self._problem
        known = None if sizes is None else tuple(int(size) for size in sizes)
        if known is not None and (len(known) != m or min(known) < 0 or sum(known) != n):
            raise InvalidInput(f"sizes must be {m} numbers that add up to {n}, got {known}.")
        if step < 0.0 or noise < 0.0:
            raise InvalidInput(f"step and noise must be at least 0, got {step:g} and {noise:g}.")
        if m > 2 and not tells_matches(metric, range(m) if known is None else known):
            raise NotSupported(
                f"a value of {metric} belongs to several numbers of matches: each class has a "
                f"denominator of its own."
            )
        if m > 2 and known is None:
            raise InvalidInput(f"sizes must be given of more than two classes, got {m} classes.")
        self._metric, self._make, self._rng = metric, make, rng
        self._step, self._noise = step, noise
        # A value half-way between two steps is rounded by half a step, and told as a float.
        self._error = FLOAT_SLACK + Fraction(step) / 2
        self._sizes = known
        # Numbers of positives that fit the first looks.
        self._possible = list(range(n + 1)) if known is None else [known[1]]
        self._first_looks = self._learning_queries() if known is None else []
        self._inner: Attack[Labels] | None = None
        self._asked: NDArray[np.generic] = np.zeros(0)
        self._blurred = noise > 0.0

    @property
    def inner(self) -> Attack[Labels] | None:
        """The attack that is told match counts; None before it was asked."""
        return self._inner

    @property
    def class_sizes(self) -> tuple[int, ...] | None:
        """How many examples each class has; None: positives are not counted yet."""
        return self._sizes

    @property
    def told(self) -> Told:
        """How match counts reach the inner attack: as they are, or with a variance."""
        n, m, _ = self._problem
        if not self._step and not self._noise:
            return Told()
        even = whole_parts(n, m)
        sizes = even if self._sizes is None else self._sizes
        every = (
            tells_counts(self._metric, n, sizes[1], n, self._step)
            if m == 2
            else self._step * n < 1.0
        )
        if not self._noise and every and len(self._possible) == 1:
            return EXACT
        # What a value differs by between no match and all, of a query that shows all alike.
        low, high = self._ends(sizes, even)
        rise = float(self._value(sizes, even, high) - self._value(sizes, even, low))
        if rise <= 0.0:
            raise NotSupported(f"no value of {self._metric} tells anything of these classes.")
        matches = self._matches_of(sizes, even, high) - self._matches_of(sizes, even, low)
        unit = rise * n / matches
        width = max(self._step, 0.0 if self._noise else unit / n)
        return Told(None, math.hypot(self._noise, width / math.sqrt(12.0)) / unit)

    def expected(self, matches: float) -> float:
        """Return the value of a submission that shows all classes alike and is right so often."""
        n, m, _ = self._problem
        even = whole_parts(n, m)
        sizes = even if self._sizes is None else self._sizes
        low, high = self._ends(sizes, even)
        first, last = (float(self._value(sizes, even, end)) for end in (low, high))
        least_, most = (self._matches_of(sizes, even, end) for end in (low, high))
        return first + (last - first) * (matches - least_) / max(1, most - least_)

    def constant_value(self, label: int) -> float:
        """Return the value of a submission that shows one label everywhere."""
        n, m, _ = self._problem
        sizes = whole_parts(n, m) if self._sizes is None else self._sizes
        shown = [n * (each == label) for each in range(m)]
        low, _ = self._ends(sizes, shown)
        return float(self._value(sizes, shown, low))

    def _query(self, index: int) -> Labels | None:
        """Return the next query: one that counts positives, or the inner attack's."""
        n, m, k = self._problem
        if self._first_looks:
            self._asked = self._first_looks[0]
            return self._first_looks[0].copy()
        if self._inner is None:
            self._inner = self._make(Problem(n, m, k - index), rng=self._rng)
        query = self._inner.ask()
        self._asked = np.asarray(query)
        return query

    def _take(self, answer: float) -> None:
        """Take the released value of the last query."""
        value = Fraction(answer)
        if self._first_looks:
            self._count_positives(self._asked, value)
            self._first_looks = self._first_looks[1:]
        else:
            assert self._inner is not None
            self._inner.tell(self._matches(self._asked, value) / self._problem.n_examples)

    def _guess(self) -> Labels:
        """Return the inner attack's guess; no positives before it has started."""
        if self._inner is None:
            return np.zeros(self._problem.n_examples, dtype=np.uint8)
        return self._inner.predict()

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels the inner attack has proved: none if it was told a middle count."""
        return proved_by(None if self._blurred else self._inner, self._problem.n_examples)

    # Values by hits: true positives of two classes, matches of more.

    def _ends(self, sizes: Sequence[int], shown: Sequence[int]) -> tuple[int, int]:
        """Return the fewest and the most hits of a query that shows each class so often."""
        n = self._problem.n_examples
        pairs = list(zip(sizes, shown, strict=True))[-1 if len(sizes) == 2 else 0 :]
        fewest = sum(max(0, size + count - n) for size, count in pairs)
        return fewest, sum(min(size, count) for size, count in pairs)

    def _matches_of(self, sizes: Sequence[int], shown: Sequence[int], hits: float) -> float:
        """Return the matches that belong to hits."""
        if len(sizes) > 2:
            return hits
        return self._problem.n_examples - sizes[1] - shown[1] + 2 * hits

    def _value(self, sizes: Sequence[int], shown: Sequence[int], hits: int) -> Fraction:
        n, m, _ = self._problem
        if m == 2:
            return Fraction(self._metric.from_counts(two_class_counts(n, sizes[1], shown[1], hits)))
        both = (hits, *[0] * (m - 1))
        counts = ClassCounts(n, tuple(range(m)), tuple(sizes), tuple(shown), both)
        return Fraction(self._metric.from_counts(counts))

    def _matches(self, query: NDArray[np.generic], value: Fraction) -> float:
        """Return the number of matches that a value tells, the middle one of several."""
        assert self._sizes is not None
        sizes = self._sizes
        shown = np.bincount(query.astype(np.intp), minlength=len(sizes)).tolist()
        low, high = self._ends(sizes, shown)

        def first_above(bound: Fraction) -> int:
            return least(lambda hits: self._value(sizes, shown, hits) >= bound, low - 1, high + 1)

        first = first_above(value - self._error)
        after = least(
            lambda hits: self._value(sizes, shown, hits) > value + self._error, low - 1, high + 1
        )
        if first < after:
            self._blurred |= after - first > 1
            return self._matches_of(sizes, shown, (first + after - 1) / 2)
        if not self._blurred:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for classes of {sizes}, "
                f"got {float(value)}."
            )
        return self._matches_of(
            sizes, shown, self._between(sizes, shown, first_above(value), value)
        )

    def _between(
        self, sizes: Sequence[int], shown: Sequence[int], above: int, value: Fraction
    ) -> float:
        """Return what lies between two counts of hits as a value does between theirs."""
        low, high = self._ends(sizes, shown)
        if above <= low or above > high:
            return float(min(max(above, low), high))
        before, after = (self._value(sizes, shown, hits) for hits in (above - 1, above))
        return above - float((after - value) / (after - before))

    def _learning_queries(self) -> list[Labels]:
        """Return the looks that tell the number of positives: all positive, then a single one."""
        n = self._problem.n_examples
        everything, single = np.ones(n, dtype=np.uint8), np.zeros(n, dtype=np.uint8)
        single[0] = 1
        half = max(1, n // 2)
        shows = self._value((n - 1, 1), (0, n), 1) != self._value((n - half, half), (0, n), half)
        return [everything] if shows else [single]

    def _count_positives(self, query: Labels, value: Fraction) -> None:
        """Keep the numbers of positives that fit a value best; the middle one is played with."""
        called = int(np.count_nonzero(query))
        n = self._problem.n_examples
        distances: dict[int, Fraction] = {}
        for positives in self._possible:
            options = (positives,) if called == n else (0, 1)
            able = [
                abs(self._value((n - positives, positives), (n - called, called), both) - value)
                for both in options
                if 0 <= both <= positives and called - both <= n - positives
            ]
            if able:
                distances[positives] = max(min(able) - self._error, Fraction(0))
        closest = min(distances.values())
        if closest and not self._noise:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric}, got {float(value)}."
            )
        self._possible = sorted(each for each, off in distances.items() if off == closest)
        positives = self._possible[len(self._possible) // 2]
        self._sizes = (n - positives, positives)
        # What rests on a middle number of positives is no proof.
        self._blurred |= len(self._possible) > 1


def tells_matches(metric: LabelMetric, sizes: Sequence[int]) -> bool:
    """Tell whether a value belongs to one number of matches, of more than two classes."""
    if metric.function_of is not FunctionOf.CLASS_HITS:
        return True
    return isinstance(metric, BY_RECALL) and min(sizes) == max(sizes)


def tells_counts(metric: LabelMetric, n: int, positives: int, called: int, step: float) -> bool:
    """Tell whether a step shows one true positive more, with so many called positive or fewer."""
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
                if values[1] - values[0] <= step:
                    return False
    return True


def whole_parts(n: int, m: int) -> tuple[int, ...]:
    """Return n in m parts that are as equal as whole numbers can be."""
    return tuple(n // m + (part < n % m) for part in range(m))
