"""Values of metrics as affine functions of the hidden labels, once class sizes are known.

Write x[i, c] = 1 if example i has label c, else 0. For a given submission s a value is

    value = constant + sum over i, c of weights[i, c] x[i, c].

- **Metrics of labels.** With T_c the number of examples of class c that are called c, the value is
  a + sum_c w_c T_c: F1, precision, recall, kappa, the Matthews correlation and their averages have
  denominators that class sizes and s determine. So weights[i, c] = w_c if s[i] = c, else 0.
- **Area under the ROC curve.** (sum of the positives' midranks - P (P + 1) / 2) / (P N), of P
  positives and N negatives: weights[i, 1] is the midrank of example i over P N.
- **Top-K accuracy.** 1/n for each of the K labels that are named.
- **Losses of probabilities.** What example i costs if its label is c, over n.

Where sizes are not public, or a metric is not affine (Jaccard indices), the value is linearised
at expected counts: its derivative in the number of examples of class c is added to every
weights[i, c].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from holdfast.errors import NotSupported
from holdfast.metrics import F1, LabelMetric, Metric, RocAuc, TopKAccuracy
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.confusion import ClassCounts
from holdfast.metrics.probabilities import ProbabilityMetric

__all__ = [
    "AffineValue",
    "affine_value",
    "expected_label_value",
    "has_affine_form",
    "label_slopes",
]

Floats = NDArray[np.float64]

# Counts are whole numbers, and expected counts are not: metrics do not change if all counts are
# multiplied by the same factor.
FACTOR = 1 << 20
# The slopes of a metric with a denominator for each class take as many evaluations as classes.
MOST_DENOMINATORS = 300


def has_affine_form(metric: Metric, n_classes: int) -> bool:
    """Tell whether values of a metric are read here as affine functions of the labels.

    >>> from holdfast.metrics import F1, MeanSquaredError
    >>> has_affine_form(F1(), 2), has_affine_form(MeanSquaredError(), 2)
    (True, False)
    """
    if isinstance(metric, RocAuc):
        return n_classes == 2
    if isinstance(metric, TopKAccuracy):
        return n_classes > metric.k
    if isinstance(metric, F1):
        return n_classes == 2
    if isinstance(metric, LabelMetric):
        return n_classes <= MOST_DENOMINATORS or metric.function_of is not FunctionOf.CLASS_HITS
    return isinstance(metric, ProbabilityMetric)


@dataclass(frozen=True, eq=False)
class AffineValue:
    """A metric's value of one submission, as a function of the hidden labels.

    Parameters
    ----------
    constant
        The value if all weights were 0.
    given
        What each example was given: a label, K labels, or a score.
    by_label
        The weight of an example that has the label, or one of those, that it was given; None:
        the score itself weighs, if the example is of class 1.
    offsets
        What is added for each example of a class, whatever it was given.
    """

    constant: float
    given: NDArray[np.generic]
    by_label: Floats | None
    offsets: Floats

    def weights(self, rows: slice) -> Floats:
        """Return what each example of some rows adds if it is of each class, class 0 first."""
        given = np.asarray(self.given[rows])
        found: Floats = np.tile(self.offsets, (len(given), 1))
        if self.by_label is None:
            found[:, 1] += given.astype(np.float64)
            return found
        labels = given.reshape(len(given), -1).astype(np.intp)
        every = np.arange(len(given))[:, None]
        found[every, labels] += self.by_label[labels]
        return found


def affine_value(
    metric: Metric, submission: NDArray[np.generic], sizes: Floats, *, sizes_known: bool
) -> AffineValue:
    """Return a metric's value of a submission as an affine function of the labels.

    Parameters
    ----------
    metric
        One that `has_affine_form`.
    submission
        What the metric scores.
    sizes
        How many examples each class has, or is expected to have.
    sizes_known
        Whether that is certain, so that it needs no weights.

    Examples
    --------
    F1 of two examples called positive, of two positives among four: T / 2.

    >>> from holdfast.metrics import F1
    >>> form = affine_value(F1(), np.array([1, 1, 0, 0]), np.array([2.0, 2.0]), sizes_known=True)
    >>> form.constant, form.weights(slice(0, 4)).tolist()
    (0.0, [[0.0, 0.5], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    """
    n, m = len(submission), sizes.size
    none = np.zeros(m)
    if isinstance(metric, LabelMetric):
        called = np.bincount(submission.astype(np.intp), minlength=m)
        slopes = label_slopes(metric, tuple(sizes.tolist()), tuple(called.tolist()), sizes_known)
        return AffineValue(slopes.constant, submission, slopes.by_label, slopes.offsets)
    if isinstance(metric, TopKAccuracy):
        return AffineValue(0.0, submission, np.full(m, 1.0 / n), none)
    if isinstance(metric, RocAuc):
        return _area(submission, sizes)
    assert isinstance(metric, ProbabilityMetric)
    return _loss(metric, submission, m)


def _area(scores: NDArray[np.generic], sizes: Floats) -> AffineValue:
    """Return the area under the ROC curve.

    Midranks are taken around their mean (n + 1) / 2: the sum over the positives is then
    P N (area - 1/2), so that the number of positives changes no value on average.
    """
    n, positives = len(scores), float(sizes[1])
    pairs = max(positives * (n - positives), 1.0)
    ranks = rankdata(scores) - (n + 1) / 2.0
    return AffineValue(0.5, ranks / pairs, None, np.zeros(2))


def _loss(metric: ProbabilityMetric, rows: NDArray[np.generic], n_classes: int) -> AffineValue:
    """Return a loss of forecasts that all are one row, up to which class comes first in it."""
    n = len(rows)
    labels = rows.argmax(axis=1)
    row = np.sort(rows[0].astype(np.float64))[::-1]
    costs = [float(cost) for cost in metric.costs(row)[:2]]
    by_label = np.full(n_classes, (costs[0] - costs[1]) / n)
    return AffineValue(costs[1], labels, by_label, np.zeros(n_classes))


@dataclass(frozen=True, eq=False)
class LabelSlopes:
    """A metric of labels around expected counts, for submissions that call each class so often."""

    constant: float
    by_label: Floats
    offsets: Floats
    expected: float


@lru_cache(maxsize=256)
def label_slopes(
    metric: LabelMetric, sizes: tuple[float, ...], called: tuple[int, ...], sizes_known: bool
) -> LabelSlopes:
    """Return what one hit more of each class adds to a value, and what one example more adds.

    Counts are expected to be those of a submission that knows nothing: sizes[c] called[c] / n hits.
    """
    m, n = len(sizes), sum(called)
    size, shown = np.array(sizes), np.array(called, dtype=np.float64)
    hits = size * shown / n
    value = expected_label_value(metric, size, shown, hits)
    by_label = np.zeros(m)
    if metric.function_of is FunctionOf.CLASS_HITS:
        for label in np.flatnonzero((shown > 0) & (size > 0)).tolist():
            more = hits.copy()
            more[label] += 1.0
            by_label[label] = expected_label_value(metric, size, shown, more) - value
    else:
        more = hits.copy()
        more[0] += 1.0
        by_label[:] = expected_label_value(metric, size, shown, more) - value
    offsets = np.zeros(m)
    if not sizes_known:
        for label in range(m):
            # Of a fixed number of examples: all classes are a little smaller.
            more = size * (1.0 - 1.0 / n)
            more[label] += 1.0
            offsets[label] = expected_label_value(metric, more, shown, hits) - value
    constant = value - float(by_label @ hits) - float(offsets @ size)
    return LabelSlopes(constant, by_label, offsets, value)


def expected_label_value(
    metric: LabelMetric, sizes: Floats, called: Floats, hits: NDArray[Any]
) -> float:
    """Return a metric's value at counts that need not be whole numbers."""
    if sizes.size > MOST_DENOMINATORS and metric.function_of is FunctionOf.CLASS_HITS:
        raise NotSupported(
            f"slopes of {metric} in over {MOST_DENOMINATORS} classes take too long, "
            f"got {sizes.size:,}."
        )
    true, predicted, both = (
        np.rint(np.maximum(each, 0.0) * FACTOR).astype(np.int64) for each in (sizes, called, hits)
    )
    here = np.flatnonzero(true + predicted)
    columns: Sequence[tuple[int, ...]] = [
        tuple(each[here].tolist()) for each in (true, predicted, both)
    ]
    counts = ClassCounts(int(true.sum()), tuple(here.tolist()), *columns)
    return float(metric.from_counts(counts))
