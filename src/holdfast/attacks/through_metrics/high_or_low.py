"""Errors of numbers that call each target high or low, as accuracies in other units.

All numbers are submitted d above or below a centre. Then an error falls in proportion to how well
the signs s follow the targets t:

- with the mean mu and the variance V, the mean squared error is V + d^2 - 2 d C, where C is the
  mean of (t - mu) s;
- with the median and u = t - median, the mean absolute error is M - C, where M is the mean of
  max(|u|, d) and C that of sign(u) min(|u|, d) s.

So it is to C what a loss is to the matches. M and the largest C follow from the errors of three
constants, the median and d above and below it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.metrics import R2, MeanAbsoluteError, MeanSquaredError, RootMeanSquaredError

__all__ = ["ERRORS", "AbsoluteErrors", "HighOrLow", "SquaredErrors", "errors_of"]

ERRORS = (MeanSquaredError, RootMeanSquaredError, R2, MeanAbsoluteError)
EQUAL_TARGETS = "all targets are equal: there is nothing to learn."
HIDDEN_RANGE = "the range to which errors are clipped hides those of constants."
# Distances from the median among which the last submission's is chosen, in mean errors of it.
DISTANCES = tuple(each / 4.0 for each in range(9))


class HighOrLow:
    """A metric of errors, as far as signs beside a centre move it.

    Parameters
    ----------
    centre
        What numbers lie beside.
    away
        How far from it they are asked.
    unit
        By how much the metric differs between all signs right and all wrong, about.
    """

    n_classes = 2

    def __init__(self, centre: float, away: float, unit: float) -> None:
        self.centre, self.away, self.unit = centre, away, unit

    def along(self, value: float) -> float:
        """Return how well signs follow the targets, from -1 to 1, by the value that they have."""
        raise NotImplementedError

    def best_away(self, along: float) -> float:
        """Return how far from the centre signs that follow the targets so well cost least."""
        raise NotImplementedError

    def submitted(self, labels: Labels) -> NDArray[np.float64]:
        """Return the two numbers of a query."""
        return self._numbers(labels, self.away)

    def accuracy(self, value: float) -> float:
        """Return the accuracy that an error stands for."""
        return (1.0 + self.along(value)) / 2.0

    def final(
        self,
        guess: Labels,
        sure: NDArray[np.bool_],  # noqa: ARG002 - of two made-up classes nothing is proved
        accuracy: float | None,
    ) -> NDArray[np.float64]:
        """Return the numbers that cost least for so many that are called right."""
        away = 0.0 if accuracy is None else self.best_away(2.0 * accuracy - 1.0)
        return self._numbers(guess, away)

    def _numbers(self, labels: Labels, away: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.centre + np.where(labels == 1, away, -away)
        return found


class SquaredErrors(HighOrLow):
    """Mean squared error, its root, or R2, of targets with a mean and a variance."""

    def __init__(self, board: MetricBoard, mean: float, variance: float) -> None:
        if variance == 0.0:
            raise NotSupported(EQUAL_TARGETS)
        self._is_r2 = isinstance(board.metric, R2)
        self._is_root = isinstance(board.metric, RootMeanSquaredError)
        self._spread = math.sqrt(variance)
        # The worst of all guesses must not be clipped: it costs (1 + away)^2 variances.
        most = 1.0 - board.lowest if self._is_r2 else self._in_variances(board.highest)
        self._away = min(1.0, math.sqrt(most) - 1.0)
        if self._away <= 0.0:
            raise NotSupported(HIDDEN_RANGE)
        unit = 4.0 * self._away * (1.0 if self._is_r2 else variance)
        if self._is_root:
            # The slope of a root where signs are right as often as not.
            unit /= 2.0 * self._spread * math.sqrt(1.0 + self._away**2)
        super().__init__(mean, self._away * self._spread, unit)

    def along(self, value: float) -> float:
        """Return C in standard deviations."""
        return (1.0 + self._away**2 - self._in_variances(value)) / (2.0 * self._away)

    def best_away(self, along: float) -> float:
        """Return C itself, which costs V - C^2."""
        return min(1.0, max(0.0, along)) * self._spread

    def _in_variances(self, value: float) -> float:
        if self._is_r2:
            return 1.0 - value
        return (value / self._spread) ** 2 if self._is_root else value / self._spread**2


class AbsoluteErrors(HighOrLow):
    """Mean absolute error of targets."""

    def __init__(self, board: MetricBoard, targets: NDArray[np.float64]) -> None:
        centre = float(np.median(targets))
        self._beside = np.abs(targets - centre)
        away = float(self._beside.mean())
        if away == 0.0:
            raise NotSupported(EQUAL_TARGETS)
        # All wrong costs the mean of |u| + d, twice the least that a constant costs.
        if board.highest < 2.0 * away:
            raise NotSupported(HIDDEN_RANGE)
        super().__init__(centre, away, 2.0 * self._most(away))

    def along(self, value: float) -> float:
        """Return C by the largest that it can be."""
        return (self._level(self.away) - value) / self._most(self.away)

    def best_away(self, along: float) -> float:
        """Return the best of a few distances, were signs right as often at all of them."""
        able = [each * self.away for each in DISTANCES]
        return min(able, key=lambda away: self._level(away) - along * self._most(away))

    def _level(self, away: float) -> float:
        return float(np.mean(np.maximum(self._beside, away)))

    def _most(self, away: float) -> float:
        return float(np.mean(np.minimum(self._beside, away)))


def errors_of(board: MetricBoard) -> HighOrLow:
    """Return what signs are worth by the board's metric of errors, whose targets are public."""
    assert board.targets is not None
    targets = board.targets.astype(np.float64)
    if isinstance(board.metric, MeanAbsoluteError):
        return AbsoluteErrors(board, targets)
    return SquaredErrors(board, float(np.mean(targets)), float(np.var(targets)))
