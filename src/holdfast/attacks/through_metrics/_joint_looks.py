"""Looks at several classes at once, whose value is proved to tell the hits of each.

A test asks how many examples of a pool are of its class: the pool shows the class. All other
examples must show something, too, and add as little as possible that is not known: one whose label
is known shows that label, and one of which some class is ruled out shows that class. Where nothing
is ruled out yet, they show one class that is not asked about, the *sink*, and its hits are one more
unknown count in the value.

Whether the value has one solution depends on how often each class is shown. Two things change that
and nothing else: asking about a pool's complement, and *padding*, a few examples of which it is
known whether they are of a class and that show it for that reason alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics._class_tests import ClassTest
from holdfast.attacks.through_metrics.count_sums import CountSum
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import F1Weighted, LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["MOST_PADDED", "HitWeights", "JointLook", "JointLooks"]

# So many examples, of which it is known whether they are of a class, may show it to change its
# denominator.
MOST_PADDED = 3
# How many ways to show a look are tried before something else is asked, and how many sets of as
# many tests: those of five tests are all tried, and of many there are too many.
MOST_CANDIDATES, MOST_SETS = 200, 10


class HitWeights:
    """What one hit of a class adds to a macro average.

    Parameters
    ----------
    metric
        The average.
    n_examples
        How many examples there are.
    """

    def __init__(self, metric: LabelMetric, n_examples: int) -> None:
        self._metric, self._n = metric, n_examples
        # A class that nobody is of counts nothing, however many examples show it.
        self.leaves_out_absent = isinstance(metric, F1Weighted)
        self._known: dict[tuple[int, int, int], Fraction] = {}

    def of(self, label: int, often: int, sizes: list[int]) -> Fraction:
        """Return the weight of a class that is shown so often, among classes of these sizes."""
        n_present = sum(1 for size in sizes if size)
        # Of the other classes it matters how many there are.
        key = sizes[label], often, n_present
        if key not in self._known:
            others = n_present - 1
            rest = [self._n - key[0] - others + 1] + [1] * (others - 1) if others else []
            counts = ClassCounts(
                self._n,
                tuple(range(n_present)),
                (key[0], *rest),
                (often, *[0] * others),
                (1, *[0] * others),
            )
            self._known[key] = Fraction(self._metric.from_counts(counts))
        return self._known[key]


class JointLook(NamedTuple):
    """One look at several classes.

    Parameters
    ----------
    tests
        The tests that it asks for, each with whether its pool's complement is shown.
    shown
        The submission.
    sum
        The part of the value that depends on the tests' counts, and on the sink's.
    known
        The other part, which is known beforehand.
    """

    tests: list[tuple[ClassTest, bool]]
    shown: Labels
    sum: CountSum
    known: Fraction


@dataclass(frozen=True, eq=False)
class JointLooks:
    """The looks that are possible with what is known.

    Parameters
    ----------
    weights
        What hits add to the value.
    sizes
        How many examples each class has.
    possible
        Which classes each example can have.
    in_work
        The tests of this round, whose examples are left to them.
    error
        How far an answer can be from the value.
    looks_left
        The looks that are left, this one among them.
    """

    weights: HitWeights
    sizes: list[int]
    possible: NDArray[np.bool_]
    in_work: list[ClassTest]
    error: Fraction
    looks_left: int

    def first_proved(self, tests: list[ClassTest]) -> JointLook | None:
        """Return the first look that asks for all the tests and is proved to tell their counts."""
        candidates = itertools.islice(self._candidates(tests), MOST_CANDIDATES)
        return next((each for each in candidates if each.sum.tells(self.error)), None)

    def most_tests(self, tests: list[ClassTest]) -> JointLook | None:
        """Return a look that is proved to tell as many of the tests' counts as possible."""
        for some in range(len(tests), 0, -1):
            for asked in itertools.islice(itertools.combinations(tests, some), MOST_SETS):
                found = self.first_proved(list(asked))
                if found is not None:
                    return found
        return None

    def outside(self, tests: list[ClassTest]) -> NDArray[np.intp]:
        """Return the examples that no test is about."""
        inside = np.zeros(len(self.possible), dtype=np.bool_)
        for test in [*self.in_work, *tests]:
            inside[test.members] = True
        return np.flatnonzero(~inside)

    def _padding(self, label: int, free: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return some examples of which it is known whether they are of the class."""
        told = free[~self.possible[free, label] | (self.possible[free].sum(axis=1) == 1)]
        # Two classes take them from both ends, so that each has some of its own.
        some: NDArray[np.intp] = told[-MOST_PADDED:] if label % 2 else told[:MOST_PADDED]
        return some

    def _candidates(self, tests: list[ClassTest]) -> Iterator[JointLook]:
        """Yield looks that ask for all the tests: pools or complements, padded or not, any sink."""
        pools = [test.pool(self.looks_left) for test in tests]
        # A pool's complement tells the same, once the class is counted.
        flips = [(False, True) if test.inside is not None else (False,) for test in tests]
        taken = {test.label for test in tests}
        sinks = [label for label, size in enumerate(self.sizes) if size and label not in taken]
        fresh = (self.possible.sum(axis=1) == np.count_nonzero(self.sizes)).any()
        sinks = sinks[::-1] if fresh and sinks else sinks[-1:] or [-1]
        if self.weights.leaves_out_absent:
            sinks += [label for label, size in enumerate(self.sizes) if not size][:1]
        free = self.outside(tests)
        padding = [self._padding(test.label, free) for test in tests]
        padded = [range(each.size + 1) for each in padding]
        for *some, sink in itertools.product(*padded, sinks):
            for flipped in itertools.product(*flips):
                asked = [
                    test.members[pool ^ flip]
                    for test, pool, flip in zip(tests, pools, flipped, strict=True)
                    if pool is not None
                ]
                both = list(zip(tests, flipped, strict=True))
                extra = [each[:size] for each, size in zip(padding, some, strict=True)]
                yield self._candidate(both, asked, sink, extra)

    def _candidate(
        self,
        tests: list[tuple[ClassTest, bool]],
        asked: list[NDArray[np.intp]],
        sink: int,
        padding: list[NDArray[np.intp]],
    ) -> JointLook:
        """Return the look that shows each test's class where it asks and on its padding.

        All other examples show their label, a class that is ruled out for them, or the sink.
        """
        n, m = self.possible.shape
        options = self.possible.sum(axis=1)
        present = np.array(self.sizes) > 0
        out = present & ~self.possible
        settled = options == 1
        fresh = ~out.any(axis=1) & ~settled
        to_sink = fresh.copy()
        if fresh.any() and sink >= 0:
            # Where there is a sink, examples outside of all tests are free to join it.
            free = self.outside([test for test, _ in tests])
            to_sink[free] = ~settled[free]
        shown = np.where(to_sink, sink, out.argmax(axis=1))
        shown[settled] = self.possible[settled].argmax(axis=1)
        for (test, _), extra in zip(tests, padding, strict=True):
            shown[extra] = test.label
        in_pool = np.zeros(n, dtype=np.bool_)
        for (test, _), members in zip(tests, asked, strict=True):
            shown[members] = test.label
            in_pool[members] = True
        often = np.bincount(shown, minlength=m)
        right = settled & self.possible[np.arange(n), shown]
        known = np.bincount(shown[right], minlength=m)
        offset = sum(
            (
                int(known[c]) * self.weights.of(c, int(often[c]), self.sizes)
                for c in range(m)
                if known[c]
            ),
            Fraction(0),
        )
        labels = [test.label for test, _ in tests]
        solved = np.bincount(self.possible[settled].argmax(axis=1), minlength=m)
        limits = [
            test.limits(members.size, self.sizes[test.label] - int(solved[test.label]))
            for (test, _), members in zip(tests, asked, strict=True)
        ]
        in_sink = to_sink & ~settled & (shown == sink)
        into_sink = int(np.count_nonzero(in_sink & self.possible[:, sink]))
        if into_sink:
            labels.append(sink)
            limits.append((0, min(into_sink, self.sizes[sink] - int(solved[sink]))))
        found = CountSum(
            tuple(
                self.weights.of(label, max(1, int(often[label])), self.sizes) for label in labels
            ),
            tuple(low for low, _ in limits),
            tuple(high for _, high in limits),
        )
        return JointLook(tests, shown.astype(label_dtype(m)), found, offset)
