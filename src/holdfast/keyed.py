r"""Keyed functions of a row: random choices that are recomputed instead of stored.

A non-adaptive attack draws a random label for every (query, example) pair, and must know them all
again when it decodes. Instead of a k x n matrix it keeps one seed: everything random about a row
is an integer function of (seed, key of the row, query index). The key is the row's index where
the test features are known and a hash of its features where they are not, so the same functions
serve both cases, in every process and on every platform: only integer arithmetic modulo 2^64 and
2^32 is used.

The kernels are compiled, release the GIL and are shared by all attacks.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.problem import check_at_least
from holdfast.threads import over_slices

__all__ = ["Keys", "bounded", "hash_keys", "inverse_permutation", "permutation", "subkey", "wrap"]

Keys = NDArray[np.uint64]

# Below this many keys a second thread costs more than it saves.
LEAST_SLICE = 1 << 16

GOLDEN64 = np.uint64(0x9E3779B97F4A7C15)
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
    return mix64(mix64(key + GOLDEN64) ^ seed)


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


def wrap(values: NDArray[np.uint32], modulus: int) -> NDArray[np.uint32]:
    """Reduce values below 2 * modulus to below modulus, in place.

    >>> wrap(np.array([1, 3, 5], dtype=np.uint32), 3)
    array([1, 0, 2], dtype=uint32)
    """
    # Below the modulus the subtraction wraps around to a huge number.
    np.minimum(values, values - np.uint32(modulus), out=values)
    return values


@njit(cache=True, nogil=True)
def _hash_keys(keys: Any, seed: Any, out: Any) -> None:
    for j in range(keys.size):
        out[j] = keyed64(keys[j], seed)


@njit(cache=True, nogil=True)
def _bounded(keys: Any, seed: Any, bound: Any, out: Any) -> None:
    for j in range(keys.size):
        out[j] = scaled(keyed64(keys[j], seed), bound)


@lru_cache(maxsize=1024)
def subkey(seed: int, purpose: str) -> np.uint64:
    """Return an independent 64-bit seed for one purpose, derived from the attack's seed.

    >>> bool(subkey(1, "shift") == subkey(1, "column"))
    False
    """
    word = np.array([seed % 2**64], dtype=np.uint64)
    for letter in purpose.encode():
        word = hash_keys(word, np.uint64(letter))
    return np.uint64(word[0])


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


# --- keyed permutations -------------------------------------------------------------------------
# A Feistel network on a width x height grid that barely covers the domain 0 .. size - 1. An image
# in one of the few cells outside is sent through the network again ("cycle walking").


def grid(size: int) -> tuple[int, int]:
    """Return width and height of the smallest nearly square grid with at least `size` cells."""
    check_at_least("size", size, 1)
    width = math.isqrt(size - 1) + 1
    return width, -(-size // width)


def rounds_for(size: int) -> int:
    """Return how many Feistel rounds a domain of `size` needs.

    Small domains mix slowly: below 16 rounds a chi-square test over all orders of 5 or 6 items
    sees a bias, with 24 it sees none (tests/test_keyed.py). Large ones only need pairs of
    queries to look independent.
    """
    return 24 if size <= 1024 else 8


@njit(cache=True, nogil=True, inline="always")
def _step(left: Any, right: Any, width: Any, round_key: Any) -> Any:
    """Add a keyed function of `right` to `left`, modulo `width`."""
    word = np.uint32(np.uint32(right ^ round_key) * _MIX32_A)
    word = np.uint32(np.uint32(word ^ np.uint32(word >> np.uint32(15))) * _MIX32_B)
    return wrapped(left + ((np.uint64(word) * np.uint64(width)) >> np.uint64(32)), width)


@njit(cache=True, nogil=True)
def _walk(image: Any, low: Any, high: Any, w: Any, h: Any, size: Any, rounds: Any) -> Any:
    """Apply the network until the image lies in the domain."""
    while image >= size:
        left, right = np.uint32(image % w), np.uint32(image // w)
        for r in range(0, rounds, 2):
            left = _step(left, right, w, np.uint32(low + np.uint32(r) * _GOLDEN32))
            right = _step(right, left, h, np.uint32(high + np.uint32(r + 1) * _GOLDEN32))
        image = np.uint32(right * w + left)
    return image


@njit(cache=True, nogil=True)
def permute_block(
    left: Any, right: Any, low: Any, high: Any, count: Any, w: Any, h: Any, size: Any, rounds: Any
) -> None:
    """Replace left[i] by the image of left[i] + w * right[i] under the key (low[i], high[i]).

    The first `count` entries of four uint32 scratch arrays. Each half round is one loop over
    three arrays, which the compiler vectorises; a single loop over all four it does not.
    """
    for r in range(0, rounds, 2):
        even, odd = np.uint32(np.uint32(r) * _GOLDEN32), np.uint32(np.uint32(r + 1) * _GOLDEN32)
        for i in range(count):
            left[i] = _step(left[i], right[i], w, np.uint32(low[i] + even))
        for i in range(count):
            right[i] = _step(right[i], left[i], h, np.uint32(high[i] + odd))
    for i in range(count):
        left[i] += np.uint32(right[i] * w)
    for i in range(count):
        if left[i] >= size:
            left[i] = _walk(left[i], low[i], high[i], w, h, size, rounds)


@njit(cache=True, nogil=True)
def _permute(values: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any) -> Any:
    count = values.size
    left, right = np.empty(count, np.uint32), np.empty(count, np.uint32)
    low, high = np.empty(count, np.uint32), np.empty(count, np.uint32)
    for i in range(count):
        left[i], right[i] = values[i] % width, values[i] // width
        low[i], high[i] = np.uint32(key), np.uint32(key >> np.uint64(32))
    w, h = np.uint32(width), np.uint32(height)
    permute_block(left, right, low, high, count, w, h, np.uint32(size), rounds)
    return left


@njit(cache=True, nogil=True)
def _unpermute(values: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any) -> Any:
    low, high = np.uint32(key), np.uint32(key >> np.uint64(32))
    w, h, none = np.uint32(width), np.uint32(height), np.uint32(0)
    out = np.empty(values.size, np.uint32)
    for i in range(values.size):
        left, right = np.uint32(values[i] % width), np.uint32(values[i] // width)
        while True:
            for back in range(2, rounds + 1, 2):
                r = np.uint32(rounds - back)
                moved = _step(none, left, h, np.uint32(high + (r + np.uint32(1)) * _GOLDEN32))
                right = wrapped(right + h - moved, h)
                moved = _step(none, right, w, np.uint32(low + r * _GOLDEN32))
                left = wrapped(left + w - moved, w)
            if right * w + left < size:
                break
        out[i] = right * w + left
    return out


def permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Apply the keyed permutation of 0 .. size - 1 to every value.

    >>> sorted(permutation(np.arange(5), np.uint64(7), 5).tolist())
    [0, 1, 2, 3, 4]
    """
    images: NDArray[np.uint32] = _permute(
        values, np.uint64(key), *grid(size), size, rounds_for(size)
    )
    return images


def inverse_permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Undo `permutation` with the same key and size.

    >>> inverse_permutation(permutation(np.arange(5), np.uint64(7), 5), np.uint64(7), 5).tolist()
    [0, 1, 2, 3, 4]
    """
    originals: NDArray[np.uint32] = _unpermute(
        values, np.uint64(key), *grid(size), size, rounds_for(size)
    )
    return originals
