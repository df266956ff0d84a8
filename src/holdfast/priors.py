r"""Label priors: a model's probabilities for every example and label.

An attack that starts from a trained model asks less about what the model knows. The prior is
either dense, one probability for each of the m labels, or a short list of candidates per example
with their probabilities, the remaining mass spread evenly over the labels not listed: top-5 lists
over 1,000 classes need 10 numbers per example instead of 1,000.

A prior is a belief, never a fact: attacks use it to order and to weigh, and what they call certain
rests on answers alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import Labels, as_labels, label_dtype
from holdfast.problem import Problem, check_at_least

__all__ = ["Prior"]

Probabilities = NDArray[np.float64]

# How far a row's sum may be from 1: single-precision softmax outputs are within this.
SUM_SLACK = 1e-3

# Entries of a dense prior that are ranked or drawn from at a time.
CHUNK_ENTRIES = 1 << 21

# Probabilities closer than this count as equal, and the lower label goes first.
TIE_SLACK = 1e-11


def _checked(values: ArrayLike, name: str) -> Probabilities:
    """Return a two-dimensional array of probabilities, or raise naming the rule."""
    array = np.array(values, dtype=np.float64)  # a copy: the caller may change his
    if array.ndim != 2 or array.size == 0:
        raise InvalidInput(f"{name} must have shape (n, columns), got shape {array.shape}.")
    bad = ~((array >= 0.0) & (array <= 1.0 + SUM_SLACK))  # also true for NaN
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise InvalidInput(
            f"{name} must lie in [0, 1], got {array[row, column]} at row {row}, column {column}."
        )
    return array


def _check_sums(sums: NDArray[np.float64], name: str, rule: str, bad: NDArray[np.bool_]) -> None:
    """Raise if a row's sum breaks `rule`."""
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInput(f"{name} must sum to {rule} in every row, got {sums[row]} in row {row}.")


def _in_order(labels: Labels, probabilities: Probabilities) -> tuple[Labels, Probabilities]:
    """Sort every row by falling probability, equal ones by rising label."""
    order = np.lexsort((labels, -probabilities), axis=1)
    return (
        np.take_along_axis(labels, order, axis=1),
        np.take_along_axis(probabilities, order, axis=1),
    )


