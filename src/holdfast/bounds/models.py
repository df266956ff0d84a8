r"""Information bounds for analysts with a model: what so many nats are worth above its own guess.

Labels are independent for the analyst, example j with the law pi_j that the model gives it. Then
sum_j R_j(a_j) <= I(labels; answers), where R_j is the rate-distortion function of pi_j and a_j the
probability that the final guess of example j is right. By duality every slope s > 0 limits the
expected accuracy,

    n a <= (nats + sum_j R*_j(s)) / s,      R*(s) = max_q sum_l pi_l ln(1 + q_l (e^s - 1)),

q over all laws of a guess; R* is convex in pi. So among the laws whose largest probability is p the
worst is the one with the fewest candidates, and among models of accuracy alpha the worst knows of
every example that its label is one of c, or of c + 1, equally likely ones, 1/(c+1) <= alpha <= 1/c.
docs/bounds/information.md has the proof.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.bisection import largest
from holdfast.bounds.label_model import LabelModel, accuracy_from_shares
from holdfast.bounds.rate_distortion import STEEPEST, LabelLaws
from holdfast.errors import InvalidInput
from holdfast.priors import Prior
from holdfast.problem import check_at_least

__all__ = [
    "accuracy_from_model",
    "accuracy_from_predictions",
    "free_accuracy",
    "predicted_labels",
    "shared_labels",
    "worst_labels",
]

Floats = NDArray[np.float64]

# Examples that the slope is found on, and labels of each that are told apart. Any slope gives a
# valid limit, and the labels beyond are put together so that the limit can only rise.
SLOPE_EXAMPLES, LABELS_RANKED = 4096, 64
# Examples that tangents are found on.
TANGENT_EXAMPLES = 256
# Entries that are handled at a time.
CHUNK_ENTRIES = 1 << 20
# Slopes at which the price of an accuracy is known exactly; between two of them it is taken from
# the higher of their tangents, which lies below it.
SLOPES = np.geomspace(1e-5, STEEPEST, 640)
# Relative; sums of many terms must not be rounded downward.
ROUNDING = 1e-12


def free_accuracy(prior: Prior) -> float:
    """Return what a model is right without a look: the mean of its largest probabilities.

    >>> free_accuracy(Prior.dense([[0.7, 0.3], [0.5, 0.5]]))
    0.6
    """
    return min(1.0, float(prior.ranked(1)[1].mean()))


def accuracy_from_predictions(nats: float, prior: Prior) -> float:
    """Return the largest expected accuracy that so many nats allow whoever has these predictions.

    Examples
    --------
    >>> round(accuracy_from_predictions(50.0, Prior.uniform(2000, 10)), 4)
    0.1732
    >>> sure = Prior.candidates([[0]] * 2000, [[0.9]] * 2000, n_classes=2)
    >>> round(accuracy_from_predictions(50.0, sure), 4)
    0.9111
    """
    free = free_accuracy(prior)
    if nats <= 0.0:
        return free
    stride = max(1, prior.n_examples // SLOPE_EXAMPLES)
    rows, alike = _rows(prior.ranked(min(prior.n_classes, LABELS_RANKED))[1], prior.n_classes)
    sample, target = LabelLaws(rows[::stride], alike[::stride]), nats / prior.n_examples
    slope = largest(lambda s: float(sample.at(s).nats.mean()) <= target, 0.0, STEEPEST)
    worth = sum(float(_worth(*each, slope).sum()) for each in _chunks(rows, alike))
    limit = (nats + worth * (1.0 + ROUNDING)) / (slope * prior.n_examples)
    return min(1.0, max(free, limit))


def accuracy_from_model(nats: float, n_examples: int, n_classes: int, accuracy: float) -> float:
    """Return the largest expected accuracy that nats allow with any model of this accuracy.

    `accuracy` is what the model is right without a look, on average over the examples: its sure
    and its doubtful ones may be distributed as they like.

    Examples
    --------
    >>> round(accuracy_from_model(50.0, 2000, 10, 0.1), 4)  # nothing is known
    0.1732
    >>> round(accuracy_from_model(50.0, 2000, 10, 0.9), 4)
    0.9489
    """
    n = check_at_least("n_examples", n_examples, 1)
    m = check_at_least("n_classes", n_classes, 2)
    if not 1.0 / m * (1.0 - ROUNDING) <= accuracy <= 1.0:
        raise InvalidInput(
            f"accuracy must lie between 1/n_classes = {1.0 / m:g} and 1, got {accuracy}."
        )
    if nats <= 0.0 or accuracy == 1.0:
        return max(accuracy, 1.0 / m)
    kinds = _kinds(m, accuracy)
    target = nats / n

    def spent(slope: float) -> float:
        return sum(part * _even_nats(slope, count) for part, count in kinds)

    if spent(STEEPEST) <= target:
        return 1.0
    slope = largest(lambda s: spent(s) <= target, 0.0, STEEPEST)
    worth = sum(part * math.log1p(math.expm1(slope) / count) for part, count in kinds)
    limit = (target + worth) / slope * (1.0 + ROUNDING)
    return min(1.0, max(accuracy, limit))


def shared_labels(n_examples: int, shares: Sequence[float]) -> LabelModel:
    """Return the labels of somebody who knows the class shares, with the price of guessing them.

    >>> round(shared_labels(2000, [0.9, 0.1]).largest_accuracy(50.0), 4)
    0.9111
    """
    row = np.sort(np.asarray(shares, dtype=np.float64))[None, ::-1]
    price = _Price(n_examples, row, np.ones_like(row))
    return LabelModel(
        n_examples,
        float(row[0, 0]),
        price,
        float(row[0, -1]),
        lambda nats: accuracy_from_shares(nats, n_examples, shares),
    )


def predicted_labels(prior: Prior) -> LabelModel:
    """Return the labels of somebody who has these predictions, with the price of guessing them."""
    rows, alike = _rows(prior.ranked(min(prior.n_classes, LABELS_RANKED))[1], prior.n_classes)
    return LabelModel(
        prior.n_examples,
        free_accuracy(prior),
        _Price(prior.n_examples, rows, alike),
        dual=lambda nats: accuracy_from_predictions(nats, prior),
    )


def worst_labels(n_examples: int, n_classes: int, accuracy: float) -> LabelModel:
    """Return the labels of somebody with the worst model of this accuracy, with their price.

    >>> round(worst_labels(2000, 10, 0.9).largest_accuracy(50.0), 4)
    0.9489
    """
    (share, few), (others, more) = _kinds(n_classes, accuracy)
    # Of each example the price is the mean of the two kinds', so one of each stands for all.
    candidates = np.array([[few], [more]], dtype=np.float64)
    price = _Price(n_examples, 1.0 / candidates, candidates, (share, others))
    return LabelModel(
        n_examples,
        accuracy,
        price,
        dual=lambda nats: accuracy_from_model(nats, n_examples, n_classes, accuracy),
    )


class _Price:
    """The fewest nats that a mean accuracy costs, never more than it does.

    Parameters
    ----------
    n_examples
        How many examples there are in all.
    rows, alike
        Probabilities in falling order, and for how many labels each column stands.
    weights
        Share of the examples that each row stands for; None: all stand for as many.
    """

    def __init__(
        self,
        n_examples: int,
        rows: Floats,
        alike: Floats,
        weights: Sequence[float] | None = None,
    ) -> None:
        self._n, self._rows, self._alike = n_examples, rows, alike
        self._weights = (
            np.full(len(rows), 1.0 / len(rows)) if weights is None else np.array(weights)
        )
        self._worth: Callable[[int], float] = functools.cache(self._mean_worth)

    def __call__(self, accuracy: float) -> float:
        # Where the tangent would lie that touches at this accuracy, by a sample of the rows.
        at = int(np.searchsorted(self._guide, accuracy))
        near = {max(0, at - 1), min(at, SLOPES.size - 1)}
        tangent = max(SLOPES[i] * accuracy - self._worth(i) for i in near)
        return max(0.0, self._n * float(tangent))

    @functools.cached_property
    def _guide(self) -> Floats:
        stride = max(1, len(self._rows) // TANGENT_EXAMPLES)
        rows, alike, weights = (each[::stride] for each in (self._rows, self._alike, self._weights))
        weights = weights / weights.sum()
        laws = LabelLaws(rows, alike)
        means = [float(weights @ laws.at(s).best) for s in SLOPES.tolist()]
        return np.maximum.accumulate(means)

    def _mean_worth(self, at: int) -> float:
        """Return the mean of R* over all rows at a slope, rounded up."""
        slope, total, start = float(SLOPES[at]), 0.0, 0
        for rows, alike in _chunks(self._rows, self._alike):
            total += float(self._weights[start : start + len(rows)] @ _worth(rows, alike, slope))
            start += len(rows)
        return total * (1.0 + ROUNDING)


def _kinds(n_classes: int, accuracy: float) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return which share of the examples has how many candidates in the worst model."""
    few = min(n_classes - 1, math.floor(1.0 / accuracy))
    share = min(1.0, max(0.0, few * ((few + 1) * accuracy - 1.0)))
    return (share, few), (1.0 - share, few + 1)


