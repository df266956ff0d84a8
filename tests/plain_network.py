"""The keyed permutation in Python's own integers, straight from its definition.

Slow and unbounded: nothing can overflow, so the compiled 16-bit arithmetic is compared with it.
"""

from __future__ import annotations

GOLDEN, MIX_A, MIX_B = 0x9E37, 0x9E3B, 0x6D2D


def keyed(still: int, key: int, side: int) -> int:
    word = (still ^ key) * MIX_A % 2**16
    return (word ^ word >> 7) * MIX_B % 2**16 * side >> 16


def image(value: int, key: int, size: int, grid: tuple[int, int], rounds: int) -> int:
    """Return where the permutation of 0 .. size - 1 under a 64-bit key sends a value."""
    width, height = grid
    words = [key >> shift & 0xFFFF for shift in (0, 16, 32, 48)]
    left, right = divmod(value, height)
    while True:
        for half in range(rounds):
            key = (words[half % 4] + half // 4 * 4 * GOLDEN) % 2**16
            if half % 2 == 0:
                left = (left + keyed(right, key, width)) % width
            else:
                right = (right + keyed(left, key, height)) % height
        if left * height + right < size:
            return left * height + right
