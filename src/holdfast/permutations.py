"""Keyed permutations of 0 .. size - 1, fast enough to be recomputed for every query and example.

A Feistel network on a width x height grid that barely covers the domain. A number is a cell
(left, right); each half round adds a keyed function of one coordinate to the other. An image in
one of the few cells outside the domain is sent through the network again ("cycle walking").

Both coordinates fit in 16 bits, and so does all arithmetic: vector units multiply sixteen such
numbers at once, which makes a permutation about as fast as reading its result from memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.problem import check_at_least

__all__ = ["inverse_permutation", "permutation"]

# Twice a coordinate must fit in 16 bits.
LARGEST_SIZE = 2**30

_GOLDEN16 = np.uint16(0x9E37)
_MIX16_A = np.uint16(0x9E3B)
_MIX16_B = np.uint16(0x6D2D)


def grid(size: int) -> tuple[int, int]:
    """Return width and height of the smallest nearly square grid with at least `size` cells."""
    if check_at_least("size", size, 1) > LARGEST_SIZE:
        raise InvalidInput(f"size must be at most {LARGEST_SIZE}, got {size}.")
    width = math.isqrt(size - 1) + 1
    return width, -(-size // width)


def rounds_for(size: int) -> int:
    """Return how many half rounds a domain of `size` needs, a multiple of four.

    Small domains mix slowly: a chi-square test over all orders of 5 or 6 items sees a bias below
    16, and none at 24 (tests/test_permutations.py). Larger ones only need pairs of queries to
    look independent (tests/test_columns.py): 4 half rounds leave a trace of bias at 4,145
    queries of 100 classes, 8 leave none, and at 20,000 queries 4 leave none.
    """
    if size <= 2**10:
        return 24
    return 8 if size <= 2**14 else 4


@njit(cache=True, nogil=True, inline="always")
def _step(left: Any, right: Any, width: Any, round_key: Any) -> Any:
    """Add a keyed function of `right` to `left`, modulo `width`; all 16 bits."""
    word = np.uint16(np.uint16(right ^ round_key) * _MIX16_A)
    word = np.uint16(np.uint16(word ^ np.uint16(word >> np.uint16(7))) * _MIX16_B)
    scaled = np.uint16((np.uint32(word) * np.uint32(width)) >> np.uint32(16))
    moved = np.uint16(left + scaled)
    # Below the width the subtraction wraps around, and the minimum ignores it.
    return np.uint16(min(moved, np.uint16(moved - width)))


@njit(cache=True, nogil=True)
def _half_round(moving: Any, still: Any, keys: Any, side: Any, constant: Any) -> None:
    """Add a keyed function of `still` to `moving`: one loop that vectorises."""
    for i in range(moving.size):
        moving[i] = _step(moving[i], still[i], side, np.uint16(keys[i] + constant))


@njit(cache=True, nogil=True)
def _half_round_one_key(moving: Any, still: Any, key: Any, side: Any) -> None:
    """As `_half_round`, with one key for all."""
    for i in range(moving.size):
        moving[i] = _step(moving[i], still[i], side, key)


@njit(cache=True, nogil=True)
def _walk(left: Any, right: Any, keys: Any, w: Any, h: Any, size: Any, rounds: Any) -> Any:
    """Apply the network to a cell outside the domain until it lands inside."""
    while True:
        for r in range(0, rounds, 4):
            c = np.uint16(np.uint16(r) * _GOLDEN16)
            left = _step(left, right, w, np.uint16(keys[0] + c))
            right = _step(right, left, h, np.uint16(keys[1] + c))
            left = _step(left, right, w, np.uint16(keys[2] + c))
            right = _step(right, left, h, np.uint16(keys[3] + c))
        image = np.uint32(right) * np.uint32(w) + np.uint32(left)
        if image < size:
            return image


@njit(cache=True, nogil=True)
def permute_for_many_keys(
    left: Any,
    right: Any,
    words: Any,
    start: Any,
    width: Any,
    height: Any,
    size: Any,
    rounds: Any,
    out: Any,
) -> None:
    """Write the image of cell (left[i], right[i]) under key start + i; spoils left and right.

    `words` is the (4, count) array of `key_words`, whole: a slice of it would not be contiguous,
    and the loops would not vectorise.
    """
    w, h = np.uint16(width), np.uint16(height)
    stop = start + left.size
    for r in range(0, rounds, 4):
        c = np.uint16(np.uint16(r) * _GOLDEN16)
        _half_round(left, right, words[0, start:stop], w, c)
        _half_round(right, left, words[1, start:stop], h, c)
        _half_round(left, right, words[2, start:stop], w, c)
        _half_round(right, left, words[3, start:stop], h, c)
    for i in range(left.size):
        out[i] = np.uint32(right[i]) * np.uint32(width) + np.uint32(left[i])
    for i in range(left.size):
        if out[i] >= size:
            out[i] = _walk(left[i], right[i], words[:, start + i], w, h, size, rounds)


@njit(cache=True, nogil=True)
def permute_for_one_key(
    left: Any, right: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any, out: Any
) -> None:
    """Write the image of every cell (left[i], right[i]) under one key; spoils left and right."""
    w, h = np.uint16(width), np.uint16(height)
    for r in range(0, rounds, 4):
        c = np.uint16(np.uint16(r) * _GOLDEN16)
        _half_round_one_key(left, right, np.uint16(key[0] + c), w)
        _half_round_one_key(right, left, np.uint16(key[1] + c), h)
        _half_round_one_key(left, right, np.uint16(key[2] + c), w)
        _half_round_one_key(right, left, np.uint16(key[3] + c), h)
    for i in range(left.size):
        out[i] = np.uint32(right[i]) * np.uint32(width) + np.uint32(left[i])
    for i in range(left.size):
        if out[i] >= size:
            out[i] = _walk(left[i], right[i], key, w, h, size, rounds)


@njit(cache=True, nogil=True)
def _unpermute(values: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any) -> Any:
    w, h, none = np.uint16(width), np.uint16(height), np.uint16(0)
    out = np.empty(values.size, np.uint32)
    for i in range(values.size):
        left, right = np.uint16(values[i] % width), np.uint16(values[i] // width)
        while True:
            for back in range(4, rounds + 1, 4):
                c = np.uint16(np.uint16(rounds - back) * _GOLDEN16)
                for first in (2, 0):
                    moved = _step(none, left, h, np.uint16(key[first + 1] + c))
                    right = np.uint16((right + h - moved) % h)
                    moved = _step(none, right, w, np.uint16(key[first] + c))
                    left = np.uint16((left + w - moved) % w)
            if np.uint32(right) * np.uint32(w) + np.uint32(left) < size:
                break
        out[i] = np.uint32(right) * np.uint32(w) + np.uint32(left)
    return out


def key_words(keys: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return the four 16-bit words of every key as a (4, count) array."""
    shifts = np.array([0, 16, 32, 48], dtype=np.uint64)[:, None]
    return (keys[None, :] >> shifts).astype(np.uint16)


def cells(values: NDArray[Any], size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the grid coordinates (left, right) of every value."""
    width, _ = grid(size)
    return (values % width).astype(np.uint16), (values // width).astype(np.uint16)


def permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Apply the keyed permutation of 0 .. size - 1 to every value.

    >>> sorted(permutation(np.arange(5), np.uint64(7), 5).tolist())
    [0, 1, 2, 3, 4]
    """
    width, height = grid(size)
    left, right = cells(values, size)
    words = key_words(np.array([key], dtype=np.uint64))[:, 0]
    out = np.empty(values.size, dtype=np.uint32)
    permute_for_one_key(left, right, words, width, height, size, rounds_for(size), out)
    return out


def inverse_permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Undo `permutation` with the same key and size.

    >>> inverse_permutation(permutation(np.arange(5), np.uint64(7), 5), np.uint64(7), 5).tolist()
    [0, 1, 2, 3, 4]
    """
    width, height = grid(size)
    words = key_words(np.array([key], dtype=np.uint64))[:, 0]
    originals: NDArray[np.uint32] = _unpermute(values, words, width, height, size, rounds_for(size))
    return originals
