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
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import NotSupported
from holdfast.metrics import R2, Clipped, MeanAbsoluteError, Metric, RootMeanSquaredError

__all__ = ["AbsoluteErrors", "Errors", "SquaredErrors", "errors_of"]

EQUAL_TARGETS = "all targets are equal: there is nothing to learn."
# Distances from the median among which the last submission's is chosen, in mean errors of it.
DISTANCES = tuple(each / 4.0 for each in range(9))


class Errors(Protocol):
    """A metric of errors, as far as signs beside a centre move it.

    Attributes
    ----------
    centre
        What numbers lie beside.
    away
        How far from it they are asked.
    unit
        By how much the metric differs between all signs right and all wrong, about.
    """

    centre: float
    away: float
    unit: float

    def along(self, value: float) -> float:
        """Return how well signs follow the targets, from -1 to 1, by the value that they have."""

    def best_away(self, along: float) -> float:
        """Return how far from the centre signs that follow the targets so well cost least."""


class SquaredErrors:
    """Mean squared error, its root, or R2, of targets with a mean and a variance."""

    def __init__(self, metric: Metric, mean: float, variance: float) -> None:
        if variance == 0.0:
            raise NotSupported(EQUAL_TARGETS)
        inner = metric.inner if isinstance(metric, Clipped) else metric
        self._is_r2, self._is_root = isinstance(inner, R2), isinstance(inner, RootMeanSquaredError)
        self.centre, self._spread = mean, math.sqrt(variance)
        # The worst of all guesses must not be clipped: it costs (1 + away)^2 variances.
        most = 1.0 - metric.low if self._is_r2 else self._in_variances(metric.high)
        self._away = min(1.0, math.sqrt(most) - 1.0)
        if self._away <= 0.0:
            raise NotSupported("the range to which errors are clipped hides those of constants.")
        self.away = self._away * self._spread
        self.unit = 4.0 * self._away * (1.0 if self._is_r2 else variance)
        if self._is_root:
            # The slope of a root where signs are right as often as not.
            self.unit /= 2.0 * self._spread * math.sqrt(1.0 + self._away**2)

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


class AbsoluteErrors:
    """Mean absolute error of targets."""

    def __init__(self, metric: Metric, targets: NDArray[np.float64]) -> None:
        self.centre = float(np.median(targets))
        self._beside = np.abs(targets - self.centre)
        self.away = float(self._beside.mean())
        if self.away == 0.0:
            raise NotSupported(EQUAL_TARGETS)
        # All wrong costs the mean of |u| + d, twice the least that a constant costs.
        if metric.high < 2.0 * self.away:
            raise NotSupported("the range to which errors are clipped hides those of constants.")
        self.unit = 2.0 * self._most(self.away)

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


def errors_of(metric: Metric, targets: NDArray[np.float64]) -> Errors:
    """Return what signs are worth by a metric of errors, of these targets."""
    inner = metric.inner if isinstance(metric, Clipped) else metric
    if isinstance(inner, MeanAbsoluteError):
        return AbsoluteErrors(metric, targets)
    return SquaredErrors(metric, float(np.mean(targets)), float(np.var(targets)))
