"""Climbing by exchanging labels, where every class has a denominator of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.description import Reads
from holdfast.attacks.through_metrics.affine_forms import (
    MOST_DENOMINATORS,
    expected_label_value,
    label_slopes,
)
from holdfast.attacks.through_metrics.description import MetricBoard, ThroughMetric
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import F1, LabelMetric, Metric
from holdfast.metrics.base import FunctionOf
from holdfast.problem import Problem

__all__ = ["ShuffleClimb"]

# The shares of the examples that are tried; the best of them is a flat optimum.
SHARES = np.linspace(0.02, 1.0, 50)


class ShuffleClimb(TurnBased[Labels], ThroughMetric):
    r"""Exchange the labels of a random part of the best submission again and again.

    Averages over classes score random labels far above the best constant: macro F1 of five classes
    of 50, 25, 15, 7 and 3 % is 20 % for random labels in these shares, and 13 % for the majority.
    So the climb begins there, and keeps how often each class is called: labels are exchanged among
    a random share of the examples.

    With a value a lead above random ones, whose standard deviation is s, exchanging a share f costs
    f times the lead on average and varies by s sqrt(f (2 - f)), as in `RandomClimb`: the share with
    the best chance to rise by the board's step is used.

    Departures
    ----------
    Not in the paper: a climber for scores that are no accuracies.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the order of the labels comes from.
    metric
        A metric of labels.
    sizes
        How many examples each class has, or is expected to have; None: classes are equal.
    step
        By how much a score must rise to be shown; 0: any rise is.

    Examples
    --------
    >>> from holdfast import metrics, oracles, play
    >>> from holdfast.rules import Ladder
    >>> hidden = np.random.default_rng(1).choice(4, p=[.6, .2, .1, .1], size=1000)
    >>> board = oracles.MetricOracle(
    ...     hidden, metrics.F1Macro(), n_queries=100, mechanism=Ladder(0.01))
    >>> attack = ShuffleClimb(Problem(1000, 4, 100), rng=np.random.default_rng(0),
    ...     metric=metrics.F1Macro(), sizes=np.bincount(hidden), step=0.01)
    >>> found = metrics.F1Macro().score(hidden, play(attack, board))
    >>> found > metrics.F1Macro().score(hidden, np.zeros(1000, dtype=int)) + 0.1
    True
    """

    summary = "exchanges labels of the best submission"
    adaptive = True
    reads = Reads.NEW_BEST
    reads_decimals = False

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels of three classes or more, each with a denominator."""
        return (
            isinstance(metric, LabelMetric)
            and not isinstance(metric, F1)
            and metric.function_of is FunctionOf.CLASS_HITS
            and 2 < n_classes <= MOST_DENOMINATORS
        )

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> ShuffleClimb:
        """Make it for any board: it hears which look was the best."""
        n, m, _ = problem
        shares = np.full(m, 1.0 / m) if board.shares is None else np.array(board.shares)
        sizes = n * shares if board.sizes is None else np.array(board.sizes, dtype=np.float64)
        assert isinstance(board.metric, LabelMetric)
        return cls(problem, rng=rng, metric=board.metric, sizes=sizes, step=board.step)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metric: LabelMetric,
        sizes: NDArray[Any] | None = None,
        step: float = 0.0,
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, _ = self._problem
        self._metric, self._step = metric, step
        self._sizes = np.full(m, n / m) if sizes is None else np.asarray(sizes, dtype=np.float64)
        self._rng = np.random.default_rng(self._seed)
        called, self._random, self._spread = self._composition()
        self._best = self._rng.permutation(np.repeat(np.arange(m), called).astype(label_dtype(m)))
        self._trial = self._best
        self._standing = -math.inf

    def _query(self, index: int) -> Labels:
        self._trial = self._best.copy()
        if index:
            n = self._best.size
            rows = self._rng.choice(n, max(2, round(self._share() * n)), replace=False)
            self._trial[rows] = self._rng.permutation(self._trial[rows])
        return self._trial.copy()

    def _take(self, answer: float) -> None:
        if answer > self._standing:
            self._standing, self._best = answer, self._trial

    def _guess(self) -> Labels:
        return self._best.copy()

    def _share(self) -> float:
        """Return the share of the examples whose exchange rises by a step with the best chance."""
        lead = max(self._standing - self._random, 0.0)
        step = self._step or 1.0 / self._best.size
        needed = (step + SHARES * lead) / np.sqrt(SHARES * (2.0 - SHARES))
        return float(SHARES[np.argmin(needed)])

    def _composition(self) -> tuple[NDArray[Any], float, float]:
        """Return how often each class is called, and mean and deviation of such random values.

        As often as classes occur, or are equally often called, or between: where the luckiest of
        all looks would be expected.
        """
        n, _, k = self._problem
        found = []
        for power in (1.0, 0.5, 0.0):
            weights = self._sizes**power
            ends = np.rint(np.cumsum(weights) / weights.sum() * n).astype(np.int64)
            called = np.diff(ends, prepend=0)
            hits = self._sizes * called / n
            slopes = label_slopes(
                self._metric, tuple(self._sizes.tolist()), tuple(called.tolist()), True
            )
            mean = expected_label_value(self._metric, self._sizes, called.astype(float), hits)
            spread = math.sqrt(float(np.sum(slopes.by_label**2 * hits * (1.0 - self._sizes / n))))
            found.append((called, mean, spread))
        luck = math.sqrt(2.0 * math.log(k)) if k > 1 else 0.0
        return max(found, key=lambda each: each[1] + luck * each[2])
