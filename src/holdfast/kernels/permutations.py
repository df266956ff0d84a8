"""Keyed permutations of 0 .. size - 1, fast enough to be recomputed for every query and example.

A Feistel network on a width x height grid that barely covers the domain. A number is a cell
(left, right); each half round adds a keyed function of one coordinate to the other. An image in
one of the few cells outside the domain is sent through the network again ("cycle walking").

Both coordinates fit in 16 bits, and so does all arithmetic: vector units multiply sixteen such
numbers at once, which makes a permutation about as fast as reading its result from memory.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.uint16_simd import (
    CHUNK_ENTRIES,
    add16,
    constant_lanes,
    high16,
    mul16,
    shift16,
    wrap16,
    xor16,
)
from holdfast.problem import check_at_least

__all__ = ["permutation"]

# Twice a coordinate must fit in 16 bits.
LARGEST_SIDE = 2**15
LARGEST_SIZE = LARGEST_SIDE**2

# Domains up to here mix slowly and get many rounds.
SMALL_SIZE = 2**10

_GOLDEN16 = np.uint16(0x9E37)
_MIX16_A = np.uint16(0x9E3B)
_MIX16_B = np.uint16(0x6D2D)
_MIX16_SHIFT = np.uint16(7)


@lru_cache(maxsize=1024)
def grid(size: int) -> tuple[int, int]:
    """Return width and height of the smallest nearly square grid with at least `size` cells."""
    if check_at_least("size", size, 1) > LARGEST_SIZE:
        raise InvalidInput(f"size must be at most {LARGEST_SIZE}, got {size}.")
    height = math.isqrt(size - 1) + 1
    return -(-size // height), height


@lru_cache(maxsize=1024)
def striped_grid(size: int, period: int) -> tuple[int, int] | None:
    """Return a grid on which a number mod `period` is its right coordinate mod `period`.

    Its height is a multiple of the period, between one and two times the square root of the
    size, and wastes as few cells as it can. None where there is no such height, and for domains
    so small that they need a square grid to mix well. It must be the right coordinate: that one
    is moved last, by the whole network.
    """
    root = math.isqrt(check_at_least("size", size, 1) - 1) + 1
    first = -(-root // period) * period
    heights = range(first, min(2 * root, LARGEST_SIDE) + 1, period)
    if size <= SMALL_SIZE or not heights:
        return None
    height = min(heights, key=lambda height: -(-size // height) * height)
    return -(-size // height), height


def rounds_for(size: int) -> int:
    """Return how many half rounds a domain of `size` needs, a multiple of four.

    Small domains mix slowly: a chi-square test over all orders of 5 or 6 items sees a bias below
    16, and none at 24 (tests/test_permutations.py). Larger ones only need pairs of queries to
    look independent (tests/test_columns.py): 4 half rounds leave a trace of bias at 4,145
    queries of 100 classes, 8 leave none, and at 20,000 queries 4 leave none.
    """
    if size <= SMALL_SIZE:
        return 24
    return 8 if size <= 2**14 else 4


@njit(cache=True, nogil=True, inline="always")
def _step(moving: Any, still: Any, side: Any, round_key: Any) -> Any:
    """Add a keyed function of one coordinate to the other, modulo the grid's side."""
    word = mul16(xor16(still, round_key), _MIX16_A)
    word = mul16(xor16(word, shift16(word, _MIX16_SHIFT)), _MIX16_B)
    return wrap16(add16(moving, high16(word, side)), side)


@njit(cache=True, nogil=True)
def _rounds_of_many_keys(
    left: Any, right: Any, a: Any, b: Any, c: Any, d: Any, constant: Any, widths: Any, heights: Any
) -> None:
    """Four half rounds on every cell in place, each under its own key: a loop that vectorises."""
    for i in range(left.size):
        x, y = left[i], right[i]
        x = _step(x, y, widths[i], add16(a[i], constant))
        y = _step(y, x, heights[i], add16(b[i], constant))
        x = _step(x, y, widths[i], add16(c[i], constant))
        y = _step(y, x, heights[i], add16(d[i], constant))
        left[i], right[i] = x, y


@njit(cache=True, nogil=True)
def _rounds_of_one_key(
    left: Any, right: Any, a: Any, b: Any, c: Any, d: Any, widths: Any, heights: Any
) -> None:
    """As `_rounds_of_many_keys`, with one key for all."""
    for i in range(left.size):
        x, y = left[i], right[i]
        x = _step(x, y, widths[i], a)
        y = _step(y, x, heights[i], b)
        x = _step(x, y, widths[i], c)
        y = _step(y, x, heights[i], d)
        left[i], right[i] = x, y


