"""Disclosure control: the rounding of all figures that were computed from hidden labels.

A page that shows the exact score of a known submission is itself a look. So every number that was
computed from the labels is rounded to a unit: about a quarter of the standard deviation of a
guess's score, and never less than one example.

What a figure still tells. A score that varies with standard deviation s tells log2(sqrt(2 pi e) s)
bits if it is exact, s in examples, and log2(sqrt(2 pi e) / u) if it is rounded to a unit of u
deviations: about 4 bits for u = 1/4. With 10,000 examples of ten classes s is 30 examples or 0.3
points, the unit 0.1 points, and a figure of one play tells 3.6 bits instead of 7. Most figures are
means of several plays, and no score of any submission.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from holdfast.audit.result import Interval
from holdfast.experiments.summary import Mean

__all__ = [
    "FEWEST_FOR_INTERVAL",
    "NORMAL_95",
    "RoundingUnit",
    "reach_of",
    "rounding_unit_for",
]

ROUND_NUMBERS = (1.0, 2.0, 5.0, 10.0)
# Chosen by reasoning, not measured: as coarse as a reader does not notice. Rounding to a unit of u
# deviations has an error of u/sqrt(12) of them, 0.07 for a quarter, which widens the chance of one
# score by 0.3 %; a whole deviation would widen it by 4 %. Each halving would tell one bit more.
DEVIATIONS_PER_UNIT = 0.25
# Standard errors on each side of a mean that a normal interval of 95 % has.
NORMAL_95 = 1.96
# Of fewer examples than this, one is worth more than three points: a gain that is rounded to whole
# examples can't have an interval that says anything.
FEWEST_FOR_INTERVAL = 30


def reach_of(stderr: float, trials: int) -> float:
    """Return the half-width of a 95 % interval of the mean of so many plays, by Student's law.

    The spread of a few plays is itself uncertain: of four plays 3.18 standard errors, not 1.96.

    >>> [round(reach_of(1.0, trials), 2) for trials in (2, 4, 6, 64)]
    [12.71, 3.18, 2.57, 2.0]
    """
    return float(stdtrit(max(1, trials - 1), 0.975)) * stderr


@dataclass(frozen=True)
class RoundingUnit:
    """Rounds to multiples of `points`; knows how far chance moves a score of the test set.

    Parameters
    ----------
    points
        The unit, in percentage points.
    n_examples, n_classes
        The scored part.
    free
        The accuracy that gains count from, if not 1/m: the majority's share.

    Examples
    --------
    >>> RoundingUnit(0.2, n_examples=1000, n_classes=10).round(1.27)
    1.2
    """

    points: float
    n_examples: int
    n_classes: int
    free: float | None = None

    def round(self, value: float) -> float:
        """Return the nearest multiple, without the digits that arithmetic adds."""
        if not math.isfinite(value):
            return value
        digits = max(0, 2 - math.floor(math.log10(self.points)))
        return round(round(value / self.points) * self.points, digits) + 0.0

    def interval(self, bias: Mean, trials: int, *, worth: float = 1.0) -> Interval:
        """Return an accuracy's mean and 95 % interval in points, times `worth`, rounded.

        By Student's law, and since a few trials may agree by luck, no narrower than binomial
        numbers would have. A gain above a majority class is a mean of numbers -1, 0 and 1, one per
        example: they vary least if all that are not 0 have the same sign, and one of them at least
        may have changed.

        Parameters
        ----------
        bias
            Mean gain and its standard error, as accuracies.
        trials
            Plays that the mean is of.
        worth
            Share of a gain that counts, as `judgement.verdict.worth` says.

        Examples
        --------
        Four plays of 1,000 examples gained 1.23 points each but for 0.01. Their agreement is luck:
        at an accuracy of 11 % the mean of four scores has a standard error of 0.5 points.

        >>> rounding_unit_for(1000, 10).interval(Mean(0.0123, 0.0001), trials=4)
        Interval(mean=1.0, low=0.5, high=2.0)

        Six examples are too few for an interval, and the mean is rounded toward nothing.

        >>> rounding_unit_for(6, 2).interval(Mean(0.34, 0.02), trials=4)
        Interval(mean=20.0, low=None, high=None)
        """
        if self.n_examples < FEWEST_FOR_INTERVAL:
            toward_nothing = math.trunc(100.0 * worth * bias.mean / self.points + 1e-9)
            return Interval(self.round(self.points * toward_nothing), None, None)
        if not math.isfinite(bias.stderr):
            return Interval(self.round(100.0 * worth * bias.mean), None, None)
        share = min(1.0, max(0.0, 1.0 / self.n_classes + bias.mean))
        if self.free is not None:
            share = min(1.0, max(abs(bias.mean), 1.0 / self.n_examples))
        binomial = math.sqrt(share * (1.0 - share) / (self.n_examples * trials))
        mean = 100.0 * worth * bias.mean
        reach = 100.0 * worth * max(reach_of(bias.stderr, trials), NORMAL_95 * binomial)
        return Interval(self.round(mean), self.round(mean - reach), self.round(mean + reach))


def rounding_unit_for(n_examples: int, n_classes: int, free: float | None = None) -> RoundingUnit:
    """Return the unit for a test set: 1, 2 or 5 times a power of ten, rounded upward.

    `free` is the share of the majority class where gains count from it: its score varies, too,
    and the unit is that of the larger deviation.

    >>> [rounding_unit_for(n, m).points for n, m in ((10_000, 10), (900, 10), (50_000, 1000))]
    [0.1, 0.5, 0.005]
    """
    guesses = [1.0 / n_classes] if free is None else [1.0 / n_classes, free]
    deviation = 100.0 * math.sqrt(max(p * (1.0 - p) for p in guesses) / n_examples)
    finest = max(DEVIATIONS_PER_UNIT * deviation, 100.0 / n_examples)
    power = 10.0 ** math.floor(math.log10(finest))
    nice = next(each * power for each in ROUND_NUMBERS if each * power >= finest * (1.0 - 1e-9))
    return RoundingUnit(float(f"{nice:.3g}"), n_examples, n_classes, free)
