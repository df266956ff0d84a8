"""Gain against looks on a board that shows a metric: the strongest attack of each show.

Other than for accuracies no attack is followed: at each number of looks the curve has whichever is
strongest there, since through a metric the one that proves labels overtakes late and suddenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.audit.metrics.measurer import MetricMeasurer, through
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.scenarios.curve import log_spaced

__all__ = ["fewer_looks", "metric_curve", "rising"]

# Numbers of looks with a point, today's among them, over a factor of thirty.
N_LOOKS = 4
FEWEST_OF = 30


def fewer_looks(looks: int) -> tuple[int, ...]:
    """Return the numbers of looks that are played besides today's.

    >>> fewer_looks(300)
    (10, 31, 97)
    """
    return log_spaced(max(2, looks // FEWEST_OF), looks, N_LOOKS)[:-1]


def metric_curve(measurer: MetricMeasurer, gains: Sequence[MetricGain]) -> tuple[MetricGain, ...]:
    """Play all attacks at fewer looks; their gains today are given.

    Returns
    -------
    tuple of MetricGain
        Show by show, and within a show by looks.
    """
    rule = measurer.asked.request.rule
    at_fewer = [
        measurer.suite("gain against looks", rule, count) for count in fewer_looks(measurer.looks)
    ]
    return tuple(
        best
        for show in measurer.asked.shows
        for best in rising([through(each, show) for each in [*at_fewer, gains]])
    )


def rising(gains: Sequence[MetricGain]) -> list[MetricGain]:
    """Return gains at more and more looks, none below the one before it.

    Who has more looks may leave some unused: a mean that falls is chance, and the attack with fewer
    looks stands in its place. Numbers of looks at which nothing plays are left out.

    >>> two = [MetricGain("total only", "lattice", "f1", looks, 4, 9.0 - looks) for looks in (2, 8)]
    >>> [(each.looks, each.gain) for each in two], [(each.looks, each.gain) for each in rising(two)]
    ([(2, 7.0), (8, 1.0)], [(2, 7.0), (8, 7.0)])
    """
    best: list[MetricGain] = []
    for each in gains:
        before = best[-1] if best else each
        less = (each.gain or 0.0) < (before.gain or 0.0)
        best.append(replace(before, looks=each.looks) if less else each)
    return [each for each in best if each.gain is not None]
