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

from holdfast.errors import InvalidInput
from holdfast.kernels.keyed import GOLDEN64, LEAST_SLICE, Keys, keyed64, mix64, scaled, wrapped
from holdfast.kernels.permutations import (
    LARGEST_SIZE,
    cells,
    grid,
    key_words,
    rounds_for,
    scramble_by_many_keys,
    scramble_by_one_key,
    striped_grid,
)
from holdfast.kernels.threads import over_slices
from holdfast.kernels.uint16_simd import (
    CHUNK_ENTRIES,
    add16,
    constant_lanes,
    high16,
    mul16,
    sub16,
    wrap16,
)

__all__ = ["BalancedColumns", "Columns", "UniformColumns"]

# Columns per thread at least; each costs a pass over all queries.
LEAST_COLUMNS = 64


@njit(cache=True, nogil=True, inline="always")
def _remainder(value: Any, modulus: Any, reciprocal: Any) -> Any:
    """Return value mod modulus for 32-bit values; reciprocal = 2^32 // modulus."""
    quotient = (np.uint64(value) * reciprocal) >> np.uint64(32)
    return wrapped(np.uint64(value) - quotient * np.uint64(modulus), modulus)


@njit(cache=True, nogil=True)
def _striped_labels(right: Any, moduli: Any, reciprocals: Any) -> None:
    """Replace right coordinates by their labels on a striped grid: sixteen bits throughout."""
    for i in range(right.size):
        quotient = high16(right[i], reciprocals[i])
        right[i] = wrap16(sub16(right[i], mul16(quotient, moduli[i])), moduli[i])


@njit(cache=True, nogil=True)
def _striped_shifted_labels(
    right: Any, shifts: Any, moduli: Any, reciprocals: Any, out: Any
) -> None:
    """Write the labels with their shifts added: one pass over the coordinates."""
    for i in range(right.size):
        quotient = high16(right[i], reciprocals[i])
        label = wrap16(sub16(right[i], mul16(quotient, moduli[i])), moduli[i])
        out[i] = wrap16(add16(label, shifts[i]), moduli[i])


