"""Forecasts of two probabilities: one for the class that a query names, another for the rest.

A loss of such a forecast falls by the same amount with every match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.metrics import LogLoss
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem

__all__ = ["LikelyOrNot"]

# A log-loss is clipped far above what one example costs here.
MOST_COST = 30.0


class LikelyOrNot:
    """A loss of probabilities, as far as two of them move it.

    Parameters
    ----------
    loss
        A metric of probabilities.
    row
        A forecast of the first class; the others share what is left.
    sizes
        The sizes of the classes, where they are public.
    """

    def __init__(
        self,
        loss: ProbabilityMetric,
        row: NDArray[np.float64],
        sizes: Sequence[int] | None = None,
    ) -> None:
        self._loss, self._row = loss, row
        costs = [float(cost) for cost in loss.costs(row)]
        self._hit, self._miss = costs[0], costs[1]
        self._sizes = sizes

    @classmethod
    def on(cls, problem: Problem, board: MetricBoard) -> LikelyOrNot:
        """Return it with probabilities as far apart as the board shows."""
        assert isinstance(board.metric, ProbabilityMetric)
        loss, m = board.metric, problem.n_classes
        sure = MOST_COST if isinstance(loss, LogLoss) else float(loss.costs(np.eye(m)[0])[1])
        most = min(sure, board.highest)
        if board.rounding and not board.noise:
            most = _on_grid(loss, board.rounding, most)
        return cls(loss, _pointed(loss, m, most), board.sizes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self._row.size

    @property
    def unit(self) -> float:
        """By how much the loss differs between no match and all."""
        return self._miss - self._hit

    def submitted(self, labels: Labels) -> NDArray[np.float64]:
        """Return the two probabilities of each example."""
        return self._forecast(labels, self._row)

    def accuracy(self, value: float) -> float:
        """Return the share of matches that a loss stands for."""
        return (self._miss - value) / self.unit

    def expected_loss(self, right: float) -> float:
        """Return what a guess costs that is right so often, and is submitted as sure as that."""
        hit, miss = (float(cost) for cost in self._loss.costs(self._equally(right))[:2])
        return right * hit + (1.0 - right) * miss

    def final(
        self, guess: Labels, sure: NDArray[np.bool_], accuracy: float | None
    ) -> NDArray[np.float64]:
        """Return what is proved, if anything is, or the guess, each class as likely as it seems.

        No probability is closer to 0 or 1 than half an example in n: a log-loss that is wrong once
        and sure is lost. With two classes whose sizes P and n - P are public, matches tell more
        than one share: of c called positive, (matches - n + c + P) / 2 are, since every match is a
        true positive or a true negative.
        """
        if sure.any():
            return self._sure_of(guess, sure)
        n, m = guess.size, self.n_classes
        least = 0.5 / n
        right = min(1.0 - least, max(1.0 / m, 1.0 / m if accuracy is None else accuracy))
        if m > 2 or self._sizes is None:
            return self._forecast(guess, self._equally(right))
        # Matches and the number of positives tell how many of those called positive are.
        called, positives = int(np.count_nonzero(guess)), self._sizes[1]
        hits = (right * n - n + called + positives) / 2.0
        hits = min(min(called, positives), max(0.0, called + positives - n, hits))
        of_called = hits / called if called else 0.0
        of_others = (positives - hits) / (n - called) if called < n else 0.0
        chances = np.where(guess == 1, of_called, of_others)
        found: NDArray[np.float64] = np.clip(chances, least, 1.0 - least)
        return found

    def _equally(self, right: float) -> NDArray[np.float64]:
        """Return a forecast that gives so much to the first class, and the others the rest."""
        m = self.n_classes
        row = np.full(m, (1.0 - right) / (m - 1))
        row[0] = right
        return row

    def _sure_of(self, labels: Labels, sure: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return a forecast that is sure of some labels, and of the rest as classes are left."""
        m = self.n_classes
        sizes = np.ones(m) if self._sizes is None else np.array(self._sizes, dtype=np.float64)
        if self._sizes is not None:
            sizes -= np.bincount(labels[sure], minlength=m)
        rows = np.tile(sizes / max(1.0, sizes.sum()), (labels.size, 1))
        rows[sure] = np.eye(m)[labels[sure]]
        found: NDArray[np.float64] = rows[:, 1] if m == 2 else rows
        return found

    def _forecast(self, labels: Labels, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities of each example: the row's first for its label."""
        found: NDArray[np.float64]
        if self.n_classes == 2:
            found = np.where(labels == 1, row[0], row[1])
            return found
        found = np.full((labels.size, self.n_classes), row[1])
        found[np.arange(labels.size), labels] = row[0]
        return found


def _on_grid(loss: ProbabilityMetric, rounding: float, most: float) -> float:
    """Return the largest cost up to a limit that rounding keeps, so that no match at all is shown.

    Rounded losses then stand for multiples of a rounded accuracy's step.
    """
    step = Fraction(repr(rounding))
    steps = math.floor(Fraction(most) / step)
    # A sure forecast has one Brier score, and no limit is needed; a log-loss is what one chooses.
    if steps == 0 or (not isinstance(loss, LogLoss) and steps * step != most):
        raise NotSupported(
            f"a miss costs {most:g}, which is no multiple of {rounding:g}, to which the rule "
            "rounds."
        )
    return float(steps * step)


def _pointed(loss: ProbabilityMetric, n_classes: int, most: float) -> NDArray[np.float64]:
    """Return a forecast of one class that costs no more than a limit if it is wrong.

    A log-loss of a class that is called impossible is infinite, or clipped: there the other classes
    keep exp(-most) each.

    >>> from holdfast.metrics import Brier
    >>> _pointed(Brier(), 3, 30.0).tolist(), _pointed(LogLoss(), 2, 2.0).round(3).tolist()
    ([1.0, 0.0, 0.0], [0.865, 0.135])
    """
    small = math.exp(-most) if isinstance(loss, LogLoss) else 0.0
    row = np.full(n_classes, small)
    row[0] = 1.0 - (n_classes - 1) * small
    return row