@njit(cache=True, nogil=True)
def _has_outside(left: Any, right: Any, last: Any, first_outside: Any) -> Any:
    """Tell whether a cell is outside the domain: in the last column, from `first_outside` on."""
    found = False
    for i in range(left.size):
        found |= (left[i] == last) & (right[i] >= first_outside)
    return found


@njit(cache=True, nogil=True)
def _walk(left: Any, right: Any, keys: Any, w: Any, h: Any, size: Any, rounds: Any) -> Any:
    """Apply the network to a cell until it lands inside the domain."""
    while np.uint32(left) * np.uint32(h) + np.uint32(right) >= size:
        for r in range(0, rounds, 4):
            c = np.uint16(np.uint16(r) * _GOLDEN16)
            left = _step(left, right, w, np.uint16(keys[0] + c))
            right = _step(right, left, h, np.uint16(keys[1] + c))
            left = _step(left, right, w, np.uint16(keys[2] + c))
            right = _step(right, left, h, np.uint16(keys[3] + c))
    return left, right


@njit(cache=True, nogil=True)
def scramble_by_many_keys(
    left: Any, right: Any, words: Any, start: Any, width: Any, height: Any, size: Any, rounds: Any
) -> None:
    """Replace cell i by its image under key start + i; at most CHUNK_ENTRIES cells.

    `words` is the (4, count) array of `key_words`, whole: a slice of it would not be contiguous,
    and the loops would not vectorise.
    """
    w, h = np.uint16(width), np.uint16(height)
    widths, heights = constant_lanes(w), constant_lanes(h)
    stop = start + left.size
    for r in range(0, rounds, 4):
        _rounds_of_many_keys(
            left,
            right,
            words[0, start:stop],
            words[1, start:stop],
            words[2, start:stop],
            words[3, start:stop],
            np.uint16(np.uint16(r) * _GOLDEN16),
            widths,
            heights,
        )
    last, first_outside = np.uint16(w - 1), np.uint16(height - (width * height - size))
    if width * height > size and _has_outside(left, right, last, first_outside):
        for i in range(left.size):
            if left[i] == last and right[i] >= first_outside:
                key = words[:, start + i]
                left[i], right[i] = _walk(left[i], right[i], key, w, h, size, rounds)


@njit(cache=True, nogil=True)
def scramble_by_one_key(
    left: Any, right: Any, key: Any, width: Any, height: Any, size: Any, rounds: Any
) -> None:
    """Replace every cell by its image under one key; at most CHUNK_ENTRIES cells."""
    w, h = np.uint16(width), np.uint16(height)
    widths, heights = constant_lanes(w), constant_lanes(h)
    for r in range(0, rounds, 4):
        c = np.uint16(np.uint16(r) * _GOLDEN16)
        _rounds_of_one_key(
            left,
            right,
            np.uint16(key[0] + c),
            np.uint16(key[1] + c),
            np.uint16(key[2] + c),
            np.uint16(key[3] + c),
            widths,
            heights,
        )
    last, first_outside = np.uint16(w - 1), np.uint16(height - (width * height - size))
    if width * height > size and _has_outside(left, right, last, first_outside):
        for i in range(left.size):
            if left[i] == last and right[i] >= first_outside:
                left[i], right[i] = _walk(left[i], right[i], key, w, h, size, rounds)


def key_words(keys: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return the four 16-bit words of every key as a (4, count) array."""
    shifts = np.array([0, 16, 32, 48], dtype=np.uint64)[:, None]
    return (keys[None, :] >> shifts).astype(np.uint16)


def cells(values: NDArray[Any], height: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the coordinates (left, right) of every value on a grid of this height."""
    return (values // height).astype(np.uint16), (values % height).astype(np.uint16)


def permutation(values: NDArray[Any], key: np.uint64, size: int) -> NDArray[np.uint32]:
    """Apply the keyed permutation of 0 .. size - 1 to every value.

    >>> sorted(permutation(np.arange(5), np.uint64(7), 5).tolist())
    [0, 1, 2, 3, 4]
    """
    width, height = grid(size)
    left, right = cells(values, height)
    words = key_words(np.array([key], dtype=np.uint64))[:, 0]
    for start in range(0, values.size, CHUNK_ENTRIES):
        here = slice(start, start + CHUNK_ENTRIES)
        scramble_by_one_key(left[here], right[here], words, width, height, size, rounds_for(size))
    return left.astype(np.uint32) * np.uint32(height) + right
