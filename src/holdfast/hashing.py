"""Keyed hashes of 64 bits in plain numpy: what rules draw, where no compiler is loaded.

`holdfast.kernels.keyed` has the same functions compiled, for loops that hash inside of them; a test
holds the two together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["GOLDEN64", "MIX64_A", "MIX64_B", "hash_keys", "subkey"]

Keys = NDArray[np.uint64]

# The constants of SplitMix64.
GOLDEN64 = np.uint64(0x9E3779B97F4A7C15)
MIX64_A = np.uint64(0xBF58476D1CE4E5B9)
MIX64_B = np.uint64(0x94D049BB133111EB)


def hash_keys(keys: Keys, seed: np.uint64) -> Keys:
    """Hash every key under a seed.

    >>> hash_keys(np.arange(2, dtype=np.uint64), np.uint64(1)).tolist()
    [11385487063155714807, 6652587683579779273]
    """
    return _mixed(_mixed(keys + GOLDEN64) ^ seed)


def subkey(seed: int, purpose: str) -> np.uint64:
    """Return an independent seed for one purpose.

    >>> bool(subkey(1, "subsample") == subkey(1, "split"))
    False
    """
    word = np.array([seed % 2**64], dtype=np.uint64)
    for letter in purpose.encode():
        word = hash_keys(word, np.uint64(letter))
    return np.uint64(word[0])


def _mixed(x: Keys) -> Keys:
    """Scramble 64 bits by SplitMix64's finaliser; products of arrays wrap around."""
    x = (x ^ (x >> np.uint64(30))) * MIX64_A
    x = (x ^ (x >> np.uint64(27))) * MIX64_B
    return x ^ (x >> np.uint64(31))