class Prior(ABC):
    """A probability for every label of every example.

    Build one with `Prior.dense`, `Prior.candidates` or `Prior.uniform`.

    Examples
    --------
    >>> prior = Prior.candidates([[2, 0], [1, 3]], [[0.6, 0.2], [0.5, 0.4]], n_classes=5)
    >>> prior.top()
    array([2, 1], dtype=uint8)
    >>> prior.dense_rows().round(3)
    array([[0.2  , 0.067, 0.6  , 0.067, 0.067],
           [0.033, 0.5  , 0.033, 0.4  , 0.033]])
    """

    @staticmethod
    def dense(probabilities: ArrayLike) -> Prior:
        """Build from an (n, m) array whose rows sum to 1 (they are normalised)."""
        table = _checked(probabilities, "probabilities")
        check_at_least("n_classes", table.shape[1], 2)
        sums = table.sum(axis=1)
        _check_sums(sums, "probabilities", "1", np.abs(sums - 1.0) > SUM_SLACK)
        table /= sums[:, None]
        return _Dense(table, np.zeros(len(table), dtype=np.int64))

    @staticmethod
    def candidates(labels: ArrayLike, probabilities: ArrayLike, n_classes: int) -> Prior:
        """Build from (n, c) candidate labels and their probabilities, which sum to 1 or less."""
        m = check_at_least("n_classes", n_classes, 2)
        listed = _checked(probabilities, "probabilities")
        array = np.asarray(labels)
        if array.shape != listed.shape:
            raise InvalidInput(
                f"labels must have the shape of probabilities {listed.shape}, got {array.shape}."
            )
        names = as_labels(array.ravel(), m).reshape(array.shape)
        c = listed.shape[1]
        ordered = np.sort(names, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if twice.any():
            raise InvalidInput(
                f"labels must be different in every row, got a repeated one in row "
                f"{int(np.argmax(twice))}."
            )
        sums = listed.sum(axis=1)
        _check_sums(sums, "probabilities", "at most 1", sums > 1.0 + SUM_SLACK)
        if c == m:
            _check_sums(sums, "probabilities", "1", sums < 1.0 - SUM_SLACK)
        over = (sums > 1.0) | (c == m)
        listed[over] /= sums[over, None]
        rest = np.zeros(len(sums)) if c == m else np.maximum(0.0, 1.0 - sums) / (m - c)
        return _Listed(*_in_order(names, listed), rest, m)

    @staticmethod
    def uniform(n_examples: int, n_classes: int) -> Prior:
        """Build the prior that says nothing: 1/m for every label."""
        n = check_at_least("n_examples", n_examples, 1)
        m = check_at_least("n_classes", n_classes, 2)
        none = np.empty((n, 0))
        return _Listed(none.astype(label_dtype(m)), none, np.full(n, 1 / m), m)

    @property
    @abstractmethod
    def n_examples(self) -> int:
        """Number of examples."""

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """Number of classes."""

    @abstractmethod
    def ranked(self, depth: int) -> tuple[Labels, Probabilities]:
        """Return the `depth` most likely labels of every example and their probabilities.

        Equally likely labels: the lowest first, but candidates before labels not listed. m
        labels at most.
        """

    @abstractmethod
    def probability(self, labels: ArrayLike) -> Probabilities:
        """Return the probability of one label per example: labels of shape (n,)."""

    @abstractmethod
    def dense_rows(self, start: int = 0, stop: int | None = None) -> Probabilities:
        """Return rows `start` to `stop` of the (n, m) array of probabilities."""

    @abstractmethod
    def relative(self, shifts: NDArray[Any]) -> Prior:
        """Return the prior of (label - shift) mod m, one shift an example.

        Attacks work with labels relative to their per-example shift. Equally likely labels are
        put in order of their new names: a prior that says nothing must not undo the shift.
        """

    @abstractmethod
    def softened(self, share: float) -> Prior:
        """Mix with the uniform prior: (1 - share) * probability + share / m.

        No label keeps probability 0, so answers can overrule a wrong prior.
        """

    def top(self) -> Labels:
        """Return the most likely label of every example: what the model alone would answer."""
        return self.ranked(1)[0][:, 0]

    def sample(self, rng: np.random.Generator) -> Labels:
        """Return labels drawn from the prior, each example's independently.

        >>> Prior.dense([[0.0, 1.0], [1.0, 0.0]]).sample(np.random.default_rng(0)).tolist()
        [1, 0]
        """
        n, m = self.n_examples, self.n_classes
        drawn = np.empty(n, dtype=label_dtype(m))
        rows = max(1, CHUNK_ENTRIES // m)
        for start in range(0, n, rows):
            up_to = np.cumsum(self.dense_rows(start, min(n, start + rows)), axis=1)
            chance = rng.random(len(up_to)) * up_to[:, -1]
            drawn[start : start + rows] = (up_to <= chance[:, None]).sum(axis=1)
        return drawn

    def check_fits(self, problem: Problem) -> None:
        """Raise `InvalidInput` unless the prior has the problem's sizes."""
        n, m, _ = problem
        if (self.n_examples, self.n_classes) != (n, m):
            raise InvalidInput(
                f"prior must have {n} examples and {m} classes, "
                f"got {self.n_examples} and {self.n_classes}."
            )


class _Dense(Prior):
    """A table of probabilities. Label l of example j is column (l + shift_j) mod m."""

    def __init__(self, table: Probabilities, shifts: NDArray[np.int64]) -> None:
        self._table = table
        self._shifts = shifts

    @property
    def n_examples(self) -> int:
        return int(self._table.shape[0])

    @property
    def n_classes(self) -> int:
        return int(self._table.shape[1])

    def dense_rows(self, start: int = 0, stop: int | None = None) -> Probabilities:
        table, shifts = self._table[start:stop], self._shifts[start:stop]
        columns = (np.arange(self.n_classes) + shifts[:, None]) % self.n_classes
        return np.take_along_axis(table, columns, axis=1)

    def probability(self, labels: ArrayLike) -> Probabilities:
        wanted = as_labels(labels, self.n_classes, n_examples=self.n_examples)
        columns = (wanted.astype(np.int64) + self._shifts) % self.n_classes
        return np.asarray(self._table[np.arange(self.n_examples), columns])

    def ranked(self, depth: int) -> tuple[Labels, Probabilities]:
        n, m = self._table.shape
        depth = min(check_at_least("depth", depth, 1), m)
        labels = np.empty((n, depth), dtype=label_dtype(m))
        probabilities = np.empty((n, depth))
        rows = max(1, CHUNK_ENTRIES // m)
        for start in range(0, n, rows):
            here = slice(start, min(start + rows, n))
            dense = self.dense_rows(start, here.stop)
            # Whole multiples of the tie, less a part of one that grows with the label.
            key = np.arange(m) / m - np.round(dense / TIE_SLACK)
            best = np.argpartition(key, depth - 1, axis=1)[:, :depth]
            order = np.argsort(np.take_along_axis(key, best, axis=1), axis=1)
            labels[here] = np.take_along_axis(best, order, axis=1)
            probabilities[here] = np.take_along_axis(dense, labels[here].astype(np.int64), axis=1)
        return labels, probabilities

    def relative(self, shifts: NDArray[Any]) -> Prior:
        return _Dense(self._table, (self._shifts + np.asarray(shifts)) % self.n_classes)

    def softened(self, share: float) -> Prior:
        kept, added = _mixture(share, self.n_classes)
        return _Dense(kept * self._table + added, self._shifts)


class _Listed(Prior):
    """Candidates in order of falling probability, and the probability of each other label."""

    def __init__(
        self, labels: Labels, probabilities: Probabilities, rest: Probabilities, n_classes: int
    ) -> None:
        self._labels = labels
        self._probabilities = probabilities
        self._rest = rest
        self._n_classes = n_classes

    @property
    def n_examples(self) -> int:
        return len(self._rest)

    @property
    def n_classes(self) -> int:
        return self._n_classes

    def ranked(self, depth: int) -> tuple[Labels, Probabilities]:
        depth = min(check_at_least("depth", depth, 1), self._n_classes)
        c = self._labels.shape[1]
        below = self._probabilities < self._rest[:, None]
        if depth <= c and not below[:, :depth].any():
            return self._labels[:, :depth].copy(), self._probabilities[:, :depth].copy()
        # Lists that are too short, or a candidate less likely than a label not listed: fill each
        # row with the lowest labels not listed, as many as could be needed, and sort again.
        filler = self._lowest_unlisted(min(depth, self._n_classes - c))
        labels = np.concatenate([self._labels, filler], axis=1)
        fill = np.broadcast_to(self._rest[:, None], filler.shape)
        probabilities = np.concatenate([self._probabilities, fill], axis=1)
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, :depth]
        return (
            np.take_along_axis(labels, order, axis=1),
            np.take_along_axis(probabilities, order, axis=1),
        )

    def probability(self, labels: ArrayLike) -> Probabilities:
        wanted = as_labels(labels, self._n_classes, n_examples=self.n_examples)
        hit = self._labels == wanted[:, None]
        listed = np.where(hit, self._probabilities, 0.0).sum(axis=1)
        return np.where(hit.any(axis=1), listed, self._rest)

    def dense_rows(self, start: int = 0, stop: int | None = None) -> Probabilities:
        labels = self._labels[start:stop].astype(np.int64)
        rows = np.repeat(self._rest[start:stop, None], self._n_classes, axis=1)
        np.put_along_axis(rows, labels, self._probabilities[start:stop], axis=1)
        return rows

    def relative(self, shifts: NDArray[Any]) -> Prior:
        m = self._n_classes
        moved = (self._labels.astype(np.int64) - np.asarray(shifts, dtype=np.int64)[:, None]) % m
        ordered = _in_order(moved.astype(self._labels.dtype), self._probabilities)
        return _Listed(*ordered, self._rest, m)

    def softened(self, share: float) -> Prior:
        kept, added = _mixture(share, self._n_classes)
        probabilities = kept * self._probabilities + added
        return _Listed(self._labels, probabilities, kept * self._rest + added, self._n_classes)

    def _lowest_unlisted(self, count: int) -> Labels:
        """Return, for every example, the `count` lowest labels that are not listed."""
        n, c = self._labels.shape
        listed = np.sort(self._labels.astype(np.int64), axis=1)
        # The i-th label not listed is i plus the number of listed ones at or below it: start from
        # i and step over them in order.
        filler = np.repeat(np.arange(count, dtype=np.int64)[None, :], n, axis=0)
        for column in range(c):
            filler += filler >= listed[:, column : column + 1]
        return filler.astype(self._labels.dtype)


def _mixture(share: float, n_classes: int) -> tuple[float, float]:
    """Return by what a probability is multiplied, and what is added, to mix in the uniform."""
    if not 0.0 <= share <= 1.0:
        raise InvalidInput(f"share must lie in [0, 1], got {share}.")
    return 1.0 - share, share / n_classes