@njit(cache=True, nogil=True)
def _striped_rows(
    words: Any,
    start: Any,
    stop: Any,
    index: Any,
    m: Any,
    width: Any,
    height: Any,
    k: Any,
    rounds: Any,
    shifts: Any,
    out: Any,
) -> None:
    """Write the rows from `index` on, as many as `out` has, in the columns start .. stop - 1.

    Arrays come whole: the rows of a slice of `out` would not be known to be contiguous.
    """
    moduli, reciprocals = constant_lanes(np.uint16(m)), constant_lanes(np.uint16(65535 // m))
    left, right = np.empty(CHUNK_ENTRIES, np.uint16), np.empty(CHUNK_ENTRIES, np.uint16)
    for first in range(start, stop, CHUNK_ENTRIES):
        last = min(first + CHUNK_ENTRIES, stop)
        here, there = left[: last - first], right[: last - first]
        # All rows of a few columns before the next, so that their keys stay at hand.
        for row in range(out.shape[0]):
            here[:] = np.uint16((index + row) // height)
            there[:] = np.uint16((index + row) % height)
            scramble_by_many_keys(here, there, words, first, width, height, k, rounds)
            _striped_shifted_labels(
                there, shifts[first:last], moduli, reciprocals, out[row, first:last]
            )


@njit(cache=True, nogil=True)
def _balanced_rows(
    words: Any,
    start: Any,
    stop: Any,
    index: Any,
    m: Any,
    width: Any,
    height: Any,
    k: Any,
    rounds: Any,
    shifts: Any,
    out: Any,
) -> None:
    """As `_striped_rows`, on any grid and for any number of labels."""
    reciprocal = np.uint64(2**32 // m)
    left, right = np.empty(CHUNK_ENTRIES, np.uint16), np.empty(CHUNK_ENTRIES, np.uint16)
    for first in range(start, stop, CHUNK_ENTRIES):
        count = min(CHUNK_ENTRIES, stop - first)
        here, there = left[:count], right[:count]
        for row in range(out.shape[0]):
            here[:] = np.uint16((index + row) // height)
            there[:] = np.uint16((index + row) % height)
            scramble_by_many_keys(here, there, words, first, width, height, k, rounds)
            for j in range(count):
                image = np.uint32(here[j]) * np.uint32(height) + np.uint32(there[j])
                label = _remainder(image, np.uint32(m), reciprocal)
                out[row, first + j] = wrapped(label + shifts[first + j], np.uint32(m))


@njit(cache=True, nogil=True)
def _uniform_rows(
    keys: Any, start: Any, stop: Any, index: Any, m: Any, shifts: Any, out: Any
) -> None:
    for row in range(out.shape[0]):
        word = mix64(np.uint64(index + row) + GOLDEN64)
        for j in range(start, stop):
            label = scaled(mix64(keys[j] ^ word), np.uint64(m))
            out[row, j] = wrapped(label + shifts[j], np.uint32(m))


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
def _add_up(labels: Any, weights: Any, sums: Any, odd_sums: Any) -> None:
    """Add each weight to its label's sum.

    Two accumulators in turn, so that an addition need not wait for the one before it.
    """
    for i in range(0, labels.size - 1, 2):
        sums[labels[i]] += weights[i]
        odd_sums[labels[i + 1]] += weights[i + 1]
    if labels.size % 2:
        sums[labels[-1]] += weights[-1]


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
    striped = height % m == 0
    modulus = np.uint16(m if striped else 2)
    moduli, reciprocals = constant_lanes(modulus), constant_lanes(np.uint16(65535 // modulus))
    reciprocal = np.uint64(2**32 // m)
    left, right = np.empty(CHUNK_ENTRIES, np.uint16), np.empty(CHUNK_ENTRIES, np.uint16)
    labels = np.empty(CHUNK_ENTRIES, np.uint32)
    sums, odd_sums = np.empty(m), np.empty(m)
    counts = np.empty(m, np.int64)
    whole = weights.size == k
    for label in range(m):
        counts[label] = k // m + (label < k % m)
    for j in range(out.size):
        sums[:], odd_sums[:] = 0.0, 0.0
        if not whole:
            counts[:] = 0
        for start in range(0, weights.size, CHUNK_ENTRIES):
            stop = min(start + CHUNK_ENTRIES, weights.size)
            here, there = left[: stop - start], right[: stop - start]
            here[:], there[:] = lefts[start:stop], rights[start:stop]
            scramble_by_one_key(here, there, words[:, j], width, height, k, rounds)
            if striped:
                _striped_labels(there, moduli, reciprocals)
                labels[: stop - start] = there
            else:
                for i in range(stop - start):
                    image = np.uint32(here[i]) * np.uint32(height) + np.uint32(there[i])
                    labels[i] = _remainder(image, np.uint32(m), reciprocal)
            _add_up(labels[: stop - start], weights[start:stop], sums, odd_sums)
            if not whole:
                for i in range(stop - start):
                    counts[labels[i]] += 1
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
        least = max(LEAST_SLICE // max(out.shape[0], 1), 1)
        over_slices(lambda s: self._rows(first, s, out), out.shape[1], least=least)

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

    def _rows(self, index: int, here: slice, out: NDArray[Any]) -> None:
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
    # The shifts in the width of the loops that add them: 16 bits where the grid is striped.
    lane_shifts: NDArray[Any]
    grid: tuple[int, int]

    def _rows(self, index: int, here: slice, out: NDArray[Any]) -> None:
        k, m = self.design.n_queries, self.design.n_classes
        rows = _striped_rows if self.lane_shifts.dtype == np.uint16 else _balanced_rows
        columns = (self.words, here.start, here.stop)
        rows(*columns, index, m, *self.grid, k, rounds_for(k), self.lane_shifts, out)

    def _vote(
        self,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        here: slice,
        out: NDArray[np.uint32],
    ) -> None:
        k, m = self.design.n_queries, self.design.n_classes
        left, right = cells(np.arange(weights.size), self.grid[1])
        _balanced_vote(
            self.keys[here],
            self.words[:, here],
            left,
            right,
            weights,
            m,
            *self.grid,
            k,
            rounds_for(k),
            average,
            fallback,
            out,
        )


@dataclass(frozen=True)
class _DrawnUniform(DrawnColumns):
    def _rows(self, index: int, here: slice, out: NDArray[Any]) -> None:
        m = self.design.n_classes
        _uniform_rows(self.keys, here.start, here.stop, index, m, self.shifts, out)

    def _vote(
        self,
        weights: NDArray[np.float64],
        average: bool,
        fallback: float,
        here: slice,
        out: NDArray[np.uint32],
    ) -> None:
        _uniform_vote(self.keys[here], weights, self.design.n_classes, average, fallback, out)


@dataclass(frozen=True)
class BalancedColumns(Columns):
    """Each column a random order of a multiset with each label floor or ceil of k/m times.

    Label = (keyed permutation of the query index) mod m, plus the shift: if m does not divide k,
    the labels that appear once more are the k mod m from the shift on.
    """

    def __post_init__(self) -> None:
        if self.n_queries > LARGEST_SIZE:
            raise InvalidInput(
                f"n_queries must be at most {LARGEST_SIZE} for balanced columns, "
                f"got {self.n_queries}.",
                reason="it can't use so many looks.",
            )

    def on(self, keys: Keys, shifts: NDArray[np.uint32]) -> DrawnColumns:
        """Return the columns of the examples with these hashed keys and label shifts."""
        striped = striped_grid(self.n_queries, self.n_classes)
        lane_shifts = shifts if striped is None else shifts.astype(np.uint16)
        return _DrawnBalanced(
            self, keys, shifts, key_words(keys), lane_shifts, striped or grid(self.n_queries)
        )


class UniformColumns(Columns):
    """Every label of every column drawn uniformly and independently."""

    def on(self, keys: Keys, shifts: NDArray[np.uint32]) -> DrawnColumns:
        """Return the columns of the examples with these hashed keys and label shifts."""
        return _DrawnUniform(self, keys, shifts)
