"""Kernels of the detecting design: what a row shows, and how the nodes are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from holdfast.attacks.exact._subset_lattice import bits_inside, odd_bits, subtract_from_subsets

__all__ = ["decode_nodes", "write_row"]


@njit(cache=True, nogil=True, inline="always")
def _first_at(i: Any, odd: Any) -> Any:
    """Where the i-th positive value's run starts: the sum of the values before it."""
    return i * i if odd else i * (i + 1) // 2


@njit(cache=True, nogil=True, inline="always")
def _run_of(place: Any, odd: Any) -> Any:
    """Which positive value's run holds this place."""
    i = np.int64(np.sqrt(place)) if odd else np.int64((np.sqrt(8.0 * place + 1.0) - 1.0) / 2.0)
    while _first_at(i + 1, odd) <= place:
        i += 1
    while _first_at(i, odd) > place:
        i -= 1
    return i


@njit(cache=True, nogil=True)
def write_row(row: Any, inside: Any, size: Any, node: Any, labels: Any, unit: Any, odd: Any,
              out: Any) -> None:  # fmt: skip
    """Write the symbols that every example shows in row `row`.

    `inside` is scratch, one entry per node: the bits of the row inside the node, moved together.
    `size` is each node's number of bits. Per example: its node (0: held at symbol 0), how many
    labels its digit asks about (0: it is in a pool), its unit, and whether values are odd.
    """
    bits_inside(row, size, inside)
    for j in range(node.size):
        a = node[j]
        if a == 0:
            out[j] = 0
            continue
        y = inside[a]
        plus = odd_bits(y) == (size[a] & 1)
        place = (y >> 1) // unit[j]
        half = labels[j] // 2
        if labels[j] == 0:
            out[j] = 1 if plus and place == 0 else 0
        elif place < _first_at(half, odd[j]):
            out[j] = 2 * _run_of(place, odd[j]) + (0 if plus else 1)
        else:
            out[j] = 0


@njit(cache=True, nogil=True, inline="always")
def _next_digit(x: Any, labels: Any, odd: Any, parity: Any) -> Any:
    """Return the lowest digit of x, given the parity of what comes above it (odd values)."""
    if not odd:
        half = labels // 2
        return (x + half) % (labels + 1) - half
    # x = d + labels * (rest), d odd in -(labels-1) .. labels-1, and the rest has that parity.
    moved = (x - labels * parity + labels) % (2 * labels)
    return moved - labels


@njit(cache=True, nogil=True)
def decode_nodes(sums: Any, size: Any, order: Any, first: Any, count: Any, pool_unit: Any,
                 pool_size: Any, labels: Any, unit: Any, odd: Any, two_classes: Any,
                 digit: Any, surplus: Any) -> Any:  # fmt: skip
    """Read every node's digits and its pool's surplus; return 0, or the node that can't be.

    `sums` holds the alternating sums and is consumed: what a node's examples contribute to its
    subsets is taken off once they are known. `order` lists the nodes with examples, large ones
    first; a node's digits are entries first .. first + count of `labels`, `unit`, `digit`.
    """
    most = 0
    for a in order:
        most = max(most, size[a])
    shown = np.empty(1 << most, np.int64)
    for a in order:
        x = sums[a]
        s = size[a]
        start, stop = first[a], first[a] + count[a]
        for t in range(start, stop):
            more = t + 1 < stop
            parity = 1 if more else (pool_size[a] & 1 if pool_unit[a] and two_classes else 0)
            # A pool of odd-valued digits has twice the unit, so what is above is even.
            if not more and odd[a] and not pool_unit[a]:
                d = x
            else:
                d = _next_digit(x, labels[t], odd[a], parity)
            if abs(d) > (labels[t] - 1 if odd[a] else labels[t] // 2):
                return a
            if odd[a] and d & 1 == 0:
                return a
            digit[t] = d
            x = (x - d) // (labels[t] if odd[a] else labels[t] + 1)
        if pool_unit[a]:
            if odd[a] and not two_classes and count[a]:
                if x & 1:
                    return a
                x //= 2
            if abs(x) > pool_size[a] or (two_classes and (x - pool_size[a]) & 1):
                return a
            surplus[a] = x
        elif x != 0:
            return a

        # What this node shows in the rows that its subsets see.
        full = (np.int64(1) << s) - 1
        shown[: full + 1] = 0
        for t in range(start, stop):
            _add_digit(shown, s, digit[t], labels[t], unit[t], odd[a])
        if pool_unit[a]:
            for y in range(full + 1):
                if odd_bits(y) == (s & 1) and (y >> 1) < pool_unit[a]:
                    shown[y] += surplus[a]
        subtract_from_subsets(sums, a, shown[: full + 1])
    return 0


@njit(cache=True, nogil=True)
def _add_digit(shown: Any, s: Any, d: Any, labels: Any, unit: Any, odd: Any) -> None:
    """Add one where an example with digit value d is shown its own label."""
    if d == 0:
        return
    i = (abs(d) - 1) // 2 if odd else abs(d) - 1
    low, high = _first_at(i, odd) * unit, _first_at(i + 1, odd) * unit
    filled = _first_at(labels // 2, odd) * unit
    wanted = (s & 1) if d > 0 else 1 - (s & 1)
    for y in range(1 << s):
        rank = y >> 1
        if low <= rank < high:
            if odd_bits(y) == wanted:
                shown[y] += 1
        elif rank >= filled and i == 0 and d > 0:
            shown[y] += 1  # the subsets that were left over show label 0
