r"""Kernels of a round: what every position shows in row x, and the blocks' values from the answers.

A node c of s bits sees 2^s different rows, by the bits y of the row inside c, moved together. A row
has *sign* + at c if |y| and s are both odd or both even, so that it enters the alternating sum with
+1; its *rank* y >> 1 numbers the 2^(s-1) rows of either sign. A *run* is the rows of one sign whose
rank lies in start .. stop - 1.

For a node of two bits, whatever its bits are:

    y     00  01  10  11
    sign   +   -   -   +
    rank   0   0   1   1

so a run of sign + with ranks 0 .. 1 is the rows whose bits inside the node are both off or both on,
and its weight in the alternating sum is 2. Within a run all that matters is how many rows it has:
any rows would do. Consecutive ranks are merely cheap to test for, and cheap to subtract later, when
each rank's total is a running sum of where runs start and stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.exact.subset_lattice import bits_inside, odd_bits, subtract_from_subsets

__all__ = ["IMPOSSIBLE", "Ints", "read_nodes", "show_row"]

Ints = NDArray[np.int64]

IMPOSSIBLE = -128
"""Marks, in a block's table of coefficients, a value that no labels can give."""


@njit(cache=True)
def show_row(
    x: int,
    size: Ints,
    inside: Ints,
    node: Ints,
    sign: Ints,
    start: Ints,
    stop: Ints,
    pointer: Ints,
    members: Ints,
    labels: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write what the runs show in row x into `out`, which holds the base labels.

    `size` is the number of bits of every set below the round's length, `inside` is scratch of the
    same length. Run r, at `node[r]`, shows labels[p] at members[p], p in pointer[r] ..
    pointer[r + 1].
    """
    bits_inside(x, size, inside)
    previous, here, rank = -1, 0, 0
    for r in range(node.size):
        if node[r] != previous:
            previous = node[r]
            y = inside[previous]
            here, rank = (1 if odd_bits(y) == size[previous] & 1 else -1), y >> 1
        if here == sign[r] and start[r] <= rank < stop[r]:
            for p in range(pointer[r], pointer[r + 1]):
                out[members[p]] = labels[p]


@njit(cache=True)
def read_nodes(
    t: Ints,
    size: Ints,
    lift: Ints,
    block_pointer: Ints,
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
    """Read every block's value from the alternating sums, larger nodes first.

    A superset is a larger number, so descending order reads a node after all that contain it. Its
    sum is a number in mixed radix: digits are read from the lowest unit up, each is the residue of
    a block's value, and what is left is the value of a last block (radix 0), if there is one. The
    values that a block's table marks as possible have different residues. A row of the
    block's table (table -1: the value itself) gives the coefficient of each of its runs, that
    is, by how much the positions of the run raise the count of a row in which they are shown. From
    these follows what the node adds to every row, and that is subtracted from the sums of the nodes
    inside it.

    Parameters
    ----------
    t
        Alternating sums, by node; consumed.
    size
        Number of bits, by node.
    lift
        By node: digits are read from half of the sum and this; 0: from the sum.
    block_pointer
        Blocks of node c are block_pointer[c] .. block_pointer[c + 1], lowest unit first.
    radix, low, high
        By block: its radix (0: the node's last block), least and largest value.
    run_pointer
        Runs of block i are run_pointer[i] .. run_pointer[i + 1].
    table, tables
        By block: where its coefficients start in `tables`, which has one row for each value.
    sign, start, stop, bias
        By run: its rows, and what is added to its coefficient.
    values
        Where the value of every block is written.

    Returns
    -------
    int
        0, or the first node whose sum no labels can give.
    """
    half = 1
    while 2 * half < t.size:
        half *= 2
    plus = np.zeros(half + 1, np.int64)
    minus = np.zeros(half + 1, np.int64)
    shown = np.zeros(2 * half, np.int64)
    for c in range(t.size - 1, 0, -1):
        first, last, rest = block_pointer[c], block_pointer[c + 1], t[c]
        if first == last:
            if rest != 0:
                return c
            continue
        if lift[c]:
            rest += lift[c]
            if rest & 1:
                return c
            rest >>= 1
        ranks = 1 << (size[c] - 1)
        plus[: ranks + 1] = 0
        minus[: ranks + 1] = 0
        for i in range(first, last):
            if radix[i] > 0:
                value = low[i] + (rest - low[i]) % radix[i]
                width = run_pointer[i + 1] - run_pointer[i]
                while (
                    value + radix[i] <= high[i]
                    and tables[table[i] + (value - low[i]) * width] == IMPOSSIBLE
                ):
                    value += radix[i]
                rest = (rest - value) // radix[i]
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
            odd = odd_bits(rank) ^ (size[c] & 1)
            shown[2 * rank + odd] = p
            shown[2 * rank + 1 - odd] = q
        subtract_from_subsets(t, c, shown[: 2 * ranks])
        if t[c] != 0:
            return c
    return 0
