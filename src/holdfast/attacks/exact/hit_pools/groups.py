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
    """Return the group that a block becomes; None: as many of both labels, most likely none."""
    if total == 0:
        return None
    label, partner = (first, second) if total > 0 else (second, first)
    return Group(members, label, partner, abs(total))


class GroupSplit(NamedTuple):
    """A group in two or three parts, of which one sum is read.

    The first part shows the label where its slot is on and the partner elsewhere, the second of
    three the other way round, and the last the partner throughout: the sum is the first part's
    hits less the second's.
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
