"""What a run shows in row x, and how coins are read back from the answers: the compiled part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["alternating_sums", "read_nodes", "show_row"]

Ints = NDArray[np.int64]

IMPOSSIBLE = -128
"""Marks a value that no labels can give in a coin's table of coefficients."""


@njit(cache=True)
def _place(x: int, c: int) -> tuple[int, int]:
    """Sign (+1 or -1) and rank of row x at node c: of the bits of x inside c, compressed."""
    y, bit, odd, rest = 0, 1, 0, c
    while rest:
        low = rest & -rest
        odd ^= 1
        if x & low:
            y |= bit
            odd ^= 1
        bit <<= 1
        rest &= rest - 1
    return (1 if odd == 0 else -1), y >> 1


@njit(cache=True)
def show_row(
    x: int,
    node: Ints,
    sign: Ints,
    start: Ints,
    stop: Ints,
    pointer: Ints,
    members: Ints,
    labels: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write what the runs show in row x into `out`, which holds the base labels."""
    previous, here, rank = -1, 0, 0
    for r in range(node.size):
        if node[r] != previous:
            previous = node[r]
            here, rank = _place(x, previous)
        if here == sign[r] and start[r] <= rank < stop[r]:
            for p in range(pointer[r], pointer[r + 1]):
                out[members[p]] = labels[p]


@njit(cache=True)
def alternating_sums(t: Ints) -> None:
    """Replace t[c] by the sum over x within c of (-1)^(|c|-|x|) t[x]; any length."""
    bit = 1
    while bit < t.size:
        for x in range(t.size):
            if x & bit:
                t[x] -= t[x ^ bit]
        bit <<= 1


@njit(cache=True)
def read_nodes(
    t: Ints,
    coin_pointer: Ints,
    radix: Ints,
    low: Ints,
    high: Ints,
    run_pointer: Ints,
    table: Ints,
    tables: NDArray[np.int16],
    sign: Ints,
    start: Ints,
    stop: Ints,
    bias: Ints,
    values: Ints,
) -> int:
    """Read every coin's value from the alternating sums, larger nodes first.

    A node's digits are read from the lowest unit up; then what its runs contribute to the nodes
    inside it is subtracted there. Returns 0, or the first node whose sum no labels can give.
    """
    half = 1
    while 2 * half < t.size:
        half *= 2
    plus = np.zeros(half + 1, np.int64)
    minus = np.zeros(half + 1, np.int64)
    f = np.zeros(2 * half, np.int64)
    for c in range(t.size - 1, 0, -1):
        first, last, rest = coin_pointer[c], coin_pointer[c + 1], t[c]
        if first == last:
            if rest != 0:
                return c
            continue
        unit = 1
        for i in range(first, last):
            if radix[i] > 0:
                rest -= unit * low[i]
                unit *= radix[i]
        bits, left = 0, c
        while left:
            bits += 1
            left &= left - 1
        ranks = 1 << (bits - 1)
        plus[: ranks + 1] = 0
        minus[: ranks + 1] = 0
        for i in range(first, last):
            if radix[i] > 0:
                digit = rest % radix[i]
                rest = (rest - digit) // radix[i]
                value = low[i] + digit
            else:
                value, rest = rest, 0
                if value < low[i] or value > high[i]:
                    return c
            values[i] = value
            a, b = run_pointer[i], run_pointer[i + 1]
            row = table[i] + (value - low[i]) * (b - a)
            if table[i] >= 0 and b > a and tables[row] == IMPOSSIBLE:
                return c
            for r in range(a, b):
                weight = value if table[i] < 0 else np.int64(tables[row + r - a])
                weight += bias[r]
                if sign[r] > 0:
                    plus[start[r]] += weight
                    plus[stop[r]] -= weight
                else:
                    minus[start[r]] += weight
                    minus[stop[r]] -= weight
        if rest != 0:
            return c
        p, q = 0, 0
        for rank in range(ranks):
            p += plus[rank]
            q += minus[rank]
            odd, left = bits & 1, rank
            while left:
                odd ^= 1
                left &= left - 1
            f[2 * rank + odd] = p
            f[2 * rank + 1 - odd] = q
        bit = 1
        while bit < 2 * ranks:
            for y in range(2 * ranks):
                if y & bit:
                    f[y] -= f[y ^ bit]
            bit <<= 1
        inside = 0
        for y in range(2 * ranks):
            t[inside] -= f[y]
            inside = (inside - c) & c
        if t[c] != 0:
            return c
    return 0
