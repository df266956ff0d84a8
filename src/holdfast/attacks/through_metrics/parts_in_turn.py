"""Parts of a test set in turn: so few are called positive that rounding hides no true one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.attacks.base import Turns
from holdfast.attacks.exact.lattice import Lattice
from holdfast.attacks.through_metrics._class_tests import ClassTest
from holdfast.attacks.through_metrics.count_reader import CountReader, tells_counts
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
    label_metric,
    scores_two_classes,
)
from holdfast.errors import InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Metric
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack

__all__ = ["PartsInTurn"]

# A part of fewer examples takes more looks than it has positives.
SMALLEST_PART = 8


class PartsInTurn(Turns[Labels], ThroughMetric):
    """Play an attack on one part after the other; all other examples are called negative.

    A value of F1, or of a correlation, that is rounded still tells the true positives exactly if
    few examples are called positive: one more true positive then moves it by more than the
    rounding. Each part is counted with one look; a part without positives needs no more.

    Departures
    ----------
    Not in the paper: group tests of rare positives, as in Dorfman's pools.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for; two classes.
    part_size
        The number of examples of a part.
    make
        Makes the attack on a part from its problem, a generator and `share`, that of positives.
    rng
        Where the parts and the attacks' generators come from.
    positives
        The number of positives, which must be public.

    Examples
    --------
    >>> from holdfast import attacks, oracles
    >>> hidden = (np.arange(300) % 60 == 0).astype(int)
    >>> problem = Problem(300, 2, 150)
    >>> attack = PartsInTurn(problem, 50, lambda p, rng, share: attacks.Lattice(p, rng=rng),
    ...                      rng=np.random.default_rng(0), positives=5)
    >>> board = oracles.LabelOracle(hidden, problem=problem)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> int((attack.predict() == hidden).sum())
    300
    """

    title = f"{CountReader.name}, parts in turn"
    summary = "reads hits of small parts"

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels of two classes, whose hits `CountReader` reads."""
        return scores_two_classes(metric, n_classes)

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether positives are known to be the rarer class."""
        return board.sizes is not None and 2 * board.sizes[1] < sum(board.sizes)

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> CountReader:
        """Make it for rounded values, with the largest parts in which they show every positive."""
        n, step, positives = problem.n_examples, board.rounding, board.positives
        if positives is None:
            raise NotSupported("it needs the number of positives, and a group's is not public.")
        if not step:
            raise NotSupported("it is made for rounding, and the rule does not round.")
        metric, size = label_metric(board.metric), n
        while size >= SMALLEST_PART and not tells_counts(metric, n, positives, size, step):
            size //= 2
        if size < SMALLEST_PART:
            raise NotSupported(f"steps of {step:g} do not show one positive in a small part.")

        def make(problem: Problem, *, rng: np.random.Generator) -> Any:
            return cls(problem, size, _lattice, rng=rng, positives=positives)

        return CountReader(problem, make, rng=rng, metric=metric, sizes=board.sizes, step=step)

    def __init__(
        self,
        problem: Problem,
        part_size: int,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
        positives: int,
    ) -> None:
        super().__init__(problem)
        n, m, _ = self._problem
        if m != 2:
            raise NotSupported(f"parts are counted by their positives: two classes, got {m}.")
        if not 0 <= positives <= n:
            raise InvalidInput(f"positives must lie in 0 .. {n}, got {positives}.")
        size = check_at_least("part_size", part_size, 1)
        order = rng.permutation(n)
        parts = [np.sort(order[at : at + size]) for at in range(0, n, size)]
        self._tests = [
            ClassTest(part, 1, make, each)
            for part, each in zip(parts, rng.spawn(len(parts)), strict=True)
        ]
        self._positives = positives
        self._at = 0
        self._called = 0

    def _query(self, index: int) -> Labels | None:
        """Return the next query: a part called positive, or an attack's query about it."""
        while self._at < len(self._tests) and self._found(self._at).sum() < self._positives:
            test = self._tests[self._at]
            pool = test.pool(self._problem.n_queries - index)
            if pool is not None:
                query: Labels = np.zeros(self._problem.n_examples, dtype=np.uint8)
                query[test.members[pool]] = 1
                self._called = int(pool.sum())
                return query
            self._at += 1
        return None

    def _take(self, answer: float) -> None:
        """Take the accuracy of the last query."""
        n, test = self._problem.n_examples, self._tests[self._at]
        # Matches are n - positives - called + 2 true positives.
        hits = (answer * n - n + self._positives + self._called) / 2.0
        low, high = test.limits(self._called, self._positives)
        test.tell(round(min(max(hits, low), high)))

    def _guess(self) -> Labels:
        """Return the labels of the parts that are done, and the guess for the one in work."""
        return self._found(self._at + 1)

    def _found(self, parts: int) -> Labels:
        """Return the labels of the first parts."""
        labels: Labels = np.zeros(self._problem.n_examples, dtype=np.uint8)
        for test in self._tests[:parts]:
            labels[test.members] = test.found()[0]
        return labels


def _lattice(problem: Problem, *, rng: np.random.Generator, share: float) -> Lattice:
    prior = np.tile([1.0 - share, share], (problem.n_examples, 1))
    return Lattice(problem, rng=rng, prior=prior)
