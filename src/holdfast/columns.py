"""Columns of the query matrix: one example's labels over all queries, never stored.

Label (i, j) is recomputed from query index i and column key j: whole rows when queries are asked,
a whole column when an example is decoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.keyed import GOLDEN64, LEAST_SLICE, Keys, keyed64, mix64, scaled, wrapped
from holdfast.permutations import (
    cells,
    grid,
    key_words,
    permute_for_many_keys,
    permute_for_one_key,
    rounds_for,
)
from holdfast.threads import over_slices

__all__ = ["BalancedColumns", "Columns", "UniformColumns"]

# Entries computed at a time, so that the scratch arrays stay in the first-level cache.
BLOCK = 2048

# Columns a thread decodes at least; each costs a pass over all queries.
LEAST_COLUMNS = 64


@njit(cache=True, nogil=True, inline="always")
def _remainder(value: Any, modulus: Any, reciprocal: Any) -> Any:
    """Return value mod modulus for 32-bit values; reciprocal = 2^32 // modulus."""
    quotient = (np.uint64(value) * reciprocal) >> np.uint64(32)
    return wrapped(np.uint64(value) - quotient * np.uint64(modulus), modulus)


@njit(cache=True, nogil=True)
def _balanced_row(
    words: Any,
    first: Any,
    index: Any,
    m: Any,
    width: Any,
    height: Any,
    k: Any,
    rounds: Any,
    shifts: Any,
    out: Any,
) -> None:
    """Write one row for the columns from `first` on, as many as `out` has room for."""
    reciprocal = np.uint64(2**32 // m)
    left, right = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
    image = np.empty(BLOCK, np.uint32)
    for start in range(0, out.size, BLOCK):
        count = min(BLOCK, out.size - start)
        left[:count], right[:count] = np.uint16(index % width), np.uint16(index // width)
        permute_for_many_keys(
            left[:count], right[:count], words, first + start, width, height, k, rounds, image
        )
        for j in range(count):
            label = _remainder(image[j], np.uint32(m), reciprocal)
            out[start + j] = wrapped(label + shifts[start + j], np.uint32(m))


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
    words: Any,
    lefts: Any,
    rights: Any,
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
    reciprocal = np.uint64(2**32 // m)
    left, right = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
    image = np.empty(BLOCK, np.uint32)
    # Two accumulators in turn, so that an addition need not wait for the one before it.
    sums, odd_sums = np.empty(m), np.empty(m)
    counts = np.empty(m, np.int64)
    whole = weights.size == k
    for label in range(m):
        counts[label] = k // m + (label < k % m)
    for j in range(out.size):
        sums[:], odd_sums[:] = 0.0, 0.0
        if not whole:
            counts[:] = 0
        for start in range(0, weights.size, BLOCK):
            stop = min(start + BLOCK, weights.size)
            count = stop - start
            left[:count], right[:count] = lefts[start:stop], rights[start:stop]
            permute_for_one_key(
                left[:count], right[:count], words[:, j], width, height, k, rounds, image
            )
            for i in range(count):
                image[i] = _remainder(image[i], np.uint32(m), reciprocal)
            for i in range(0, count - 1, 2):
                sums[image[i]] += weights[start + i]
                odd_sums[image[i + 1]] += weights[start + i + 1]
            if count % 2:
                sums[image[count - 1]] += weights[stop - 1]
            if not whole:
                for i in range(count):
                    counts[image[i]] += 1
        for label in range(m):
            sums[label] += odd_sums[label]
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

    def on(self, keys: Keys, shifts: NDArray[np.uint32]) -> DrawnColumns:
        """Return the columns of the examples with these hashed keys and label shifts."""
        raise NotImplementedError


@dataclass(frozen=True)
class DrawnColumns:
    """The columns of some examples: rows to ask, votes to decode."""

    design: Columns
    keys: Keys
    shifts: NDArray[np.uint32]

    def write_rows(self, first: int, out: NDArray[Any]) -> None:
        """Write queries first, first + 1, ... into the rows of `out`, shifts added.

        They must all be below n_queries: beyond it there is no permutation to follow.
        """
        rows, n = out.shape
        if rows == 1:
            over_slices(lambda s: self._row(first, s, out[0, s]), n, least=LEAST_SLICE)
            return

        def some_rows(s: slice) -> None:
            for row in range(s.start, s.stop):
                self._row(first + row, slice(0, n), out[row])

        over_slices(some_rows, rows, least=max(LEAST_SLICE // max(n, 1), 1))

    def vote(self, weights: NDArray[np.float64], *, average: bool) -> NDArray[np.uint32]:
        """Return each column's label with the largest total or average weight, unshifted.

        `weights` holds one number per query from the first on; there may be fewer than
        n_queries. Ties are broken at random, the same way every time.
        """
        out = np.zeros(self.keys.size, dtype=np.uint32)
        if weights.size:
            fallback = float(weights.mean())
            over_slices(
                lambda s: self._vote(weights, average, fallback, s, out[s]),
                self.keys.size,
                least=LEAST_COLUMNS,
            )
        return out

    def _row(self, index: int, here: slice, out: NDArray[Any]) -> None:
        raise NotImplementedError

    def _vote(
        self,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        here: slice,
        out: NDArray[np.uint32],
    ) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class _DrawnBalanced(DrawnColumns):
    words: NDArray[np.uint16]

    def _row(self, index: int, here: slice, out: NDArray[Any]) -> None:
        k, m = self.design.n_queries, self.design.n_classes
        shifts = self.shifts[here]
        _balanced_row(self.words, here.start, index, m, *grid(k), k, rounds_for(k), shifts, out)

    def _vote(
        self,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        here: slice,
        out: NDArray[np.uint32],
    ) -> None:
        k, m = self.design.n_queries, self.design.n_classes
        left, right = cells(np.arange(weights.size), k)
        _balanced_vote(
            self.keys[here],
            self.words[:, here],
            left,
            right,
            weights,
            m,
            *grid(k),
            k,
            rounds_for(k),
            average,
            fallback,
            out,
        )


@dataclass(frozen=True)
class _DrawnUniform(DrawnColumns):
    def _row(self, index: int, here: slice, out: NDArray[Any]) -> None:
        _uniform_row(self.keys[here], index, self.design.n_classes, self.shifts[here], out)

    def _vote(
        self,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        here: slice,
        out: NDArray[np.uint32],
    ) -> None:
        _uniform_vote(self.keys[here], weights, self.design.n_classes, average, fallback, out)


class BalancedColumns(Columns):
    """Each column uniform among the sequences with each label floor or ceil of k/m times.

    Label = (keyed permutation of the query index) mod m.
    """

    def on(self, keys: Keys, shifts: NDArray[np.uint32]) -> DrawnColumns:
        """Return the columns of the examples with these hashed keys and label shifts."""
        return _DrawnBalanced(self, keys, shifts, key_words(keys))


class UniformColumns(Columns):
    """Every label of every column drawn uniformly and independently."""

    def on(self, keys: Keys, shifts: NDArray[np.uint32]) -> DrawnColumns:
        """Return the columns of the examples with these hashed keys and label shifts."""
        return _DrawnUniform(self, keys, shifts)
