"""Metrics of two labels behind what is shown: the area under the ROC curve is one of them."""

from __future__ import annotations

from holdfast.metrics import Accuracy, BalancedAccuracy, LabelMetric, Metric, RocAuc

__all__ = ["label_metric", "scores_two_classes"]


def label_metric(metric: Metric) -> LabelMetric:
    """Return the metric of labels whose value is shown for a submission of labels 0 and 1.

    With two scores only, the area under the ROC curve is the balanced accuracy.

    >>> str(label_metric(RocAuc()))
    'balanced_accuracy'
    """
    shown = BalancedAccuracy() if isinstance(metric, RocAuc) else metric
    assert isinstance(shown, LabelMetric)
    return shown


def scores_two_classes(metric: Metric, n_classes: int) -> bool:
    """Tell whether labels of two classes get another value than their accuracy."""
    kinds = isinstance(metric, LabelMetric | RocAuc) and not isinstance(metric, Accuracy)
    return n_classes == 2 and kinds
