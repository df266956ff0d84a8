r"""Keyed functions of a row: random choices that are recomputed instead of stored.

A non-adaptive attack draws a random label for every (query, example) pair, and must know them all
again when it decodes. Instead of a k x n matrix it keeps one seed: everything random about a row
is an integer function of (seed, key of the row, query index). The key is the row's index where
the test features are known and a hash of its features where they are not, so the same functions
serve both cases, in every process and on every platform: only integer arithmetic modulo 2^64 and
2^32 is used.

The kernels are compiled, release the GIL and are shared by all attacks. They are inlined into
loops, so each is one short function.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.problem import check_at_least
from holdfast.threads import over_slices

__all__ = [
    "balanced_labels",
    "bounded",
    "hash_keys",
    "inverse_permutation",
    "permutation",
    "subkey",
    "uniform_labels",
]

Keys = NDArray[np.uint64]

# Below this many keys a second thread costs more than it saves.
LEAST_SLICE = 1 << 16

# Columns are computed this many at a time, so that the halves of the Feistel network stay in the
# first-level cache and each round is one loop that vectorises.
BLOCK = 1024

_GOLDEN64 = np.uint64(0x9E3779B97F4A7C15)
_MIX64_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX64_B = np.uint64(0x94D049BB133111EB)
_GOLDEN32 = np.uint32(0x9E3779B9)
_MIX32_A = np.uint32(0x7FEB352D)
_MIX32_B = np.uint32(0x846CA68B)


@njit(cache=True, nogil=True, inline="always")
def mix64(x: Any) -> Any:
    """Scramble 64 bits: the finaliser of SplitMix64, a bijection."""
    x = (x ^ (x >> np.uint64(30))) * _MIX64_A
    x = (x ^ (x >> np.uint64(27))) * _MIX64_B
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def keyed64(key: Any, seed: Any) -> Any:
    """Hash a 64-bit key under a 64-bit seed."""
    return mix64(mix64(key + _GOLDEN64) ^ seed)


@njit(cache=True, nogil=True, inline="always")
def scaled(word: Any, bound: Any) -> Any:
    """Map a hash to 0 .. bound-1 by its upper 32 bits; off uniform by at most bound/2^32."""
    return ((word >> np.uint64(32)) * bound) >> np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def wrapped(value: Any, modulus: Any) -> Any:
    """Return value mod modulus for value < 2 * modulus, without a branch.

    Below the modulus the subtraction wraps around to a huge number, and the minimum ignores it.
    """
    return np.uint32(min(np.uint32(value), np.uint32(value - modulus)))


@njit(cache=True, nogil=True, inline="always")
def _round(left: Any, right: Any, width: Any, round_key: Any) -> Any:
    """Add a keyed function of `right` to `left`, modulo `width`."""
    word = np.uint32(np.uint32(right ^ round_key) * _MIX32_A)
    word = np.uint32(np.uint32(word ^ np.uint32(word >> np.uint32(15))) * _MIX32_B)
    return wrapped(left + ((np.uint64(word) * np.uint64(width)) >> np.uint64(32)), width)


@njit(cache=True, nogil=True)
def walked(image: Any, low: Any, high: Any, width: Any, height: Any, size: Any, rounds: Any) -> Any:
    """Apply the Feistel network again and again until the image lies in the domain."""
    while image >= size:
        left, right = np.uint32(image % width), np.uint32(image // width)
        for r in range(0, rounds, 2):
            left = _round(left, right, width, np.uint32(low + np.uint32(r) * _GOLDEN32))
            right = _round(right, left, height, np.uint32(high + np.uint32(r + 1) * _GOLDEN32))
        image = right * width + left
    return image


def rounds_for(size: int) -> int:
    """Return how many Feistel rounds a domain of `size` needs.

    Small domains mix slowly: below 16 rounds a chi-square test over all orders of 5 or 6 items
    sees a bias, with 24 it sees none (tests/test_keyed.py). Large ones only need pairs of
    queries to look independent.
    """
    return 24 if size <= 1024 else 8


def grid(size: int) -> tuple[int, int]:
    """Return width and height of the smallest nearly square grid with at least `size` cells."""
    check_at_least("size", size, 1)
    width = math.isqrt(size - 1) + 1
    return width, -(-size // width)


@njit(cache=True, nogil=True)
def _hash_keys(keys: Any, seed: Any, out: Any) -> Any:
    for j in range(keys.size):
        out[j] = keyed64(keys[j], seed)


@njit(cache=True, nogil=True)
def _bounded(keys: Any, seed: Any, bound: Any, out: Any) -> Any:
    for j in range(keys.size):
        out[j] = scaled(keyed64(keys[j], seed), bound)


@njit(cache=True, nogil=True, inline="always")
def remainder(value: Any, modulus: Any, reciprocal: Any) -> Any:
    """Return value mod modulus for 32-bit values; reciprocal = 2^32 // modulus."""
    quotient = (np.uint64(value) * reciprocal) >> np.uint64(32)
    rest = np.uint32(np.uint64(value) - quotient * np.uint64(modulus))
    return wrapped(rest, modulus)


