"""Several counts from one macro average: each class has a denominator of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.through_metrics._class_tests import ClassTest, MakeInner, lattice_for_share
from holdfast.attacks.through_metrics._joint_looks import (
    MOST_PADDED,
    HitWeights,
    JointLook,
    JointLooks,
)
from holdfast.attacks.through_metrics._learned_sizes import learned_sizes
from holdfast.attacks.through_metrics.count_reader import BY_RECALL, CountReader
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
)
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import (
    BalancedAccuracy,
    F1Macro,
    F1Weighted,
    LabelMetric,
    Metric,
    PrecisionMacro,
    RecallMacro,
)
from holdfast.problem import Problem, check_at_least

__all__ = ["JointCounts"]

# Sums of the hits of each class with weights that depend on the classes' sizes alone.
LINEAR = (F1Macro, F1Weighted, PrecisionMacro, RecallMacro, BalancedAccuracy)
# Of more classes it takes too long to prove that a value will tell the counts. Recalls have the
# same denominators in every look, so that more is tried before something else is asked.
MOST_CLASSES, MOST_BY_RECALL = 30, 3
# The share of all examples, at most, that are kept apart and asked about first, to be padding.
SHARE_KEPT = 0.02
# Denominators of a look are chosen among some, and their least common multiple is a bit smaller.
ROOM_BY_CHOICE = 2
# How many examples are tried before it is said that none can be asked about.
MOST_SINGLES = 8
# No value has room for more counts: each takes a bit at least.
MOST_COUNTS = 53


class JointCounts(TurnBased[Labels], ThroughMetric):
    """Read several counts from each value of a macro average, and play an attack with each.

    A macro average adds up the hits of each class over a denominator of its own, which depends on
    how often the class is shown. If the denominators have little in common, one value has one
    choice of hits only: the counts of all classes that are shown follow from it. So as many class
    tests go on side by side as one value has room for, each on its own examples with the question
    which of them are of its class. What a test leaves open is asked about another class in the
    next round.

    Before a look is taken it is proved that its value will tell the counts apart: a test's pool or
    its complement is shown, whichever helps, and else fewer tests are asked.

    Departures
    ----------
    Not in the paper, whose oracle answers accuracies. See docs/attacks/counts.md for the
    proof.

    Parameters
    ----------
    problem
        The sizes to play for; three classes or more.
    rng
        Where the generators of the tests' attacks come from.
    metric
        A macro average of F1, precision or recall, weighted F1, or balanced accuracy.
    sizes
        The number of examples of each class, where it is public. Else as many looks as there are
        classes tell it, except for recalls.
    decimals
        How many decimals are released; None: all that a float has.
    at_once
        At most so many classes are asked about at once; None: as many as a value has room for.
    make
        Makes a test's attack, one that proves labels, from its problem, a generator and `share`,
        that of its class.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = np.arange(300) * 7 % 300 // 100
    >>> board = oracles.MetricOracle(hidden, metrics.F1Macro(), n_queries=300)
    >>> attack = JointCounts(
    ...     Problem(300, 3, 300), rng=np.random.default_rng(0), metric=metrics.F1Macro())
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.predict() == hidden).all()), bool(attack.certain().all()), attack.sizes
    (True, True, (100, 100, 100))
    """

    summary = "reads several counts off a value"
    adaptive = True
    proves_labels = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it adds up the hits of some classes with a weight each."""
        most = MOST_BY_RECALL if isinstance(metric, BY_RECALL) else MOST_CLASSES
        return isinstance(metric, LINEAR) and 2 < n_classes <= most

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:
        """Tell whether the weights differ: recalls of equally large classes tell matches alone."""
        return not (isinstance(board.metric, BY_RECALL) and CountReader.fits(board, n_classes))

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> JointCounts:
        """Make it for a macro average, to play as far as values are proved to tell the counts.

        Where class sizes are not public, it spends a look on each.
        """
        assert isinstance(board.metric, LabelMetric)
        if board.sizes is None and isinstance(board.metric, BY_RECALL):
            raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
        return cls(
            problem, rng=rng, metric=board.metric, sizes=board.sizes, decimals=board.decimals
        )

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        sizes: Sequence[int] | NDArray[np.integer] | None = None,
        decimals: int | None = None,
        at_once: int | None = None,
        make: MakeInner = lattice_for_share,
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, _ = self._problem
        if not isinstance(metric, LINEAR):
            raise NotSupported(f"{metric} is no sum of the classes' hits with a weight each.")
        if m < 3:
            raise NotSupported(
                f"n_classes must be at least 3, since one count is all there is, got {m}."
            )
        if sizes is None and isinstance(metric, BY_RECALL):
            raise InvalidInput(
                f"sizes must be given: no constant submission tells them by {metric}."
            )
        self._metric, self._make = metric, make
        self._most = min(
            MOST_COUNTS, m if at_once is None else check_at_least("at_once", at_once, 1)
        )
        self._weights = HitWeights(metric, n)
        # Quotients and weights are rounded once each, and so are the sums of m of them and their
        # mean: each by at most half of the last bit of a number that is at most m.
        self._error = Fraction(m + 4, 2**53)
        if decimals is not None:
            self._error += Fraction(1, 2 * 10 ** check_at_least("decimals", decimals, 0))
        self._rng = np.random.default_rng(self._seed)
        self._constants: list[Fraction] = []
        self._sizes: list[int] | None = None
        self._possible = np.ones((n, m), dtype=np.bool_)
        self._tests: list[ClassTest] = []
        self._asked: JointLook | None = None
        if sizes is not None:
            self._set_sizes([int(size) for size in sizes])
        even = self._sizes or [n // m + (label < n % m) for label in range(m)]
        first, second = np.argsort(-np.array(even), kind="stable")[:2].tolist()
        pools = (first, n // 2), (second, n - n // 2 + 1)
        below = [
            self._weights.of(label, pool, even).denominator for label, pool in pools if even[label]
        ]
        if 2 * self._error * math.lcm(*below) >= ROOM_BY_CHOICE:
            raise NotSupported(
                f"{decimals} decimals of {metric} do not tell two counts apart among {n} examples."
            )

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The number of examples of each class, once it is known."""
        return None if self._sizes is None else tuple(self._sizes)

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are proved."""
        sure: NDArray[np.bool_] = self._possible.sum(axis=1) == 1
        for test in self._tests:
            found, proved = test.found()
            sure[test.members] |= proved & (found == 1)
        return sure

    def _query(self, index: int) -> Labels | None:
        n, m, k = self._problem
        if self._sizes is None:
            return np.full(n, len(self._constants), dtype=label_dtype(m))
        while True:
            if not self._tests:
                self._tests = self._next_round()
            if not self._tests:
                return None
            open_tests = [test for test in self._tests if test.pool(k - index) is not None]
            if open_tests:
                break
            self._finish_round()
        try:
            self._asked = self._best_look(open_tests) or self._single_example()
        except NotSupported:
            if not index:
                raise
            return None  # what was learned till here is submitted
        return self._asked.shown.copy()

    def _take(self, answer: float) -> None:
        value = Fraction(answer)
        if self._sizes is None:
            self._constants.append(value)
            if len(self._constants) == self._problem.n_classes:
                n = self._problem.n_examples
                self._set_sizes(learned_sizes(self._metric, self._constants, n, self._error))
            return
        assert self._asked is not None
        look, self._asked = self._asked, None
        counts = look.sum.read(value - look.known, self._error)
        if counts is None:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for these classes, got {answer}."
            )
        for (test, flipped), count in zip(look.tests, counts, strict=False):
            if flipped:
                assert test.inside is not None
                count = test.inside - count
            test.tell(count)
            if test not in self._tests:
                self._keep(test)

    def _guess(self) -> Labels:
        """Return what is left of each example's classes, the most frequent one of several."""
        m = self._problem.n_classes
        sizes = np.ones(m) if self._sizes is None else np.array(self._sizes, dtype=np.float64)
        possible = self._possible.copy()
        for test in self._tests:
            found, _ = test.found()
            these, others = test.members[found == 1], test.members[found != 1]
            possible[these] = False
            possible[these, test.label] = True
            if test.inner is not None:
                possible[others, test.label] = False
        weights = np.where(possible, sizes + 0.5, 0.0)
        guess: Labels = weights.argmax(axis=1).astype(label_dtype(m))
        return guess

    # Class sizes.

    def _set_sizes(self, sizes: list[int]) -> None:
        n, m, _ = self._problem
        if len(sizes) != m or min(sizes) < 0 or sum(sizes) != n:
            raise InvalidInput(f"sizes must be {m} numbers that add up to {n}, got {tuple(sizes)}.")
        self._sizes = sizes
        self._possible[:, [size == 0 for size in sizes]] = False

    # Rounds.

    def _next_round(self) -> list[ClassTest]:
        """Return tests for what is open: each example in one of a class that it may have."""
        assert self._sizes is not None
        m = self._problem.n_classes
        options = self._possible.sum(axis=1)
        unknown = np.flatnonzero(options > 1)
        if not unknown.size:
            return []
        settled = self._possible[options == 1].argmax(axis=1)
        left = np.array(self._sizes) - np.bincount(settled, minlength=m)
        # Without a class that is ruled out for each, examples that are not asked about are counted.
        needs_sink = bool((options[unknown] == np.count_nonzero(self._sizes)).any())
        here = [int(label) for label in np.argsort(-left, kind="stable") if left[label] > 0]
        count = max(1, min(self._most, len(here) - needs_sink))
        while count > 1 and not self._has_room(
            count, unknown.size, self._sizes, left.tolist(), sink=needs_sink
        ):
            count -= 1
        classes = here[:count]
        shuffled = self._rng.permutation(unknown)
        if needs_sink:
            kept = min(MOST_PADDED * count, int(SHARE_KEPT * unknown.size))
            shuffled = shuffled[: unknown.size - kept]
        fits = self._possible[shuffled][:, classes]
        load, place = np.zeros(count), np.full(shuffled.size, -1)
        # Examples with the fewest choices first; each goes where the fewest are.
        for row in np.argsort(fits.sum(axis=1), kind="stable"):
            choices = np.flatnonzero(fits[row])
            if choices.size:
                best = choices[load[choices].argmin()]
                place[row] = best
                load[best] += 1
        return [
            ClassTest(np.sort(shuffled[place == at]), label, self._make, self._rng.spawn(1)[0])
            for at, label in enumerate(classes)
            if (place == at).any()
        ]

    def _has_room(
        self, count: int, unknown: int, sizes: list[int], left: list[int], *, sink: bool
    ) -> bool:
        """Tell whether so many counts usually fit into one value: a product of denominators."""
        labels = np.argsort(-np.array(left), kind="stable")[: count + sink].tolist()
        pools = [unknown // (2 * count)] * count + [unknown // 2] * sink
        below = [
            self._weights.of(label, max(1, pool), sizes).denominator
            for label, pool in zip(labels, pools, strict=True)
            if sizes[label]
        ]
        shared = math.gcd(*below)
        product = shared * math.prod(each // shared for each in below)
        return 2 * self._error * product < ROOM_BY_CHOICE

    def _finish_round(self) -> None:
        """Keep what the tests found: members of the class, and others that can't be."""
        for test in self._tests:
            self._keep(test)
        self._tests = []

    def _keep(self, test: ClassTest) -> None:
        """Keep what a test proved; the rest stays open for the next round."""
        found, proved = test.found()
        these, others = test.members[proved & (found == 1)], test.members[proved & (found != 1)]
        self._possible[these] = False
        self._possible[these, test.label] = True
        self._possible[others, test.label] = False

    # Looks.

    def _looks(self) -> JointLooks:
        """Return the looks that are possible with what is known."""
        assert self._sizes is not None
        left = self._problem.n_queries - self._answered
        return JointLooks(
            self._weights, self._sizes, self._possible, self._tests, self._error, left
        )

    def _best_look(self, tests: list[ClassTest]) -> JointLook | None:
        """Return a look at as many tests as possible; first come examples that can be padding."""
        looks = self._looks()
        return looks.most_tests(self._of_padding(tests, looks)) or looks.most_tests(tests)

    def _of_padding(self, tests: list[ClassTest], looks: JointLooks) -> list[ClassTest]:
        """Return a test of one example for each class, of those that nothing is known about."""
        free = looks.outside([])
        n_present = sum(1 for size in self.sizes or () if size)
        untold = free[self._possible[free].sum(axis=1) == n_present]
        return [
            ClassTest(untold[at : at + 1], test.label, self._make, self._rng)
            for at, test in enumerate(tests)
            if at < untold.size
        ]

    def _single_example(self) -> JointLook:
        """Return a look at one example, where no test's look is proved to tell its count.

        The tests are given up for it: what is learned changes denominators, and new ones begin.
        """
        self._finish_round()
        looks = self._looks()
        unknown = np.flatnonzero(self._possible.sum(axis=1) > 1)
        for example in unknown[:MOST_SINGLES]:
            for label in np.flatnonzero(self._possible[example]):
                test = ClassTest(np.array([example]), int(label), self._make, self._rng)
                test.pool(1)
                found = looks.first_proved([test])
                if found is not None:
                    return found
        raise NotSupported(
            f"no value of {self._metric} tells two counts apart for classes of these sizes."
        )
