"""Several counts from one macro average: each class has a denominator of its own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.through_metrics._count_sums import CountSum
from holdfast.attacks.through_metrics._lanes import Lane, MakeInner, lattice_for_share
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    MetricEstimate,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.match_reader import BY_RECALL, MatchReader
from holdfast.attacks.through_metrics.until_refused import UntilRefused
from holdfast.bounds.bisection import least
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
from holdfast.metrics.confusion import ClassCounts
from holdfast.problem import Problem, check_at_least

__all__ = ["JointCounts"]

# Sums of the hits of each class with weights that depend on the classes' sizes alone.
LINEAR = (F1Macro, F1Weighted, PrecisionMacro, RecallMacro, BalancedAccuracy)
# Of more classes it takes too long to prove that a value will tell the counts. Recalls have the
# same denominators in every look, so that more is tried before something else is asked.
MOST_CLASSES, MOST_BY_RECALL = 30, 3
# So many examples, of which it is known whether they are of a class, may show it to change its
# denominator; they are kept apart and asked about first, a share of all examples at most.
MOST_PADDED, SHARE_KEPT = 3, 0.02
# Denominators of a look are chosen among some, and their least common multiple is a bit smaller.
ROOM_BY_CHOICE = 2
# How many examples are tried before it is said that none can be asked about.
MOST_SINGLES = 8
# How many ways to show a look are tried before something else is asked, and how many sets of as
# many lanes: those of five lanes are all tried, and of many there are too many.
MOST_CANDIDATES, MOST_SETS = 200, 10
# No value has room for more counts: each takes a bit at least.
MOST_COUNTS = 53


class _Candidate(NamedTuple):
    """A candidate for the next look: who is asked, what is shown, and the sum that comes back."""

    lanes: list[tuple[Lane, bool]]
    shown: Labels
    sum: CountSum
    known: Fraction


class JointCounts(TurnBased[Labels], ThroughMetric):
    """Read several counts from each value of a macro average, and play an attack with each.

    A macro average adds up the hits of each class over a denominator of its own, which depends on
    how often the class is shown. If the denominators have little in common, one value has one
    choice of hits only: the counts of all classes that are shown follow from it. So as many lanes
    play side by side as one value has room for, each on its own examples with the question whether
    they are of its class. What a lane leaves open is asked about another class in the next round.

    Before a look is taken it is proved that its value will tell the counts apart: a lane's pool or
    its complement is shown, whichever helps, and else fewer lanes are asked.

    Departures
    ----------
    Not in the paper, whose oracle answers accuracies. See docs/attacks/joint_counts.md for the
    proof.

    Parameters
    ----------
    problem
        The sizes to play for; three classes or more.
    rng
        Where the lanes' generators come from.
    metric
        A macro average of F1, precision or recall, weighted F1, or balanced accuracy.
    sizes
        The number of examples of each class, where it is public. Else as many looks as there are
        classes tell it, except for recalls.
    decimals
        How many decimals are released; None: all that a float has.
    lanes
        At most so many lanes; None: as many as a value has room for.
    make
        Makes a lane's attack, one that proves labels, from its problem, a generator and `share`,
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
    def fits(cls, board: MetricBoard) -> bool:
        """Tell whether the weights differ: recalls of equally large classes tell matches alone."""
        return not (isinstance(board.metric, BY_RECALL) and MatchReader.fits(board))

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> UntilRefused:
        """Make it for a macro average, to play as far as values are proved to tell the counts.

        Where class sizes are not public, it spends a look on each.
        """
        assert isinstance(board.metric, LabelMetric)
        if board.sizes is None and isinstance(board.metric, BY_RECALL):
            raise NotSupported("it needs the sizes of the classes, and a group's are not public.")
        return UntilRefused(
            cls(problem, rng=rng, metric=board.metric, sizes=board.sizes, decimals=board.decimals)
        )

    @classmethod
    def forecast_on(cls, problem: Problem, board: MetricBoard) -> MetricEstimate:
        """Refuse: how many counts fit into a value is proved look by look."""
        raise NotSupported(
            f"no forecast for {board.metric} of {problem.n_classes} classes: each has a "
            "denominator of its own, and how many counts a value tells has no formula here. Audit "
            "the labels instead."
        )

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        sizes: Sequence[int] | NDArray[np.integer] | None = None,
        decimals: int | None = None,
        lanes: int | None = None,
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
        self._most = min(MOST_COUNTS, m if lanes is None else check_at_least("lanes", lanes, 1))
        self._weights: dict[tuple[int, int, int], Fraction] = {}
        # Quotients and weights are rounded once each, and so are the sums of m of them and their
        # mean: each by at most half of the last bit of a number that is at most m.
        self._error = Fraction(m + 4, 2**53)
        if decimals is not None:
            self._error += Fraction(1, 2 * 10 ** check_at_least("decimals", decimals, 0))
        self._rng = np.random.default_rng(self._seed)
        self._constants: list[Fraction] = []
        self._sizes: list[int] | None = None
        self._possible = np.ones((n, m), dtype=np.bool_)
        self._lanes: list[Lane] = []
        self._asked: _Candidate | None = None
        if sizes is not None:
            self._set_sizes([int(size) for size in sizes])
        even = self._sizes or [n // m + (label < n % m) for label in range(m)]
        first, second = np.argsort(-np.array(even), kind="stable")[:2].tolist()
        pools = (first, n // 2), (second, n - n // 2 + 1)
        below = [
            self._weight(label, pool, even).denominator for label, pool in pools if even[label]
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
        for lane in self._lanes:
            found, proved = lane.found()
            sure[lane.members] |= proved & (found == 1)
        return sure

    def _query(self, index: int) -> Labels | None:
        n, m, k = self._problem
        if self._sizes is None:
            return np.full(n, len(self._constants), dtype=label_dtype(m))
        while True:
            if not self._lanes:
                self._lanes = self._next_round()
            if not self._lanes:
                return None
            open_lanes = [lane for lane in self._lanes if lane.pool(k - index) is not None]
            if open_lanes:
                break
            self._finish_round()
        self._asked = self._best_candidate(open_lanes) or self._single_example()
        return self._asked.shown.copy()

    def _take(self, answer: float) -> None:
        value = Fraction(answer)
        if self._sizes is None:
            self._constants.append(value)
            if len(self._constants) == self._problem.n_classes:
                self._learn_sizes()
            return
        assert self._asked is not None
        candidate, self._asked = self._asked, None
        counts = candidate.sum.read(value - candidate.known, self._error)
        if counts is None:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for these classes, got {answer}."
            )
        for (lane, flipped), count in zip(candidate.lanes, counts, strict=False):
            if flipped:
                assert lane.inside is not None
                count = lane.inside - count
            lane.tell(count)
            if lane not in self._lanes:
                self._keep(lane)

    def _guess(self) -> Labels:
        """Return what is left of each example's classes, the most frequent one of several."""
        m = self._problem.n_classes
        sizes = np.ones(m) if self._sizes is None else np.array(self._sizes, dtype=np.float64)
        possible = self._possible.copy()
        for lane in self._lanes:
            found, _ = lane.found()
            these, others = lane.members[found == 1], lane.members[found != 1]
            possible[these] = False
            possible[these, lane.label] = True
            if lane.inner is not None:
                possible[others, lane.label] = False
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

    def _learn_sizes(self) -> None:
        """Solve for the sizes: a class scores 0 if, and only if, it is absent."""
        n, m, _ = self._problem
        here = [label for label in range(m) if self._constants[label] > self._error]
        sizes = [0] * m
        for label in here:
            others = len(here) - 1

            def of(size: int, others: int = others) -> Fraction:
                rest = [] if not others else [n - size - others + 1] + [1] * (others - 1)
                shown = (n, *[0] * others)
                counts = ClassCounts(
                    n, tuple(range(others + 1)), (size, *rest), shown, (size, *[0] * others)
                )
                return Fraction(self._metric.from_counts(counts))

            value, most = self._constants[label], n - others
            first = least(partial(self._reaches, of, value - self._error), 0, most + 1)
            if first > most or of(first) > value + self._error:
                raise InconsistentAnswer(
                    f"answer must be a value of {self._metric}, got {float(value)}."
                )
            if first < most and of(first + 1) <= value + self._error:
                raise NotSupported(
                    "the answers leave open how large the classes are: give `sizes`."
                )
            sizes[label] = first
        if sum(sizes) != n:
            raise InconsistentAnswer(
                f"answers must be those of classes that add up to {n}, got {tuple(sizes)}."
            )
        self._set_sizes(sizes)

    @staticmethod
    def _reaches(of: Callable[[int], Fraction], value: Fraction, size: int) -> bool:
        return of(size) >= value

    # Rounds and lanes.

    def _next_round(self) -> list[Lane]:
        """Return lanes for what is open: each example in one of a class that it may have."""
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
            Lane(np.sort(shuffled[place == at]), label, self._make, self._rng.spawn(1)[0])
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
            self._weight(label, max(1, pool), sizes).denominator
            for label, pool in zip(labels, pools, strict=True)
            if sizes[label]
        ]
        shared = math.gcd(*below)
        product = shared * math.prod(each // shared for each in below)
        return 2 * self._error * product < ROOM_BY_CHOICE

    def _finish_round(self) -> None:
        """Keep what the lanes found: members of the class, and others that can't be."""
        for lane in self._lanes:
            self._keep(lane)
        self._lanes = []

    def _keep(self, lane: Lane) -> None:
        """Keep what a lane proved; the rest stays open for the next round."""
        found, proved = lane.found()
        these, others = lane.members[proved & (found == 1)], lane.members[proved & (found != 1)]
        self._possible[these] = False
        self._possible[these, lane.label] = True
        self._possible[others, lane.label] = False

    # Looks.

    def _best_candidate(self, lanes: list[Lane]) -> _Candidate | None:
        """Return the first way to show the lanes' pools whose value is proved to tell them.

        If there is none, fewer lanes are asked. Before all that examples are asked about one by
        one that can then change denominators.
        """
        for each in (self._probes(lanes), lanes):
            for some in range(len(each), 0, -1):
                for asked in itertools.islice(itertools.combinations(each, some), MOST_SETS):
                    found = self._proved_candidate(list(asked))
                    if found is not None:
                        return found
        return None

    def _single_example(self) -> _Candidate:
        """Return a look at one example, where no lane's look is proved to tell its count.

        The lanes are given up for it: what is learned changes denominators, and new ones begin.
        """
        for lane in self._lanes:
            self._keep(lane)
        self._lanes = []
        unknown = np.flatnonzero(self._possible.sum(axis=1) > 1)
        for example in unknown[:MOST_SINGLES]:
            for label in np.flatnonzero(self._possible[example]):
                lane = Lane(np.array([example]), int(label), self._make, self._rng)
                lane.pool(1)
                found = self._proved_candidate([lane])
                if found is not None:
                    return found
        raise NotSupported(
            f"no value of {self._metric} tells two counts apart for classes of these sizes."
        )

    def _proved_candidate(self, lanes: list[Lane]) -> _Candidate | None:
        candidates = itertools.islice(self._candidates(lanes), MOST_CANDIDATES)
        return next((each for each in candidates if each.sum.tells(self._error)), None)

    def _probes(self, lanes: list[Lane]) -> list[Lane]:
        """Return a lane of one example for each class, of those that nothing is known about."""
        free = self._outside([])
        n_present = sum(1 for size in self.sizes or () if size)
        untold = free[self._possible[free].sum(axis=1) == n_present]
        return [
            Lane(untold[at : at + 1], lane.label, self._make, self._rng)
            for at, lane in enumerate(lanes)
            if at < untold.size
        ]

    def _outside(self, lanes: list[Lane]) -> NDArray[np.intp]:
        """Return the examples that no lane is about."""
        inside = np.zeros(self._problem.n_examples, dtype=np.bool_)
        for lane in [*self._lanes, *lanes]:
            inside[lane.members] = True
        return np.flatnonzero(~inside)

    def _padding(self, label: int, free: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return some examples of which it is known whether they are of the class."""
        told = free[~self._possible[free, label] | (self._possible[free].sum(axis=1) == 1)]
        # Two classes take them from both ends, so that each has some of its own.
        some: NDArray[np.intp] = told[-MOST_PADDED:] if label % 2 else told[:MOST_PADDED]
        return some

    def _candidates(self, lanes: list[Lane]) -> Iterator[_Candidate]:
        assert self._sizes is not None
        left = self._problem.n_queries - self._answered
        pools = [lane.pool(left) for lane in lanes]
        # A pool's complement tells the same, once the class is counted.
        flips = [(False, True) if lane.inside is not None else (False,) for lane in lanes]
        taken = {lane.label for lane in lanes}
        sinks = [label for label, size in enumerate(self._sizes) if size and label not in taken]
        fresh = (self._possible.sum(axis=1) == np.count_nonzero(self._sizes)).any()
        sinks = sinks[::-1] if fresh and sinks else sinks[-1:] or [-1]
        free = self._outside(lanes)
        padding = [self._padding(lane.label, free) for lane in lanes]
        padded = [range(each.size + 1) for each in padding]
        for *some, sink in itertools.product(*padded, sinks):
            for flipped in itertools.product(*flips):
                asked = [
                    lane.members[pool ^ flip]
                    for lane, pool, flip in zip(lanes, pools, flipped, strict=True)
                    if pool is not None
                ]
                both = list(zip(lanes, flipped, strict=True))
                extra = [each[:size] for each, size in zip(padding, some, strict=True)]
                yield self._candidate(both, asked, sink, extra)

    def _candidate(
        self,
        lanes: list[tuple[Lane, bool]],
        asked: list[NDArray[np.intp]],
        sink: int,
        padding: list[NDArray[np.intp]],
    ) -> _Candidate:
        """Return a look that shows each lane's class where it asks, and else what adds nothing new.

        A known example shows its label, or a lane's as padding. Another one shows a class that is
        ruled out for it, and the sink if there is none: its hits are one more count.
        """
        assert self._sizes is not None
        n, m, _ = self._problem
        options = self._possible.sum(axis=1)
        present = np.array(self._sizes) > 0
        out = present & ~self._possible
        settled = options == 1
        fresh = ~out.any(axis=1) & ~settled
        to_sink = fresh.copy()
        if fresh.any() and sink >= 0:
            # Where there is a sink, examples outside of all lanes are free to join it.
            free = self._outside([lane for lane, _ in lanes])
            to_sink[free] = ~settled[free]
        shown = np.where(to_sink, sink, out.argmax(axis=1))
        shown[settled] = self._possible[settled].argmax(axis=1)
        for (lane, _), extra in zip(lanes, padding, strict=True):
            shown[extra] = lane.label
        in_pool = np.zeros(n, dtype=np.bool_)
        for (lane, _), members in zip(lanes, asked, strict=True):
            shown[members] = lane.label
            in_pool[members] = True
        often = np.bincount(shown, minlength=m)
        right = settled & self._possible[np.arange(n), shown]
        known = np.bincount(shown[right], minlength=m)
        offset = sum(
            (int(known[c]) * self._weight(c, int(often[c])) for c in range(m) if known[c]),
            Fraction(0),
        )
        labels = [lane.label for lane, _ in lanes]
        solved = np.bincount(self._possible[settled].argmax(axis=1), minlength=m)
        limits = [
            lane.limits(members.size, self._sizes[lane.label] - int(solved[lane.label]))
            for (lane, _), members in zip(lanes, asked, strict=True)
        ]
        in_sink = to_sink & ~settled & (shown == sink)
        into_sink = int(np.count_nonzero(in_sink & self._possible[:, sink]))
        if into_sink:
            labels.append(sink)
            limits.append((0, min(into_sink, self._sizes[sink] - int(solved[sink]))))
        found = CountSum(
            tuple(self._weight(label, max(1, int(often[label]))) for label in labels),
            tuple(low for low, _ in limits),
            tuple(high for _, high in limits),
        )
        return _Candidate(lanes, shown.astype(label_dtype(m)), found, offset)

    def _weight(self, label: int, often: int, sizes: list[int] | None = None) -> Fraction:
        """Return what one hit of a class adds if it is shown so often."""
        sizes = self._sizes if sizes is None else sizes
        assert sizes is not None
        n, n_present = self._problem.n_examples, sum(1 for size in sizes if size)
        # Of the other classes it matters how many there are.
        key = sizes[label], often, n_present
        if key not in self._weights:
            others = n_present - 1
            rest = [n - key[0] - others + 1] + [1] * (others - 1) if others else []
            counts = ClassCounts(
                n,
                tuple(range(n_present)),
                (key[0], *rest),
                (often, *[0] * others),
                (1, *[0] * others),
            )
            self._weights[key] = Fraction(self._metric.from_counts(counts))
        return self._weights[key]