@njit(cache=True, nogil=True)
def _balanced_labels(
    keys: Any,
    index: Any,
    n_classes: Any,
    width: Any,
    height: Any,
    size: Any,
    rounds: Any,
    shifts: Any,
    out: Any,
) -> Any:
    w, h, m = np.uint32(width), np.uint32(height), np.uint32(n_classes)
    reciprocal = np.uint64(2**32 // n_classes)
    low, high = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    left, right = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    for start in range(0, keys.size, BLOCK):
        count = min(BLOCK, keys.size - start)
        for j in range(count):
            low[j] = np.uint32(keys[start + j])
            high[j] = np.uint32(keys[start + j] >> np.uint64(32))
            left[j] = np.uint32(index % width)
            right[j] = np.uint32(index // width)
        for r in range(0, rounds, 2):
            even, odd = np.uint32(r) * _GOLDEN32, np.uint32(r + 1) * _GOLDEN32
            # Two loops, not one: with fewer arrays in each the compiler vectorises both.
            for j in range(count):
                left[j] = _round(left[j], right[j], w, np.uint32(low[j] + even))
            for j in range(count):
                right[j] = _round(right[j], left[j], h, np.uint32(high[j] + odd))
        for j in range(count):
            left[j] += np.uint32(right[j] * w)
        for j in range(count):
            if left[j] >= size:
                left[j] = walked(left[j], low[j], high[j], w, h, np.uint32(size), rounds)
        for j in range(count):
            out[start + j] = wrapped(remainder(left[j], m, reciprocal) + shifts[start + j], m)


@njit(cache=True, nogil=True)
def _uniform_labels(keys: Any, index: Any, n_classes: Any, shifts: Any, out: Any) -> Any:
    word = mix64(np.uint64(index) + _GOLDEN64)
    m = np.uint32(n_classes)
    for j in range(keys.size):
        out[j] = wrapped(scaled(mix64(keys[j] ^ word), np.uint64(n_classes)) + shifts[j], m)


def subkey(seed: int, purpose: str) -> np.uint64:
    """Return an independent 64-bit seed for one purpose, derived from the attack's seed.

    >>> subkey(1, "shift") == subkey(1, "column")
    np.False_
    """
    word = np.uint64(seed % 2**64)
    with np.errstate(over="ignore"):
        for letter in purpose.encode():
            word = np.uint64(mix64(word ^ np.uint64(letter)) + _GOLDEN64)
    return word


def hash_keys(keys: Keys, seed: np.uint64) -> Keys:
    """Hash every key under `seed`."""
    out = np.empty(keys.size, dtype=np.uint64)
    over_slices(lambda s: _hash_keys(keys[s], seed, out[s]), keys.size, least=LEAST_SLICE)
    return out


def bounded(keys: Keys, seed: np.uint64, bound: int) -> NDArray[np.uint32]:
    """Map every key to a keyed uniform integer in 0 .. bound - 1."""
    out = np.empty(keys.size, dtype=np.uint32)
    over_slices(
        lambda s: _bounded(keys[s], seed, np.uint64(bound), out[s]), keys.size, least=LEAST_SLICE
    )
    return out


def balanced_labels(
    columns: Keys,
    index: int,
    n_queries: int,
    n_classes: int,
    shifts: NDArray[np.uint32],
    out: NDArray[Any],
) -> None:
    """Write row `index` of near-balanced columns: each label floor or ceil of k/m times.

    `columns` are hashed keys (`hash_keys`); label = (permutation of the index) mod m, plus the
    row's shift.
    """
    width, height = grid(n_queries)
    rounds = rounds_for(n_queries)
    over_slices(
        lambda s: _balanced_labels(
            columns[s], index, n_classes, width, height, n_queries, rounds, shifts[s], out[s]
        ),
        columns.size,
        least=LEAST_SLICE,
    )


def uniform_labels(
    columns: Keys, index: int, n_classes: int, shifts: NDArray[np.uint32], out: NDArray[Any]
) -> None:
    """Write row `index` of columns drawn uniformly and independently, plus the row's shift."""
    over_slices(
        lambda s: _uniform_labels(columns[s], index, n_classes, shifts[s], out[s]),
        columns.size,
        least=LEAST_SLICE,
    )


@njit(cache=True, nogil=True)
def _permute(
    values: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any, out: Any
) -> Any:
    low, high = np.uint32(key), np.uint32(key >> np.uint64(32))
    w, h = np.uint32(width), np.uint32(height)
    for i in range(values.size):
        left, right = np.uint32(values[i] % width), np.uint32(values[i] // width)
        for r in range(0, rounds, 2):
            left = _round(left, right, w, np.uint32(low + np.uint32(r) * _GOLDEN32))
            right = _round(right, left, h, np.uint32(high + np.uint32(r + 1) * _GOLDEN32))
        out[i] = walked(right * w + left, low, high, w, h, np.uint32(size), rounds)


@njit(cache=True, nogil=True)
def _unpermute(
    values: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any, out: Any
) -> Any:
    low, high = np.uint32(key), np.uint32(key >> np.uint64(32))
    w, h, none = np.uint32(width), np.uint32(height), np.uint32(0)
    for i in range(values.size):
        left, right = np.uint32(values[i] % width), np.uint32(values[i] // width)
        while True:
            for back in range(2, rounds + 1, 2):
                r = np.uint32(rounds - back)
                moved = _round(none, left, h, np.uint32(high + (r + np.uint32(1)) * _GOLDEN32))
                right = right - moved if right >= moved else right + h - moved
                moved = _round(none, right, w, np.uint32(low + r * _GOLDEN32))
                left = left - moved if left >= moved else left + w - moved
            if right * w + left < size:
                break
        out[i] = right * w + left


def permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Apply the keyed permutation of 0 .. size - 1 to every value.

    >>> sorted(permutation(np.arange(5), np.uint64(7), 5).tolist())
    [0, 1, 2, 3, 4]
    """
    out = np.empty(values.size, dtype=np.uint32)
    _permute(values, np.uint64(key), *grid(size), size, rounds_for(size), out)
    return out


def inverse_permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Undo `permutation` with the same key and size.

    >>> inverse_permutation(permutation(np.arange(5), np.uint64(7), 5), np.uint64(7), 5).tolist()
    [0, 1, 2, 3, 4]
    """
    out = np.empty(values.size, dtype=np.uint32)
    _unpermute(values, np.uint64(key), *grid(size), size, rounds_for(size), out)
    return out
