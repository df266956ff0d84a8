r"""One cluster of positions that are tested label by label.

Tests t = 0, 1, .. ask for labels t + offset. The first ones compare labels with the cluster's label
of t = 0, of which nothing is known, so all counts are relative to that label's count. The smallest
is taken for 0 once that is far likelier than 1: counts are close to Poisson with mean s/m, s the
size, and if the smallest were 1 all others were one larger too, which changes the probability by
the product of (s/m) / (count + 1). That is likely right, not certain. Afterwards the label that
none has is shown as the base label, and tests count hits.

An example: 80 positions, 100 classes. Against the label of t = 0 the next tests give 0, -1, 1, -1,
0. So one position more has the base label than some tested one. If the smallest count is 0, the
base label has 1 and the others have 1, 0, 2, 0, 1; if it is 1, all six have one more, which is less
likely by .8/2, .8/2, .8/1, .8/3, .8/1, .8/2, for a mean of .8: a factor of 92. Ten tests or so make
it the 8,000 that `WRONG_LABEL_LOG_ODDS` asks for.
"""

from __future__ import annotations

from math import log, log2
from typing import NamedTuple

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.rounds.kernels import Ints

__all__ = ["Cluster", "HitSet", "number_of_clusters"]


def number_of_clusters(n: int, m: int) -> int:
    """Return how many clusters to form of n positions with m classes.

    The splits of a round must keep pace with the hits of its tests: of K = 2^r - 1 clusters, the
    nodes have a capacity of K (r/2 - 1) bits, and n/m hits take the log of a cluster's size each.

    >>> number_of_clusters(10_000, 100)
    127
    """
    best, gap = 1, float("inf")
    for r in range(1, 17):
        count = 2**r - 1
        capacity = max(0.5, (count + 1) * (r / 2 - 1))
        wanted = tuning.HITS_LOCATED_IN_TIME * n / m * log2(max(2.0, n / count / 2))
        if count <= max(1, n // 4) and abs(log(capacity / wanted)) < gap:
            best, gap = count, abs(log(capacity / wanted))
    return best


class HitSet(NamedTuple):
    """Positions of which so many have the label of test `test`."""

    test: int
    members: Ints
    hits: int


class Cluster:
    """Positions that are tested together, and what their tests have told.

    Attributes
    ----------
    members, origin
        The positions not found yet, and all it began with.
    tested
        Tests taken so far; the label of t = 0 needs none.
    ready
        Whether a label that none has is presumed.
    hit_sets
        Hits that are counted but not located.
    first_label_count
        How many had the label of t = 0 when that became known; they matched what all showed.

    Parameters
    ----------
    members
        The positions.
    offset
        Label of test 0.
    n_classes
        Number of classes.
    """

    def __init__(self, members: Ints, offset: int, n_classes: int) -> None:
        self.members = members
        self.origin = members
        self.offset = offset
        self.tested = 1
        self.ready = False
        self.hit_sets: list[HitSet] = []
        self.first_label_count = 0
        self._m = n_classes
        self._relative_counts: list[int] = []
        self._wrong_test = 0

    def label(self, test: int) -> int:
        """Return the label of a test."""
        return (test + self.offset) % self._m

    def wrong_label(self) -> int:
        """Return a label that no open position of the cluster has; until it is ready: label 0."""
        return self.label(self._wrong_test)

    def candidates(self) -> list[int]:
        """Return the labels that were not tested yet."""
        return [self.label(t) for t in range(self.tested, self._m)]

    def has_tests(self) -> bool:
        """Whether there are labels to test, until few candidates are left."""
        last = max(1, self._m - tuning.CANDIDATES_TO_LEAVE) if self.ready else self._m
        return self.members.size > 0 and self.tested < last

    def backlog(self) -> float:
        """Return the bits still to be learnt of the hits counted so far."""
        if not self.ready:
            return 0.0
        return sum(hits * log2(max(2, js.size)) for _, js, hits in self.hit_sets)

    def take_test(self, value: int) -> bool:
        """Take the result of a test; False if what was presumed can't be.

        Before a label is presumed to be wrong, the value is a difference of two counts and is kept
        for `_presume`. Afterwards it is a number of hits; a negative one refutes the presumption.
        """
        test = self.tested
        self.tested += 1
        if self.ready:
            if value > 0:
                self.hit_sets.append(HitSet(test, self.members, value))
            return value >= 0
        self._relative_counts.append(value)
        return self._presume()

    def _presume(self) -> bool:
        """Take the smallest count for 0 if that is likely enough; False if it can't be.

        All counts known so far become hit sets at once: the tests that led here told these hits,
        only not from which level they are counted. After a test of every label nothing has to be
        presumed, since the counts add up to the cluster's size.
        """
        size, m = self.members.size, self._m
        least = min(0, *self._relative_counts)
        if self.tested == m:
            # All labels were compared: the counts must add up to the cluster's size.
            least = -((size - sum(self._relative_counts)) // m)
        counts = [value - least for value in (0, *self._relative_counts)]
        odds = sum(log(size / m / (count + 1)) for count in counts)
        if self.tested < m and (odds > tuning.WRONG_LABEL_LOG_ODDS or 0 not in counts):
            return True
        if min(counts) < 0 or sum(counts) > size or 0 not in counts:
            return False
        self.ready = True
        self._wrong_test = counts.index(0)
        self.first_label_count = counts[0]
        self.hit_sets = [HitSet(t, self.members, hits) for t, hits in enumerate(counts) if hits]
        return True
