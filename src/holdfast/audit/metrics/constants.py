"""The best constant where an attack knows nothing: its final submission in an audit of a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.description import ThroughMetric
from holdfast.attacks.through_metrics.label_metrics import label_metric
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.audit.metrics.best_class_elsewhere import BestClassElsewhere
from holdfast.audit.metrics.constant_elsewhere import ConstantElsewhere
from holdfast.audit.metrics.median_in_range import MedianInRange
from holdfast.metrics import LabelMetric, Metric, RocAuc
from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = ["with_best_constant"]


def with_best_constant(
    attack: Any,
    cls: type[ThroughMetric],
    metric: Metric,
    hidden: NDArray[Any],
    shares: tuple[float, ...] | None,
    ranks: Metric,
) -> Any:
    """Let an attack submit the best constant wherever it has read nothing.

    The best constant is the metric's: class shares for probabilities, the mean for squared errors,
    the median for absolute ones, and of labels the class with the best value of the metric that
    ranks. It is public, or one look at a constant tells it.

    Gains count from that constant, so an attack that has read nothing yet must end at it: one that
    submitted a coin flip elsewhere would seem to lose by looking.

    Parameters
    ----------
    attack
        The attack, ready to play.
    cls
        What it says of itself: whether it proves labels, or narrows targets down.
    metric
        The one that it reads.
    hidden
        All targets; of them the mean, or the values in a range, are used.
    shares
        The class shares, where classes are unequal.
    ranks
        The metric that ranks, which may be another one.
    """
    if attack.tells_class_sizes and isinstance(ranks, LabelMetric | RocAuc):
        return BestClassElsewhere(attack, label_metric(ranks))
    if cls.narrows:
        return MedianInRange(attack, hidden)
    if not cls.proves_labels:
        return attack
    if isinstance(metric, SQUARED):
        return ConstantElsewhere(attack, float(np.mean(hidden)))
    if isinstance(metric, ProbabilityMetric) and shares is not None:
        row = np.asarray(shares)
        return ConstantElsewhere(attack, row if row.size > 2 else row[1])
    return attack
