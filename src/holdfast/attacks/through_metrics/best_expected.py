"""Submissions with the best expected value of a metric, for given beliefs about the labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.affine_forms import expected_label_value
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import LabelMetric, Metric, TopKAccuracy
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = ["best_submission", "expected_value"]

Floats = NDArray[np.float64]

# So many numbers of positives are compared, then so many around the best of them.
THRESHOLDS = 48
# Labels of several classes are improved so often, from each of the starts.
STEPS = 6


def best_submission(metric: Metric, chances: Floats, sizes: Floats) -> NDArray[np.generic]:
    """Return the submission that scores best on average.

    Chances are submitted as they are where losses of probabilities, or the order of scores, count.

    Parameters
    ----------
    metric
        One that has an affine form.
    chances
        How likely each example has each label.
    sizes
        How many examples each class has, or is expected to have.

    Examples
    --------
    Of F1 it is worth calling an example positive from half the best F1 on.

    >>> from holdfast.metrics import F1
    >>> likely = np.array([0.9, 0.4, 0.3, 0.1, 0.1, 0.1, 0.1])
    >>> best_submission(F1(), np.column_stack([1 - likely, likely]), np.array([5.0, 2.0])).tolist()
    [1, 1, 0, 0, 0, 0, 0]
    """
    n, m = chances.shape
    if isinstance(metric, ProbabilityMetric):
        sure = np.clip(chances, 0.5 / n, 1.0)
        sure /= sure.sum(axis=1, keepdims=True)
        return sure[:, 1] if m == 2 else sure
    if isinstance(metric, TopKAccuracy):
        order = np.argsort(-chances, axis=1, kind="stable")[:, : metric.k]
        return order.astype(label_dtype(m))
    if not isinstance(metric, LabelMetric):
        return chances[:, 1].copy()
    return _two_classes(metric, chances, sizes) if m == 2 else _classes(metric, chances, sizes)


def expected_value(metric: LabelMetric, labels: Labels, chances: Floats, sizes: Floats) -> float:
    """Return what labels score if as many are right as chances say."""
    m = sizes.size
    right = chances[np.arange(labels.size), labels]
    called = np.bincount(labels, minlength=m).astype(np.float64)
    return expected_label_value(metric, sizes, called, np.bincount(labels, right, minlength=m))


def _two_classes(metric: LabelMetric, chances: Floats, sizes: Floats) -> Labels:
    """Call the likeliest examples positive, as many as score best."""
    n = len(chances)
    order = np.argsort(-chances[:, 1], kind="stable")
    hits = np.concatenate([[0.0], np.cumsum(chances[order, 1])])

    def of(called: int) -> float:
        both = float(hits[called])
        right = np.array([sizes[0] - called + both, both])
        return expected_label_value(metric, sizes, np.array([n - called, called], float), right)

    spaced = np.rint(np.geomspace(1, n, THRESHOLDS)).astype(int)
    options = np.unique(np.concatenate([[0], spaced, n - spaced]))
    values = [of(int(each)) for each in options]
    at = int(np.argmax(values))
    low, high = options[max(0, at - 1)], options[min(len(options) - 1, at + 1)]
    finer = np.unique(np.rint(np.linspace(low, high, THRESHOLDS)).astype(int))
    called = max([int(options[at]), *finer.tolist()], key=of)
    labels: Labels = np.zeros(n, dtype=np.uint8)
    labels[order[:called]] = 1
    return labels


def _classes(metric: LabelMetric, chances: Floats, sizes: Floats) -> Labels:
    """Give each example the label that adds most, until no step improves the expected value.

    What a label adds is the slope of the value in the number called so, plus its chance times the
    slope in hits: the first-order condition of the best labels.
    """
    n, m = chances.shape
    kind = label_dtype(m)
    starts = [chances, chances / np.maximum(sizes, 1.0), chances / np.sqrt(np.maximum(sizes, 1.0))]
    best: Labels = np.full(n, int(sizes.argmax()), dtype=kind)
    best_value = expected_value(metric, best, chances, sizes)
    for start in starts:
        labels: Labels = start.argmax(axis=1).astype(kind)
        value = expected_value(metric, labels, chances, sizes)
        for step in range(STEPS):
            if value > best_value:
                best, best_value = labels, value
            elif step:
                break
            per_call, per_hit = _slopes(metric, labels, chances, sizes, value)
            labels = (per_call + per_hit * chances).argmax(axis=1).astype(kind)
            value = expected_value(metric, labels, chances, sizes)
    return best


def _slopes(
    metric: LabelMetric, labels: Labels, chances: Floats, sizes: Floats, value: float
) -> tuple[Floats, Floats]:
    """Return how a value rises with one example more called, and one hit more, of each class."""
    m = sizes.size
    called = np.bincount(labels, minlength=m).astype(np.float64)
    hits = np.bincount(labels, chances[np.arange(labels.size), labels], minlength=m)
    per_call, per_hit = np.zeros(m), np.zeros(m)
    one_denominator = metric.function_of is not FunctionOf.CLASS_HITS
    for label in range(m):
        # All examples are called something: the others are called their labels a little less often.
        more = called * (1.0 - 1.0 / labels.size)
        more[label] += 1.0
        per_call[label] = expected_label_value(metric, sizes, more, hits) - value
        if label and one_denominator:
            per_hit[label] = per_hit[0]
            continue
        both = hits.copy()
        both[label] += 1.0
        per_hit[label] = expected_label_value(metric, sizes, called, both) - value
    return per_call, per_hit
