"""Random columns without the test features: shared by ColumnVote, UniformVote and NaiveBayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.paper.rules import ColumnRule, LiveColumns
from holdfast.attacks.without_features.keyed_classifier import ClassifierAttack, KeyedClassifier
from holdfast.kernels.columns import Columns
from holdfast.kernels.keyed import Keys, hash_keys, subkey, wrap
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["ColumnAttack", "ColumnClassifier", "LiveColumnAttack", "Packed", "VoteClassifier"]


@dataclass(frozen=True)
class _OnLiveRows(KeyedClassifier):
    """Label 0 except on a keyed random subset of the feature space: the paper's X_t.

    A row belongs to it if its hash is below `live_below`; None: every row does.
    """

    columns: Columns
    live_below: int | None

    def _write(self, keys: Keys, shifts: NDArray[np.uint32], labels: Labels) -> None:
        labels[:] = shifts
        if self.live_below is None:
            live: slice | NDArray[np.bool_] = slice(None)
        else:
            live = hash_keys(keys, subkey(self.seed, "live")) < np.uint64(self.live_below)
        live_keys = keys[live]
        column_keys = hash_keys(live_keys, subkey(self.seed, "column"))
        labels[live] = self._live_labels(column_keys, shifts[live], labels.dtype)

    def _live_labels(
        self, column_keys: Keys, shifts: NDArray[np.uint32], dtype: np.dtype[np.unsignedinteger]
    ) -> Labels:
        raise NotImplementedError


@dataclass(frozen=True)
class ColumnClassifier(_OnLiveRows):
    """Query `index`: the live rows' labels are entry `index` of their columns."""

    index: int

    def _live_labels(
        self, column_keys: Keys, shifts: NDArray[np.uint32], dtype: np.dtype[np.unsignedinteger]
    ) -> Labels:
        out: Labels = np.empty(column_keys.size, dtype=dtype)
        self.columns.on(column_keys, shifts).write_rows(self.index, out[None, :])
        return out


class Packed(NamedTuple):
    """Numbers in few bytes, exactly: whole ones as small differences from the least.

    >>> Packed.of(np.array([1040.0, 1041.0, 991.0])).content.hex()
    '313200'
    """

    least: float
    dtype: str
    content: bytes

    @classmethod
    def of(cls, numbers: NDArray[np.float64]) -> Packed:
        """Pack an array."""
        least = float(numbers.min()) if numbers.size else 0.0
        differences = numbers - least
        widest = float(differences.max(initial=0.0))
        if widest < 2**32 and np.array_equal(numbers, np.floor(numbers)):
            small = np.min_scalar_type(int(widest)).newbyteorder("<")
            return cls(least, small.str, differences.astype(small).tobytes())
        return cls(0.0, "<f8", numbers.astype("<f8").tobytes())

    def numbers(self) -> NDArray[np.float64]:
        """Return the array as it was."""
        return np.frombuffer(self.content, dtype=self.dtype).astype(np.float64) + self.least


@dataclass(frozen=True)
class VoteClassifier(_OnLiveRows):
    """The final prediction: each live row's vote, from one weight per answered query.

    However many examples the test set has, its size is a byte or two per look where the weights are
    match counts, and eight where they are not whole numbers.
    """

    weights: Packed
    average: bool

    def _live_labels(
        self, column_keys: Keys, shifts: NDArray[np.uint32], dtype: np.dtype[np.unsignedinteger]
    ) -> Labels:
        columns = self.columns.on(column_keys, shifts)
        votes = columns.vote(self.weights.numbers(), average=self.average)
        return wrap(votes + shifts, self.n_classes).astype(dtype)


class ColumnAttack(ColumnRule[KeyedClassifier], ClassifierAttack):
    """Ask random columns on a random share of the feature space and a constant elsewhere."""

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True, n_live: int
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, n_live=n_live)
        n, m, k = self._problem
        live_below = None if n_live >= n else n_live * 2**64 // n
        self._on_live: dict[str, Any] = {"columns": self._design(k, m), "live_below": live_below}

    def _query(self, index: int) -> KeyedClassifier:
        return self._classifier(ColumnClassifier, **self._on_live, index=index)

    def _guess(self) -> KeyedClassifier:
        weights = Packed.of(self._weights(self._counts[: self._answered]))
        return self._classifier(
            VoteClassifier, **self._on_live, weights=weights, average=self._average
        )


class LiveColumnAttack(LiveColumns[KeyedClassifier], ColumnAttack):
    """A column attack on a share t/n of the feature space, the paper's t."""
