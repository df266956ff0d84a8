"""Climbers in an audit of a metric: attacks that know no more than which look was the best."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from holdfast.attacks.description import Described, Needs, Reads
from holdfast.attacks.registry import attack_types
from holdfast.attacks.through_metrics.description import label_metric
from holdfast.audit.metrics.match_counts import informed_attack
from holdfast.audit.metrics.starts import Start
from holdfast.metrics import Accuracy, LabelMetric, Metric, RocAuc
from holdfast.metrics.confusion import two_class_counts

__all__ = ["climbers"]

# Class shares are compared as counts of so many examples.
SHARES_OF = 1000
# Positives below this share are rare.
RARE = 0.05
# Shares of two classes of which nothing is known.
EVEN = (0.5, 0.5)


def climbers(
    metric: Metric, start: Start, n_classes: int
) -> list[tuple[type[Described], Callable[..., Any]]]:
    """Return attacks on labels that need a new best alone, each with what makes it.

    None of them reads a metric: they play wherever labels are scored, and keep a change if the
    value is no worse. Their steps are made for accuracies, where parts of equal size count alike.

    Parameters
    ----------
    metric
        What the board shows; other than labels and scores, none climbs.
    start
        What is known: from a model climb those that need one, from anything less those that don't.
    n_classes
        Of two classes some climb from the best constant as well, if that is not the majority.
    """
    # Who knows nothing plays the planned attack on accuracies, which climbs where that is best.
    if not isinstance(metric, LabelMetric | RocAuc) or (
        isinstance(metric, Accuracy) and start.nothing
    ):
        return []
    # From a model alone those that start from one, from anything less those that need none.
    found = _climbing(Needs.PRIOR if start.model else None, start)
    if not isinstance(metric, Accuracy) and not start.model and n_classes == 2:
        found += _from_constant(label_metric(metric), start.shares or EVEN)
    return found


def _climbing(
    needs: Needs | None, start: Start
) -> list[tuple[type[Described], Callable[..., Any]]]:
    """Return all registered attacks that climb, are strong somewhere, and need just this."""
    return [
        (cls, partial(informed_attack, cls=cls, start=start))
        for cls in attack_types()
        if cls.reads is Reads.NEW_BEST and cls.strongest_on and cls.needs is needs
    ]


def _from_constant(
    metric: LabelMetric, shares: tuple[float, ...]
) -> list[tuple[type[Described], Callable[..., Any]]]:
    """Return climbers from the best constant submission, where that is not the majority class.

    F1 of everything called positive is above that of nothing: with three positives in ten 46
    points to 0, although the majority is negative. Where positives are rare, small parts are added
    to nothing instead, which is steeper: 10 found among 100 called, of 50 in all, are already 13
    points.
    """
    n = SHARES_OF
    positives = round(n * shares[1])
    none, every = (
        metric.from_counts(two_class_counts(n, positives, called, hits))
        for called, hits in ((0, 0), (n, positives))
    )
    best = int(every > none)
    if every == none or shares[best] > 0.5 or shares[best] < RARE:
        return []
    # Barely likelier than the other class: a start, and no belief.
    return _climbing(Needs.PRIOR, Start(shares=(0.49, 0.51) if best else (0.51, 0.49)))
