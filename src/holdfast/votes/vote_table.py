"""Vote tables: sums of model weights per example and label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.labels import Labels, label_dtype

__all__ = ["VoteTable"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class VoteTable:
    """The labels that someone voted for, example by example.

    Only labels with a vote are kept: 67 models on 1,000 classes name a handful an example.

    Parameters
    ----------
    votes
        (n, models) labels.
    n_classes
        Number of classes.
    """

    def __init__(self, votes: NDArray[Any], n_classes: int) -> None:
        self.n_classes = n_classes
        n, models = votes.shape
        order = np.argsort(votes, axis=1, kind="stable")
        ordered = np.take_along_axis(votes, order, axis=1)
        first = np.ones(votes.shape, np.bool_)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        self._models = order.ravel()
        self._starts: Ints = np.flatnonzero(first)
        self._rows: Ints = self._starts // models
        self._labels: Ints = ordered.ravel()[self._starts].astype(np.int64)
        self._begins: Ints = np.searchsorted(self._rows, np.arange(n + 1))
        # Where the vote of each model on each example is counted.
        place = np.empty(votes.size, np.int64)
        place[np.arange(n).repeat(models) * models + self._models] = np.cumsum(first.ravel()) - 1
        self._place = place.reshape(votes.shape)

    @property
    def named(self) -> Ints:
        """How many different labels each example's votes name."""
        return np.diff(self._begins)

    def scores(self, weights: Floats) -> Floats:
        """Return the sum of the weights behind every label with a vote."""
        return np.asarray(np.add.reduceat(weights[self._models], self._starts))

    def shares(self, scores: Floats) -> Floats:
        """Return the softmax of the scores, example by example; labels without a vote score 0."""
        top = np.maximum(np.maximum.reduceat(scores, self._begins[:-1]), 0.0)
        odds = np.exp(scores - top[self._rows])
        silent = (self.n_classes - self.named) * np.exp(-top)
        return np.asarray(odds / (np.add.reduceat(odds, self._begins[:-1]) + silent)[self._rows])

    def support(self, shares: Floats) -> Floats:
        """Return the mean share of the labels that each model voted for."""
        return np.asarray(shares[self._place].mean(axis=0))

    def ranked(self, scores: Floats, depth: int) -> tuple[Labels, Floats]:
        """Return the `depth` labels of highest score; -inf where there is no further vote.

        Equal scores: the lowest label first. Places without a vote hold the lowest labels that
        the example's other places do not.
        """
        n = self._begins.size - 1
        order = np.lexsort((self._labels, -scores, self._rows))
        place = np.arange(order.size) - self._begins[self._rows]
        kept = place < depth
        rows, columns, order = self._rows[kept], place[kept], order[kept]
        labels = np.full((n, depth), -1, np.int64)
        out = np.full((n, depth), -np.inf)
        labels[rows, columns], out[rows, columns] = self._labels[order], scores[order]
        # Among the lowest 2 * depth labels at least `depth` are not in a row, if there are so many.
        width = min(self.n_classes, 2 * depth)
        taken = np.zeros((n, width), np.bool_)
        low = (labels >= 0) & (labels < width)
        taken[np.nonzero(low)[0], labels[low]] = True
        spare = np.argsort(taken, axis=1, kind="stable")
        empty = labels < 0
        which = np.cumsum(empty, axis=1) - 1
        filler = np.take_along_axis(spare, np.maximum(which, 0), axis=1)
        return np.where(empty, filler, labels).astype(label_dtype(self.n_classes)), out
