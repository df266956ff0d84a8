"""Groups of examples with hits of a label: how one is split, and what a sum says of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Group", "GroupSplit", "Members", "after_test"]

Members = NDArray[np.int64]


class Group(NamedTuple):
    """Examples with a claimed number of hits of a label, which is shown against a partner."""

    members: Members
    label: int
    partner: int
    hits: int


def after_test(members: Members, first: int, second: int, total: int) -> Group | None:
    """Return the group that a block becomes; None: as many of both labels, most likely none.

    Parameters
    ----------
    members
        The block's examples, which showed `first` against `second`.
    total
        Its sum: the examples with `first` less those with `second`.

    Examples
    --------
    >>> after_test(np.arange(8), 3, 4, -1)._replace(members=None)
    Group(members=None, label=4, partner=3, hits=1)
    """
    if total == 0:
        return None
    label, partner = (first, second) if total > 0 else (second, first)
    return Group(members, label, partner, abs(total))


class GroupSplit(NamedTuple):
    """A group in two or three parts, of which one sum is read.

    The first part shows the label where its slot is on and the partner elsewhere, the second of
    three the other way round, and the last the partner throughout: the sum is the first part's
    hits less the second's.

    Why three parts: one hit is in the first, the second or the last, and the sum is 1, -1 or 0. A
    digit of radix 3 tells log2(3) bits, all that there is to know, where two halves tell one bit in
    a digit of radix 2. Which is better depends on the radices that the round has room for.

    Examples
    --------
    >>> nine = Group(np.arange(9), label=3, partner=4, hits=1)
    >>> split = GroupSplit.of(nine, 3)
    >>> split.low, split.radix
    (-1, 3)
    >>> groups, without = split.after(-1)        # the hit is in the second part
    >>> groups[0].members.tolist(), [part.tolist() for part in without]
    ([3, 4, 5], [[6, 7, 8], [0, 1, 2]])
    """

    group: Group
    parts: tuple[Members, ...]

    @classmethod
    def of(cls, group: Group, parts: int) -> GroupSplit:
        """Return the group in so many parts of equal size: all that is known of them is alike."""
        return cls(group, tuple(np.array_split(group.members, parts)))

    @property
    def low(self) -> int:
        """The smallest sum that the claimed hits allow."""
        return 0 if len(self.parts) == 2 else -self.group.hits

    @property
    def radix(self) -> int:
        """How many sums the claimed hits allow."""
        return self.group.hits - self.low + 1

    def after(self, total: int) -> tuple[list[Group], list[Members]]:
        """Return the groups that the sum leaves, and the parts without a hit."""
        hits = self.group.hits
        first, last = self.parts[0], self.parts[-1]
        if len(self.parts) == 2:
            return self._shared((first, total), (last, hits - total))
        second = self.parts[1]
        if total == 0 and hits > 1:
            return [self.group], []  # some in both, or all in the last
        if total >= 0:
            groups, rest = self._shared((first, total), (last, hits - total))
            return groups, [*rest, second]
        groups, rest = self._shared((second, -total), (last, hits + total))
        return groups, [*rest, first]

    def _shared(self, *shares: tuple[Members, int]) -> tuple[list[Group], list[Members]]:
        """Return the parts with hits and those without, no more hits than were claimed."""
        hits = self.group.hits
        groups = [
            self.group._replace(members=part, hits=min(count, hits))
            for part, count in shares
            if count > 0
        ]
        return groups, [part for part, count in shares if count <= 0]
