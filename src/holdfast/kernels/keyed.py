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

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.hashing import GOLDEN64, MIX64_A, MIX64_B
from holdfast.kernels.threads import over_slices

__all__ = ["GOLDEN64", "Keys", "bounded", "hash_keys", "subkey", "wrap"]

Keys = NDArray[np.uint64]

# Below this many keys a second thread costs more than it saves.
LEAST_SLICE = 1 << 16


@njit(cache=True, nogil=True, inline="always")
def mix64(x: Any) -> Any:
    """Scramble 64 bits: the finaliser of SplitMix64, a bijection."""
    x = (x ^ (x >> np.uint64(30))) * MIX64_A
    x = (x ^ (x >> np.uint64(27))) * MIX64_B
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


@njit(cache=True, nogil=True)
def _hash_letters(word: Any, letters: Any) -> Any:
    for letter in letters:
        word = keyed64(word, np.uint64(letter))
    return word


@lru_cache(maxsize=1024)
def subkey(seed: int, purpose: str) -> np.uint64:
    """Return an independent 64-bit seed for one purpose, derived from the attack's seed.

    >>> bool(subkey(1, "shift") == subkey(1, "column"))
    False
    """
    letters = np.frombuffer(purpose.encode(), dtype=np.uint8)
    return np.uint64(_hash_letters(np.uint64(seed % 2**64), letters))


def hash_keys(keys: Keys, seed: np.uint64) -> Keys:
    """Hash every key under `seed`."""
    out = np.empty(keys.size, dtype=np.uint64)
    over_slices(lambda s: _hash_keys(keys[s], seed, out[s]), keys.size, least=LEAST_SLICE)
    return out


def bounded(keys: Keys, seed: np.uint64, bound: int) -> NDArray[np.uint32]:
    """Map every key to a keyed uniform integer in 0 .. bound - 1."""
    out = np.empty(keys.size, dtype=np.uint32)
    if keys.size < LEAST_SLICE:  # with less ado: small games come by the thousand
        _bounded(keys, seed, np.uint64(bound), out)
        return out
    over_slices(
        lambda s: _bounded(keys[s], seed, np.uint64(bound), out[s]), keys.size, least=LEAST_SLICE
    )
    return out
