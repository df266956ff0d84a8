"""Columns of the query matrix: one example's labels over all queries, never stored.

Label (i, j) is recomputed from query index i and column key j: a whole row when query i is asked,
a whole column when example j is decoded. Rows and columns come from the same kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.keyed import (
    GOLDEN64,
    LEAST_SLICE,
    Keys,
    grid,
    keyed64,
    mix64,
    permute_block,
    rounds_for,
    scaled,
    wrapped,
)
from holdfast.threads import over_slices

__all__ = ["BalancedColumns", "Columns", "UniformColumns"]

# Entries computed at a time: four scratch arrays of this length fit the first-level cache.
BLOCK = 1024

# Columns a thread decodes at least; each costs a pass over all queries.
LEAST_COLUMNS = 64


@njit(cache=True, nogil=True, inline="always")
def _remainder(value: Any, modulus: Any, reciprocal: Any) -> Any:
    """Return value mod modulus for 32-bit values; reciprocal = 2^32 // modulus."""
    quotient = (np.uint64(value) * reciprocal) >> np.uint64(32)
    return wrapped(np.uint64(value) - quotient * np.uint64(modulus), modulus)


@njit(cache=True, nogil=True)
def _scratch() -> Any:
    return (
        np.empty(BLOCK, np.uint32),
        np.empty(BLOCK, np.uint32),
        np.empty(BLOCK, np.uint32),
        np.empty(BLOCK, np.uint32),
    )


