"""Digit blocks as they are placed on a node: members and labels for their runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from holdfast.attacks.exact.rounds.digit_blocks import DigitBlock
from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.rounds.layout import MemberRun, PlacedBlock

__all__ = ["even_sizes", "place_count", "place_parts", "place_single", "split_evenly"]


def even_sizes(size: int, parts: int) -> list[int]:
    """Return the sizes of the parts of a group, of which the first may have one member more.

    >>> even_sizes(5, 2)
    [3, 2]
    """
    each, more = divmod(size, parts)
    return [each + (i < more) for i in range(parts)]


def split_evenly(members: list[int], parts: int) -> list[list[int]]:
    """Split a group into parts of these sizes.

    >>> split_evenly([3, 1, 4, 1, 5], 2)
    [[3, 1, 4], [1, 5]]
    """
    rest = iter(members)
    return [list(islice(rest, size)) for size in even_sizes(len(members), parts)]


def place_single(
    block: DigitBlock, j: int, labels: Sequence[int], unit: int, last: bool, learn: Any
) -> PlacedBlock:
    """Place a block of one position over several labels."""
    members = (j,)
    runs = [
        MemberRun(r.sign, r.start * unit, r.stop * unit, members, (labels[r.slot],))
        for r in block.runs
    ]
    high = block.low + block.radix - 1
    return PlacedBlock(block.low, high, 0 if last else block.radix, block.table, runs, learn)


def place_parts(
    block: DigitBlock,
    parts: Sequence[list[int]],
    labels: Callable[[int, int], int],
    unit: int,
    last: bool,
    learn: Callable[[Any], None],
    falls_short: bool = False,
) -> PlacedBlock:
    """Place a block of several parts.

    Parameters
    ----------
    block
        Its outcomes tell something of every part.
    parts
        The positions of each part.
    labels
        The label that a position shows in a run, given the run's slot.
    unit, last
        The block's place at its node.
    learn
        Takes the outcome.
    falls_short
        Whether coefficients count from -1 per position: that is what showing another label than the
        position's own changes. Then the run's bias is minus its size, and all values move with it.
    """
    runs, low = [], block.low
    for r in block.runs:
        members = parts[r.part]
        bias = -len(members) if falls_short else 0
        low += r.sign * (r.stop - r.start) * bias
        shown = [labels(j, r.slot) for j in members]
        runs.append(MemberRun(r.sign, r.start * unit, r.stop * unit, members, shown, bias))

    def read(value: int) -> None:
        learn(block.outcomes[value - low])

    radix = 0 if last else block.radix
    return PlacedBlock(low, low + block.radix - 1, radix, block.table, runs, read)


def place_count(
    members: Sequence[int] | Ints,
    labels: Sequence[int] | Ints,
    low: int,
    radix: int,
    unit: int,
    learn: Any,
) -> PlacedBlock:
    """Place a block whose value is the count itself: members show one label each in `unit` rows."""
    run = MemberRun(1, 0, unit, members, labels)
    return PlacedBlock(low, len(members), radix, None, [run], learn)
