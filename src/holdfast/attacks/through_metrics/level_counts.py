"""Two counts from one area under the ROC curve: positives in two levels of scores."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.through_metrics._class_tests import ClassTest, MakeInner, lattice_for_share
from holdfast.attacks.through_metrics.count_reader import FLOAT_SLACK
from holdfast.attacks.through_metrics.count_sums import CountSum
from holdfast.attacks.through_metrics.description import MetricBoard, ThroughMetric
from holdfast.attacks.through_metrics.graded import positives_by_one
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Metric, RocAuc
from holdfast.problem import Problem, check_at_least

__all__ = ["LevelCounts"]

# So many examples are kept apart: where they stand changes the levels' weights.
KEPT, SHARE_KEPT = 4, 0.02


class _Candidate(NamedTuple):
    """A candidate for the next look: each level's test, scores, and the sum that comes back."""

    tests: list[tuple[ClassTest, bool]]
    scores: NDArray[np.float64]
    sum: CountSum
    scale: Fraction
    known: Fraction


class LevelCounts(TurnBased[NDArray[np.float64]], ThroughMetric):
    """Read the positives in two levels of scores from each area, and play an attack with each.

    With a1 examples at the top, a2 in the middle and the others below, the area is a sum of the
    positives t1 and t2 in the two levels, up to public constants: t1 (n + a2) + t2 (n - a1) over
    twice the number of pairs. If the two weights have no common divisor, both counts follow, as
    large as they may be. Half of the examples belong to each level's attack.

    Departures
    ----------
    Not in the paper. See docs/attacks/counts.md for the proof; `Graded` reads single labels
    instead of counts, and takes fewer looks where all digits of a float are shown.

    Parameters
    ----------
    problem
        The sizes to play for; two classes.
    rng
        Where the generators of the levels' attacks come from.
    decimals
        How many decimals are released; None: all that a float has.
    positives
        The number of positives where it is public; None: the first look tells it.
    levels
        2, or 1 to read one count per look.
    make
        Makes a level's attack, one that proves labels, from its problem, a generator and `share`,
        that of positives.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = (np.arange(300) % 10 < 3).astype(int)
    >>> board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=300)
    >>> attack = LevelCounts(Problem(300, 2, 300), rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.labels() == hidden).all()), bool(attack.certain().all()), board.looks < 75
    (True, True, True)
    """

    summary = "reads two counts off an area"
    adaptive = True
    proves_labels = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it is an area under the ROC curve, of two classes."""
        return isinstance(metric, RocAuc) and n_classes == 2

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> LevelCounts:
        """Make it for rounded areas; where all digits are shown, `Graded` takes fewer looks.

        The number of positives is taken for public, unless it is a group's.
        """
        if board.decimals is None:
            raise NotSupported("it is made for rounding, and the rule does not round.")
        return cls(problem, rng=rng, decimals=board.decimals, positives=board.positives)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        decimals: int | None = None,
        positives: int | None = None,
        levels: int = 2,
        make: MakeInner = lattice_for_share,
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, _ = self._problem
        if m != 2:
            raise InvalidInput(f"n_classes must be 2 for an area under a ROC curve, got {m}.")
        if positives is not None and not 0 < positives < n:
            raise InvalidInput(f"positives must lie in 1 .. {n - 1}, got {positives}.")
        if levels not in (1, 2):
            raise InvalidInput(f"levels must be 1 or 2, got {levels}.")
        if decimals is not None:
            check_at_least("decimals", decimals, 0)
        self._decimals, self._positives = decimals, positives
        self._error = FLOAT_SLACK
        if decimals is not None:
            self._error += Fraction(1, 2 * 10**decimals)
        generator = np.random.default_rng(self._seed)
        order = generator.permutation(n)
        kept = min(KEPT, int(SHARE_KEPT * n))
        parts = [order[kept:][at::levels] for at in range(levels)]
        rngs = generator.spawn(levels + kept)
        self._tests = [
            ClassTest(np.sort(part), 1, make, each)
            for part, each in zip(parts, rngs, strict=False)
            if part.size
        ]
        self._kept = [
            ClassTest(order[at : at + 1], 1, make, each) for at, each in enumerate(rngs[levels:])
        ]
        self._asked: _Candidate | None = None

    @property
    def positives(self) -> int | None:
        """The number of positives, once it is known."""
        return self._positives

    def labels(self) -> Labels:
        """Return a guess for the label of each example."""
        return self._found()[0]

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are proved."""
        return self._found()[1]

    def _found(self) -> tuple[Labels, NDArray[np.bool_]]:
        n = self._problem.n_examples
        labels, sure = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.bool_)
        for test in [*self._tests, *self._kept]:
            labels[test.members], sure[test.members] = test.found()
        return labels, sure

    def _query(self, index: int) -> NDArray[np.float64] | None:
        n, _, k = self._problem
        if self._positives is None:
            scores = np.zeros(n)
            scores[self._first_example()] = 1.0
            return scores
        waiting = [test for test in self._kept if test.pool(k - index) is not None]
        tests = waiting[: len(self._tests)] or [
            test for test in self._tests if test.pool(k - index) is not None
        ]
        if not tests:
            return None
        self._asked = self._best_candidate(tests)
        return self._asked.scores.copy()

    def _first_example(self) -> int:
        return int((self._kept or self._tests)[0].members[0])

    def _take(self, answer: float) -> None:
        n = self._problem.n_examples
        if self._positives is None:
            error = self._error
            label, self._positives = positives_by_one(
                Fraction(answer), n, error, self._decimals, self._answered
            )
            if self._kept:
                self._kept[0].pool(1)
                self._kept[0].tell(label)
            return
        assert self._asked is not None
        candidate, self._asked = self._asked, None
        counts = candidate.sum.read(
            Fraction(answer) * candidate.scale - candidate.known, self._error * candidate.scale
        )
        if counts is None:
            raise InconsistentAnswer(f"Query {self._answered}: no labels have this area, {answer}.")
        for (test, flipped), count in zip(candidate.tests, counts, strict=True):
            if flipped:
                assert test.inside is not None
                count = test.inside - count
            test.tell(count)

    def _guess(self) -> NDArray[np.float64]:
        """Return scores: positives above, negatives below, what nothing is known of between."""
        labels, sure = self._found()
        guessed = np.where(labels == 1, 0.75, 0.5)
        return np.where(sure, labels.astype(np.float64), guessed)

    def _best_candidate(self, tests: list[ClassTest]) -> _Candidate:
        """Return the first way to show the pools whose area is proved to tell them apart."""
        for some in range(len(tests), 0, -1):
            for asked in itertools.permutations(tests, some):
                for candidate in self._candidates(list(asked)):
                    if candidate.sum.tells(self._error * candidate.scale):
                        return candidate
        raise NotSupported(
            f"{self._decimals} decimals do not show one of {self._problem.n_examples} examples."
        )

    def _candidates(self, tests: list[ClassTest]) -> list[_Candidate]:
        """Return ways to show the pools: each or its complement, known examples below or above."""
        flips = [(False, True) if test.inside is not None else (False,) for test in tests]
        known = [test for test in self._kept if test.done]
        return [
            self._candidate(list(zip(tests, flipped, strict=True)), known[:above])
            for above in range(len(known) + 1)
            for flipped in itertools.product(*flips)
        ]

    def _candidate(self, tests: list[tuple[ClassTest, bool]], above: list[ClassTest]) -> _Candidate:
        """Return a look: the first test's pool on top, the second's below it, known ones above all.

        Twice the positives' rank sum, with ties at their middle, is a sum over levels of twice the
        middle rank times the positives there.
        """
        assert self._positives is not None
        n, positives = self._problem.n_examples, self._positives
        scores, pools = np.zeros(n), []
        for level, (test, flipped) in enumerate(tests):
            pool = test.pool(1)
            assert pool is not None
            pools.append(test.members[pool ^ flipped])
            scores[pools[-1]] = len(tests) - level
        for test in above:
            scores[test.members] = len(tests) + 1
        sizes = [each.size for each in pools]
        rest = n - sum(sizes) - len(above)
        # Twice the middle rank of each level, less that of the examples below.
        ranks = []
        for at, size in enumerate(sizes):
            ranks.append(2 * (rest + sum(sizes[at + 1 :])) + size + 1 - (rest + 1))
        top = 2 * (n - len(above)) + len(above) + 1 - (rest + 1)
        hits = sum(int(test.inside or 0) for test in above)
        doubled = positives * (rest + 1) + hits * top - positives * (positives + 1)
        pairs = 2 * positives * (n - positives)
        # Two whole weights u, v with counts s, t: s u + t v over u v is s/v + t/u.
        common = math.prod(ranks)
        weights = tuple(Fraction(rank, common) for rank in ranks)
        limits = [
            test.limits(size, positives) for (test, _), size in zip(tests, sizes, strict=True)
        ]
        found = CountSum(weights, tuple(a for a, _ in limits), tuple(b for _, b in limits))
        return _Candidate(tests, scores, found, Fraction(pairs, common), Fraction(doubled, common))
