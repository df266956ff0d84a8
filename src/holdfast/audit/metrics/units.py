"""Units of a metric's gains: points for what has two limits, the metric's own value for losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.audit.inputs.disclosure import (
    FEWEST_FOR_INTERVAL,
    ROUND_NUMBERS,
    RoundingUnit,
    reach_of,
    rounding_unit_for,
)
from holdfast.audit.inputs.reading import WIDEST_IN_POINTS
from holdfast.audit.inputs.request import DEFAULT_GAP, Request
from holdfast.audit.result import Interval, Knowledge, in_digits, unit_after
from holdfast.experiments.summary import Mean, mean_of
from holdfast.metrics import Accuracy, LabelMetric, Submission, TopKAccuracy

__all__ = ["Unit", "constant_value", "model_value", "start_value", "unit_for"]

# Gains of a loss are rounded to this share of what a constant submission has above none, and
# compared with a gap that is a hundredth of it.
SHARE_OF_LOSS = 0.01


@dataclass(frozen=True)
class Unit:
    """What gains are counted in.

    Attributes
    ----------
    name
        What follows a number: "points of f1", or "of log_loss".
    scale
        What a difference of two values is multiplied by.
    rounding_unit
        What every number computed from the labels is rounded to.
    constant
        The value of the best submission that needs no look, times the scale, rounded.
    gap
        The ranking gap that is tested, by default.
    too_few
        Whether there are too few examples for an interval.
    accuracy
        Where gains are those of accuracies, how far chance moves a score; None: they are not.
    perfect
        The gain of a perfect submission, times the scale: no interval ends above it.
    """

    name: str
    scale: float
    rounding_unit: float
    constant: float
    gap: float
    too_few: bool = False
    accuracy: RoundingUnit | None = None
    perfect: float = math.inf

    def number(self, value: float) -> str:
        """Return a number with its unit.

        >>> Unit("points of f1", 100.0, 1.0, 2.0, 1.0).number(1.0)
        '1 point of f1'
        """
        return f"{value:g} {self.name_of(value)}"

    def name_of(self, value: float) -> str:
        """Return what follows a number."""
        return unit_after(value, self.name)

    def measured(self, value: float) -> str:
        """Return a number that was computed from the labels with its unit: no digits but its own.

        >>> Unit("points of f1", 100.0, 0.5, 2.0, 1.0).measured(12.0)
        '12.0 points of f1'
        """
        return f"{in_digits(value, self.rounding_unit)} {self.name_of(value)}"

    def in_words(self, gain: Interval) -> str:
        """Return a gain with its interval and its unit; an interval of no width is left out.

        >>> points = Unit("points of f1", 100.0, 0.5, 2.0, 1.0)
        >>> points.in_words(Interval(12.0, 10.5, 13.5))
        '12.0 points of f1 (95 % interval 10.5 to 13.5)'
        >>> points.in_words(Interval(1.0, None, None))      # one play has no interval
        '1.0 point of f1'
        """
        text = self.measured(gain.mean)
        if gain.low is None or gain.high is None or gain.low == gain.high:
            return text
        low, high = (in_digits(end, self.rounding_unit) for end in (gain.low, gain.high))
        return f"{text} (95 % interval {low} to {high})"

    def round(self, value: float) -> float:
        """Return the nearest multiple of the rounding unit.

        Digits that arithmetic adds are cut off: three times 0.1 is 0.3.

        >>> unit = Unit("points of f1", 100.0, 0.1, 2.0, 1.0)
        >>> unit.round(0.32), unit.round_up(0.32)
        (0.3, 0.4)
        """
        return self._multiple(round(value / self.rounding_unit)) + 0.0

    def round_up(self, value: float) -> float:
        """Return the next multiple that is no less, as bounds are rounded."""
        return self._multiple(math.ceil(value / self.rounding_unit - 1e-9))

    def _multiple(self, count: int) -> float:
        return float(f"{count * self.rounding_unit:.10g}")

    def times(self, interval: Interval, worth: float) -> Interval:
        """Return what a gain is worth where it counts by a share."""
        ends = (None if end is None else self.round(worth * end) for end in interval.ends)
        return Interval(self.round(worth * interval.mean), *ends)

    def mean(self, gains: Sequence[float]) -> Mean:
        """Return the mean of plays; of one play of accuracies chance is at least binomial."""
        if len(gains) == 1 and self.accuracy is not None:
            return Mean(gains[0], 0.0)
        return mean_of(gains)

    def interval(self, gain: Mean, trials: int) -> Interval:
        """Return a mean gain in values of the metric and its 95 % interval, rounded.

        By Student's law for so many plays, and never above what a perfect submission gains. Gains
        of accuracies may be below nothing: an attack that starts from guesses may end below what is
        free (`from_here`).

        >>> points = Unit("points of f1", 100.0, 1.0, 2.0, 1.0, perfect=98.0)
        >>> points.interval(Mean(0.68, 0.13), trials=3)
        Interval(mean=68.0, low=12.0, high=98.0)
        """
        found = self._by_students_law(gain, trials)
        if found.high is None:
            return found
        most = (
            max(found.mean, self.round(self.perfect)) if math.isfinite(self.perfect) else found.high
        )
        return Interval(found.mean, found.low, min(found.high, most))

    def _by_students_law(self, gain: Mean, trials: int) -> Interval:
        if self.accuracy is not None:
            return self.accuracy.interval(gain, trials)
        mean = self.scale * gain.mean
        if self.too_few:
            whole = math.floor(mean / self.rounding_unit + 1e-9)
            return Interval(max(0.0, self._multiple(whole)), None, None)
        if not math.isfinite(gain.stderr):
            return Interval(max(0.0, self.round(mean)), None, None)
        reach = max(self.scale * reach_of(gain.stderr, trials), self.rounding_unit / 2.0)
        return Interval(*(max(0.0, self.round(mean + by)) for by in (0.0, -reach, reach)))

    def from_here(self, points: Interval) -> Interval:
        """Return a gain above what anybody submits who would end below it: never less than nothing.

        A guess has no such choice: above 1/m nothing is free that a guess does not have.
        """
        if self.accuracy is not None and self.accuracy.free is None:
            return points
        low, high = (None if end is None else max(0.0, end) for end in points.ends)
        return Interval(max(0.0, points.mean), low, high)


def unit_for(asked: Request) -> Unit:
    """Return the unit of an audit's gains, from what a constant submission scores.

    A metric with limits no further apart than `WIDEST_IN_POINTS` counts in points, hundredths of
    its values, rounded to about what chance moves a score by. A loss has no natural scale: what a
    constant has above none is the whole that can be gained, a hundredth of that is the step and
    the default gap, rounded up to 1, 2 or 5 times a power of ten. A mean absolute error of 7.4 for
    the best constant counts in steps of 0.1.
    """
    value, metric = constant_value(asked), asked.metric
    accuracy = asked.baseline.rounding_unit if isinstance(metric, Accuracy) else None
    best = metric.high if metric.higher_is_better else metric.low
    if metric.high - metric.low <= WIDEST_IN_POINTS:
        name = "points" if asked.display.plain else f"points of {metric}"
        scale, step, gap = 100.0, _points_step(asked), DEFAULT_GAP
    else:
        step = _nice(SHARE_OF_LOSS * max(abs(best - value), SHARE_OF_LOSS))
        name, scale, gap = f"of {metric}", 1.0, step
    constant = float(f"{round(scale * value / step) * step:.10g}")
    too_few = asked.labels.size < FEWEST_FOR_INTERVAL
    perfect = scale * abs(best - value)
    return Unit(name, scale, step, constant, gap, too_few, accuracy, perfect)


def constant_value(asked: Request) -> float:
    """Return the value of the best submission that is the same for every example.

    Of a constant everybody knows what the class shares tell, and nothing else. Where classes are
    unequal (`unequal_classes.baseline_of`) the best one can be named without a look. Where chance
    alone makes one class the most frequent, it takes looks to learn which: among constants that
    are equally good for classes of one size the value is their mean, for an accuracy 1/m. So a
    board has one baseline, whatever it shows beside its ranking.

    What is constant depends on what is submitted: the class with the best value for labels, the
    most frequent k classes for top-k lists, the class shares for probabilities (the best forecast
    of a proper loss), the better one of mean and median for numbers, no order at all for scores.
    """
    metric, hidden, m = asked.metric, asked.hidden, asked.problem.n_classes
    n, unequal = hidden.size, asked.baseline.unequal
    if isinstance(metric, LabelMetric):
        known = hidden if unequal else np.arange(m)
        told = [metric.score(known, np.full(known.size, label)) for label in range(m)]
        best = max(told) if metric.higher_is_better else min(told)
        ties = [label for label in range(m) if math.isclose(told[label], best, abs_tol=1e-12)]
        return float(np.mean([metric.score(hidden, np.full(n, label)) for label in ties]))
    if isinstance(metric, TopKAccuracy):
        if not unequal:
            return metric.k / m
        common = np.argsort(-np.bincount(hidden, minlength=m), kind="stable")[: metric.k]
        scores = [metric.score(hidden, np.tile(common, (n, 1)))]
    elif metric.takes is Submission.PROBABILITIES:
        shares = np.bincount(hidden, minlength=m) / n if unequal else np.full(m, 1.0 / m)
        row = np.tile(shares, (n, 1)) if m > 2 else np.full(n, shares[1])
        scores = [metric.score(hidden, row)]
    elif metric.takes is Submission.NUMBERS:
        middles = (hidden.mean(), np.median(hidden))
        scores = [metric.score(hidden, np.full(n, middle)) for middle in middles]
    else:
        scores = [metric.score(hidden, np.zeros(n))]
    return max(scores) if metric.higher_is_better else min(scores)


def model_value(asked: Request) -> float | None:
    """Return what the given models' best vote scores; None: there is no model."""
    if asked.beliefs is None:
        return None
    return asked.metric.score(asked.hidden, asked.beliefs.top())


def start_value(asked: Request, setting: Knowledge) -> float:
    """Return what gains are counted from: the best constant, or a model's own value if better."""
    free, model = constant_value(asked), model_value(asked)
    if setting != "model" or model is None:
        return free
    return max(free, model) if asked.metric.higher_is_better else min(free, model)


def _points_step(asked: Request) -> float:
    """Return what points are rounded to: about what chance moves a score by.

    A metric that averages over examples varies as an accuracy does; others with the rarest class,
    whose few examples decide.
    """
    if asked.metric.averages_examples:
        return asked.baseline.rounding_unit.points
    counts = np.bincount(asked.labels)
    rarest = max(2, int(counts[counts > 0].min()) * int(np.count_nonzero(counts)))
    return rounding_unit_for(rarest, 2).points


def _nice(finest: float) -> float:
    power = 10.0 ** math.floor(math.log10(finest))
    return next(each * power for each in ROUND_NUMBERS if each * power >= finest * (1.0 - 1e-9))
