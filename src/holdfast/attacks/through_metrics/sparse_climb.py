"""Climbing by small blocks of the rare class, where a score counts true positives."""

from __future__ import annotations

import numpy as np

from holdfast.attacks.base import Turns
from holdfast.attacks.description import Reads
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
    label_metric,
    scores_two_classes,
)
from holdfast.errors import InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import LabelMetric, Metric
from holdfast.metrics.confusion import two_class_counts
from holdfast.problem import Problem

__all__ = ["SparseClimb"]

# Block sizes that are rehearsed, and games of each.
SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 400)
GAMES = 3


class SparseClimb(Turns[Labels], ThroughMetric):
    """Call no example positive, then add small random blocks and keep those that raise the score.

    Random labels score next to nothing where positives are rare, and so do their neighbours. From
    the other end every true positive shows: F1 of few true positives among few that are called so
    rises by about 2 over their number with each. Blocks must be small enough for one hit to be
    seen, and large enough to hit; their size is rehearsed in counts alone.

    Departures
    ----------
    Not in the paper: a climber for scores that are no accuracies.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for; two classes.
    rng
        Where the order of the examples comes from.
    metric
        A metric of labels that rises with the true positives.
    share
        The share of positives, below one half.
    step
        By how much a score must rise to be shown; 0: any rise is.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = (np.random.default_rng(1).random(2000) < 0.02).astype(int)
    >>> board = oracles.MetricOracle(hidden, metrics.F1(), n_queries=200)
    >>> attack = SparseClimb(Problem(2000, 2, 200), rng=np.random.default_rng(0),
    ...                      metric=metrics.F1(), share=0.02)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> metrics.F1().score(hidden, attack.predict()) > 0.15
    True
    """

    summary = "adds small parts that score better"
    reads = Reads.NEW_BEST
    reads_decimals = False

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels of two classes: it rises with the true positives."""
        return scores_two_classes(metric, n_classes)

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether everybody knows that positives are the rarer class."""
        return board.shares is not None and 0.0 < board.shares[1] < 0.5

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> SparseClimb:
        """Make it for a board that shows new bests of a metric of two classes."""
        assert board.shares is not None
        metric, share = label_metric(board.metric), board.shares[1]
        return cls(problem, rng=rng, metric=metric, share=share, step=board.step)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        share: float,
        step: float = 0.0,
    ) -> None:
        super().__init__(problem)
        n, m, _ = self._problem
        if m != 2:
            raise NotSupported(f"positives are those of two classes, got {m}.")
        if not 0.0 < share < 0.5:
            raise InvalidInput(f"share must lie between 0 and 1/2, got {share:g}.")
        self._metric, self._share, self._step = metric, share, step
        order, rehearsing = rng.spawn(2)
        self._line = order.permutation(n)
        self.block_size = self._rehearsed(rehearsing)
        self._labels = np.zeros(n, dtype=np.uint8)
        self._standing = self._value(0, 0)
        self._asked = self._line[:0]

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002
        """Return what is kept with one more block; None when all examples have been in one."""
        if not self._line.size:
            return None
        self._asked, self._line = self._line[: self.block_size], self._line[self.block_size :]
        query = self._labels.copy()
        query[self._asked] = 1
        return query

    def _take(self, answer: float) -> None:
        """Take the released score of the last query; keep the block if it is a new best."""
        if answer > self._standing:
            self._labels[self._asked] = 1
            self._standing = answer

    def _guess(self) -> Labels:
        """Return the blocks that were kept."""
        return self._labels.copy()

    def _value(self, called: int, hits: int) -> float:
        n = self._problem.n_examples
        positives = max(1, round(self._share * n))
        return float(self._metric.from_counts(two_class_counts(n, positives, called, hits)))

    def _rehearsed(self, rng: np.random.Generator) -> int:
        """Return the block size with the best score in games of counts."""
        n, _, k = self._problem
        positives = max(1, round(self._share * n))
        best, best_value = 1, -np.inf
        for size in (each for each in SIZES if each <= n):
            reached = []
            for _ in range(GAMES):
                left, untouched, called, hits = positives, n, 0, 0
                standing = self._value(0, 0)
                for _ in range(min(k, n // size)):
                    found = int(rng.hypergeometric(left, untouched - left, size))
                    value = standing
                    if found:
                        value = self._value(called + size, hits + found)
                    if value >= standing + self._step and value > standing:
                        called, hits, standing = called + size, hits + found, value
                    left, untouched = left - found, untouched - size
                reached.append(standing)
            if float(np.mean(reached)) > best_value:
                best, best_value = size, float(np.mean(reached))
        return best
