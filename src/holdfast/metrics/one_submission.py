"""One submission for several metrics: the richest that they take, and what each reads of it.

A board that shows a log-loss, an area and F1 takes probabilities, and reads the rest off them:

- scores are the probabilities of class 1;
- a label is the likeliest class, the lowest of equally likely ones;
- K labels are the K likeliest classes, the likeliest first, lower ones before equally likely ones;
- of K labels, fewer are the first ones, and one label is the first.

A board of scores and labels, with no metric of probabilities, takes probabilities all the same:
scores alone say no label. Numbers and sets of labels are about other hidden truth than labels are,
and go with nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import label_dtype
from holdfast.metrics.base import Metric, Submission
from holdfast.metrics.labels import TopKAccuracy
from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = ["embedded", "read_of", "taker_for"]

ALONE = (Submission.NUMBERS, Submission.LABEL_SETS)


def taker_for(metrics: Sequence[Metric]) -> Metric:
    """Return a metric whose submission says all that these take: who checks what is handed in.

    >>> from holdfast.metrics import F1, Accuracy, LogLoss, RocAuc
    >>> taker_for([Accuracy(), TopKAccuracy(5), TopKAccuracy(3)])
    TopKAccuracy(k=5)
    >>> taker_for([RocAuc(), F1()]).takes is taker_for([F1(), LogLoss()]).takes
    True
    """
    first, kinds = metrics[0], {metric.takes for metric in metrics}
    for metric in metrics:
        if metric.takes is not first.takes and {metric.takes, first.takes} & set(ALONE):
            raise InvalidInput(
                f"metrics of one look must be about the same hidden truth: {first} takes "
                f"{first.takes.value}, {metric} takes {metric.takes.value}."
            )
    if kinds <= {Submission.LABELS, Submission.RANKED_LABELS}:
        return max(metrics, key=_named_labels)
    return first if len(kinds) == 1 else ProbabilityMetric()


def read_of(submission: Any, taker: Metric, metric: Metric) -> Any:
    """Return what a metric takes, of a checked submission that says more.

    >>> rows = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    >>> from holdfast.metrics import Accuracy
    >>> read_of(rows, ProbabilityMetric(), Accuracy()).tolist()
    [1, 0]
    >>> read_of(rows, ProbabilityMetric(), TopKAccuracy(2)).tolist()
    [[1, 2], [0, 1]]
    """
    if taker.takes is Submission.RANKED_LABELS:
        k = _named_labels(metric)
        return np.ascontiguousarray(submission[:, 0] if not k else submission[:, :k])
    if taker.takes is metric.takes or taker.takes is not Submission.PROBABILITIES:
        return submission
    if metric.takes is Submission.SCORES:
        return np.ascontiguousarray(submission[:, 1])
    kind = label_dtype(submission.shape[1])
    if metric.takes is Submission.LABELS:
        return submission.argmax(axis=1).astype(kind)
    order = np.argsort(-submission, axis=1, kind="stable")
    return order[:, : _named_labels(metric)].astype(kind)


def embedded(submission: Any, metric: Metric, taker: Metric, n_classes: int) -> Any:
    """Return a richer submission of which a metric reads just this one: `read_of`, backwards.

    Scores keep their order and their ties; those beyond [0, 1] become ranks.

    >>> from holdfast.metrics import Accuracy
    >>> embedded(np.array([2, 0]), Accuracy(), TopKAccuracy(2), 3).tolist()
    [[2, 0], [0, 1]]
    """
    given = np.asarray(submission)
    if taker.takes is Submission.RANKED_LABELS:
        return _filled_up(given.reshape(len(given), -1), _named_labels(taker), n_classes)
    if taker.takes is not Submission.PROBABILITIES:
        return given
    if metric.takes is Submission.SCORES or (given.ndim == 1 and metric.takes is taker.takes):
        likely = _as_chances(given)
        return np.column_stack([1.0 - likely, likely])
    if metric.takes is taker.takes:
        return given
    labels = given.reshape(len(given), -1).astype(np.intp)
    k = labels.shape[1]
    rows = np.zeros((len(given), n_classes))
    falling = np.arange(k, 0, -1.0)
    np.put_along_axis(rows, labels, falling / falling.sum(), axis=1)
    return rows


def _named_labels(metric: Metric) -> int:
    """Return how many labels of each example a metric takes in order; 0: one, or no labels."""
    inner = metric.inside
    return inner.k if isinstance(inner, TopKAccuracy) else 0


def _as_chances(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if scores.min() >= 0.0 and scores.max() <= 1.0:
        return scores
    found, places = np.unique(scores, return_inverse=True)
    return places / max(1, found.size - 1)


def _filled_up(labels: NDArray[Any], k: int, n_classes: int) -> NDArray[Any]:
    """Return K different labels per example, of which the first are given."""
    given = labels.shape[1]
    if given >= k:
        return labels
    if given == 1:
        return (labels.astype(np.int64) + np.arange(k)) % n_classes
    named = np.zeros((len(labels), n_classes), dtype=np.bool_)
    np.put_along_axis(named, labels.astype(np.intp), True, axis=1)
    others = np.argsort(named, axis=1, kind="stable")[:, : k - given]
    return np.concatenate([labels, others], axis=1)