def _even_nats(slope: float, count: int) -> float:
    """Return what one of `count` equally likely labels costs at a slope."""
    right = 1.0 / (1.0 + (count - 1.0) * math.exp(-slope))
    return slope * right - math.log1p(math.expm1(slope) / count)


def _rows(probabilities: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """Return probabilities in falling order, and for how many labels each column stands.

    Labels beyond the listed ones are none of them likelier than the last listed one. They are
    put together into as few labels as that leaves, the worst that they can be.
    """
    rows = np.sort(probabilities, axis=1)[:, ::-1]
    alike = np.ones_like(rows)
    if rows.shape[1] == n_classes:
        return rows, alike
    rest = np.maximum(0.0, 1.0 - rows.sum(axis=1))
    last = rows[:, -1]
    whole = np.zeros_like(last)
    np.divide(rest, last, out=whole, where=last > 0.0)
    # A hair more, so that an even rest is as many labels as there are.
    whole = np.minimum(np.floor(whole * (1.0 + 1e-9)), n_classes - rows.shape[1])
    over = np.clip(rest - whole * last, 0.0, last)
    rows = np.column_stack([rows, last, over])
    return rows, np.column_stack([alike, whole, np.ones_like(last)])


def _chunks(rows: Floats, alike: Floats) -> Iterator[tuple[Floats, Floats]]:
    size = max(1, CHUNK_ENTRIES // rows.shape[1])
    for start in range(0, len(rows), size):
        yield rows[start : start + size], alike[start : start + size]


def _worth(rows: Floats, alike: Floats, slope: float) -> Floats:
    """Return R* of each row at a slope."""
    found = LabelLaws(rows, alike).at(slope)
    return slope * found.best - found.nats
