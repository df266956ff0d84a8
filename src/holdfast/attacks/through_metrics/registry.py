"""Attacks through a metric by what they read: those that `holdfast.attacks.through_metrics` has."""

from __future__ import annotations

from holdfast.attacks import through_metrics
from holdfast.attacks.through_metrics.description import ThroughMetric
from holdfast.metrics import Metric

__all__ = ["metric_attacks", "readers_of"]


def metric_attacks() -> list[type[ThroughMetric]]:
    """Return the package's attacks through a metric.

    >>> [cls.name for cls in metric_attacks()][:2]
    ['by-group', 'class-pools']
    """
    found = [each for each in vars(through_metrics).values() if isinstance(each, type)]
    return [each for each in found if issubclass(each, ThroughMetric)]


def readers_of(metric: Metric, n_classes: int) -> list[type[ThroughMetric]]:
    """Return the attacks that read values of this metric without any other attack.

    >>> from holdfast.metrics import LogLoss, RocAuc
    >>> [cls.name for metric in (LogLoss(), RocAuc()) for cls in readers_of(metric, 2)]
    ['digits', 'graded']
    """
    return [cls for cls in metric_attacks() if cls.reads_metric(metric, n_classes)]
