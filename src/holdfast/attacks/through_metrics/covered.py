"""Metrics that some attack plays through, and why the others are not covered."""

from __future__ import annotations

from holdfast.attacks.through_metrics.registry import readers_of
from holdfast.errors import NotSupported
from holdfast.metrics import (
    F1,
    Clipped,
    LabelMetric,
    Metric,
    RocAuc,
    Submission,
    TopKAccuracy,
)
from holdfast.problem import Problem

__all__ = ["check_covered"]


def check_covered(metric: Metric, problem: Problem) -> None:
    """Raise `NotSupported`, with the reason, unless some attack plays through the metric.

    >>> from holdfast.metrics import AveragePrecision
    >>> check_covered(AveragePrecision(), Problem(100, 2, 5))
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: average_precision is not covered: no attack here reads what its \
values tell.
    """
    m, metric = problem.n_classes, metric.inner if isinstance(metric, Clipped) else metric
    if isinstance(metric, F1) and m > 2:
        raise NotSupported(
            f"{metric} is not covered: it is of one class against the other, and these labels have "
            f"{m}: f1_macro and f1_weighted are of all classes."
        )
    if isinstance(metric, TopKAccuracy):
        if m > metric.k:
            return
        reason = f"who names {metric.k} of {m} classes is always right"
    elif isinstance(metric, LabelMetric) or readers_of(metric, m):
        return
    elif isinstance(metric, RocAuc):
        reason = f"an area under a ROC curve is one of two classes, and these labels have {m}"
    elif metric.takes is Submission.LABEL_SETS:
        reason = "it scores sets of labels, and a label file has one label per example"
    else:
        reason = "no attack here reads what its values tell"
    raise NotSupported(f"{metric} is not covered: {reason}.")