@njit(cache=True, nogil=True)
def _balanced_row(
    keys: Any,
    index: Any,
    m: Any,
    width: Any,
    height: Any,
    k: Any,
    rounds: Any,
    shifts: Any,
    out: Any,
) -> None:
    w, h, size, modulus = np.uint32(width), np.uint32(height), np.uint32(k), np.uint32(m)
    reciprocal = np.uint64(2**32 // m)
    left, right, low, high = _scratch()
    for start in range(0, keys.size, BLOCK):
        count = min(BLOCK, keys.size - start)
        for j in range(count):
            low[j] = np.uint32(keys[start + j])
            high[j] = np.uint32(keys[start + j] >> np.uint64(32))
            left[j], right[j] = np.uint32(index % width), np.uint32(index // width)
        permute_block(left, right, low, high, count, w, h, size, rounds)
        for j in range(count):
            label = _remainder(left[j], modulus, reciprocal)
            out[start + j] = wrapped(label + shifts[start + j], modulus)


@njit(cache=True, nogil=True)
def _uniform_row(keys: Any, index: Any, m: Any, shifts: Any, out: Any) -> None:
    word = mix64(np.uint64(index) + GOLDEN64)
    for j in range(keys.size):
        label = scaled(mix64(keys[j] ^ word), np.uint64(m))
        out[j] = wrapped(label + shifts[j], np.uint32(m))


@njit(cache=True, nogil=True)
def _best_label(sums: Any, counts: Any, average: Any, fallback: Any, key: Any) -> Any:
    """Return the label of the largest sum or average; ties are broken by a keyed coin.

    Equal averages of integer answers are equal as floats, since both round the same quotient.
    A label that was never asked has the average of all answers.
    """
    best, best_score, best_coin = 0, -np.inf, np.uint64(0)
    for label in range(sums.size):
        score = sums[label]
        if average:
            score = score / counts[label] if counts[label] else fallback
        if score < best_score:
            continue
        coin = keyed64(np.uint64(label), key)
        if score > best_score or coin > best_coin:
            best, best_score, best_coin = label, score, coin
    return best


@njit(cache=True, nogil=True)
def _balanced_vote(
    keys: Any,
    weights: Any,
    m: Any,
    width: Any,
    height: Any,
    k: Any,
    rounds: Any,
    average: Any,
    fallback: Any,
    out: Any,
) -> None:
    w, h, size, modulus = np.uint32(width), np.uint32(height), np.uint32(k), np.uint32(m)
    reciprocal = np.uint64(2**32 // m)
    left, right, low, high = _scratch()
    sums, counts = np.empty(m), np.empty(m, np.int64)
    for j in range(keys.size):
        sums[:] = 0.0
        counts[:] = 0
        low[:] = np.uint32(keys[j])
        high[:] = np.uint32(keys[j] >> np.uint64(32))
        for start in range(0, weights.size, BLOCK):
            count = min(BLOCK, weights.size - start)
            for i in range(count):
                left[i] = np.uint32((start + i) % width)
                right[i] = np.uint32((start + i) // width)
            permute_block(left, right, low, high, count, w, h, size, rounds)
            for i in range(count):
                label = _remainder(left[i], modulus, reciprocal)
                sums[label] += weights[start + i]
                counts[label] += 1
        out[j] = _best_label(sums, counts, average, fallback, keys[j])


@njit(cache=True, nogil=True)
def _uniform_vote(keys: Any, weights: Any, m: Any, average: Any, fallback: Any, out: Any) -> None:
    words = np.empty(weights.size, np.uint64)
    for i in range(weights.size):
        words[i] = mix64(np.uint64(i) + GOLDEN64)
    sums, counts = np.empty(m), np.empty(m, np.int64)
    for j in range(keys.size):
        sums[:] = 0.0
        counts[:] = 0
        for i in range(weights.size):
            label = scaled(mix64(keys[j] ^ words[i]), np.uint64(m))
            sums[label] += weights[i]
            counts[label] += 1
        out[j] = _best_label(sums, counts, average, fallback, keys[j])


@dataclass(frozen=True)
class Columns:
    """A design: how the k labels of one column are drawn."""

    n_queries: int
    n_classes: int

    def write_row(
        self, keys: Keys, index: int, shifts: NDArray[np.uint32], out: NDArray[Any]
    ) -> None:
        """Write query `index` for the columns with these (hashed) keys, plus their shifts."""
        over_slices(
            lambda s: self._row(keys[s], index, shifts[s], out[s]), keys.size, least=LEAST_SLICE
        )

    def vote(
        self, keys: Keys, weights: NDArray[np.float64], *, average: bool
    ) -> NDArray[np.uint32]:
        """Return each column's label with the largest total or average weight.

        `weights` holds one number per query from the first on; there may be fewer than
        n_queries. Ties are broken at random, the same way every time.
        """
        out = np.zeros(keys.size, dtype=np.uint32)
        if weights.size:
            fallback = float(weights.mean())
            over_slices(
                lambda s: self._vote(keys[s], weights, average, fallback, out[s]),
                keys.size,
                least=LEAST_COLUMNS,
            )
        return out

    def _row(self, keys: Keys, index: int, shifts: NDArray[np.uint32], out: NDArray[Any]) -> None:
        raise NotImplementedError

    def _vote(
        self,
        keys: Keys,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        out: NDArray[np.uint32],
    ) -> None:
        raise NotImplementedError


class BalancedColumns(Columns):
    """Each column uniform among the sequences with each label floor or ceil of k/m times.

    Label = (keyed permutation of the query index) mod m.
    """

    def _row(self, keys: Keys, index: int, shifts: NDArray[np.uint32], out: NDArray[Any]) -> None:
        k, m = self.n_queries, self.n_classes
        _balanced_row(keys, index, m, *grid(k), k, rounds_for(k), shifts, out)

    def _vote(
        self,
        keys: Keys,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        out: NDArray[np.uint32],
    ) -> None:
        k, m = self.n_queries, self.n_classes
        _balanced_vote(keys, weights, m, *grid(k), k, rounds_for(k), average, fallback, out)


class UniformColumns(Columns):
    """Every label of every column drawn uniformly and independently."""

    def _row(self, keys: Keys, index: int, shifts: NDArray[np.uint32], out: NDArray[Any]) -> None:
        _uniform_row(keys, index, self.n_classes, shifts, out)

    def _vote(
        self,
        keys: Keys,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        out: NDArray[np.uint32],
    ) -> None:
        _uniform_vote(keys, weights, self.n_classes, average, fallback, out)
