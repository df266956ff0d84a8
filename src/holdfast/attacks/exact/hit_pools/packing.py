"""Packing of splits and block tests into the nodes of a detecting design.

A node of s bits has room for digits whose radices multiply to 2^(s-1) at most, and for one sum
without a limit above them. A split needs as many values as its group can have sums. A test needs a
digit whose window its sum seldom leaves: the smaller the block, the fewer values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from holdfast.attacks.exact.hit_pools import tuning
from holdfast.attacks.exact.subset_lattice import node_sizes

__all__ = ["RADICES", "NodeDigits", "SlotDigit", "block_size", "forget", "pack", "room_for_tests"]

# Radices that splits may need.
RADICES = (2, 3, 5, 7, 9)
# How many splits of each radix are to be placed.
SplitsByRadix = tuple[int, ...]


class SlotDigit(NamedTuple):
    """A place in a node: its radix (0: no limit), and whether a split goes there or a test.

    A test in a place of radix 3 has the window -1, 0, 1, in one of radix 5 -2 .. 2: its block must
    be so small that more hits are rare. A split's sums are limited by the hits of its group.
    """

    radix: int
    split: bool


RADIX_5, RADIX_3, UNLIMITED = SlotDigit(5, False), SlotDigit(3, False), SlotDigit(0, False)
NodeDigits = tuple[int, tuple[SlotDigit, ...]]


def block_size(digit: SlotDigit) -> float:
    """Return the size of a block in this place, in units of one in an unlimited place."""
    if digit.split:
        return 0.0
    return {RADIX_5: tuning.BLOCK_SHARE_RADIX_5, RADIX_3: tuning.BLOCK_SHARE_RADIX_3}.get(
        digit, 1.0
    )


@lru_cache(maxsize=65536)
def _best(room: int, waiting: SplitsByRadix) -> tuple[float, tuple[SlotDigit, ...]]:
    """Return the digits of largest total worth whose radices multiply to `room` at most.

    A knapsack, solved by recursion over what is left of the room: floor(floor(C / a) / b) is
    floor(C / ab), so that it is the quotient alone that matters.
    """
    found: tuple[float, tuple[SlotDigit, ...]] = (0.0, ())
    options = [
        (tuning.SPLIT_WORTH, SlotDigit(radix, True))
        for radix, left in zip(RADICES, waiting, strict=True)
        if left
    ]
    options += [(tuning.RADIX_5_WORTH, RADIX_5), (tuning.RADIX_3_WORTH, RADIX_3)]
    for worth, digit in options:
        if digit.radix > room:
            continue
        rest, digits = _best(room // digit.radix, _without(waiting, (digit,)))
        if worth + rest > found[0] + 1e-9:
            found = (worth + rest, (digit, *digits))
    return found


def forget() -> None:
    """Forget what was packed with other constants."""
    _best.cache_clear()
    room_for_tests.cache_clear()


def _fill(bits: int, waiting: SplitsByRadix) -> tuple[SlotDigit, ...]:
    """Return what a node with so many bits holds below its unlimited place."""
    room = 1 << (bits - 1)
    # More splits than fit change nothing, and fewer cases are to be remembered.
    fits = [
        min(count, room.bit_length() - 1) if radix <= room else 0
        for radix, count in zip(RADICES, waiting, strict=True)
    ]
    return _best(room, tuple(fits))[1]


def _without(waiting: SplitsByRadix, digits: Sequence[SlotDigit]) -> SplitsByRadix:
    return tuple(
        count - sum(digit.split and digit.radix == radix for digit in digits)
        for radix, count in zip(RADICES, waiting, strict=True)
    )


@lru_cache(maxsize=65536)
def room_for_tests(rows: int, waiting: SplitsByRadix) -> float:
    """Return the size of all blocks that fit beside the splits; 0 if these do not fit.

    In units of a block in an unlimited place. The small nodes take splits first.
    """
    total = 0.0
    for bits, nodes in node_sizes(rows).items() if rows > 1 else ():
        left = nodes
        while left:
            digits = _fill(bits, waiting)
            same = 1 if any(digit.split for digit in digits) else left
            total += same * (1.0 + sum(map(block_size, digits)))
            waiting, left = _without(waiting, digits), left - same
    return 0.0 if any(waiting) else total


def pack(rows: int, waiting: SplitsByRadix) -> list[NodeDigits]:
    """Return every node with its digits, the unlimited place last; large nodes first.

    Splits go to small nodes first, as far as these have the radices that they need.

    Parameters
    ----------
    rows
        Looks of the round.
    waiting
        How many splits there are of each radix in `RADICES`.

    Examples
    --------
    Four rows, nothing to split: node 3 has two bits and room for nothing below its unlimited place,
    since the smallest radix of a test is 3 and its capacity 2.

    >>> [(node, [digit.radix for digit in digits]) for node, digits in pack(4, (0,) * 5)]
    [(3, [0]), (2, [0]), (1, [0])]
    >>> pack(4, (1, 0, 0, 0, 0))[0]              # one split into halves: it goes below
    (3, (SlotDigit(radix=2, split=True), SlotDigit(radix=0, split=False)))
    """
    nodes: list[NodeDigits] = []
    for node in sorted(range(1, rows), key=lambda a: (a.bit_count(), a)):
        digits = _fill(node.bit_count(), waiting)
        waiting = _without(waiting, digits)
        nodes.append((node, (*digits, UNLIMITED)))
    return nodes[::-1]
