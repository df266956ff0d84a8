"""One round of hit pools: who shows what in each row, and the sums read from the answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.hit_pools import tuning
from holdfast.attacks.exact.hit_pools.groups import Group, GroupSplit, Members, after_test
from holdfast.attacks.exact.hit_pools.kernels import correct_misreadings, switched_on, write_labels
from holdfast.attacks.exact.hit_pools.packing import NodeDigits
from holdfast.attacks.exact.hit_pools.sum_odds import LARGEST_SUM, block_odds, split_odds
from holdfast.attacks.exact.subset_lattice import bit_counts, bits_inside, moebius

__all__ = ["HitPoolRound"]

Symbols = NDArray[np.uint32]


class HitPoolRound:
    """The rows of a round.

    As in a lattice's round (`lattice.layout.Round`) a node is a set of bits, and its alternating
    sum of the answers is a number in mixed radix. A *slot* is one digit of it: a block that is
    tested, or a group that is split, whose members show another symbol in the rows in which the
    slot is on. Here a sum may lie outside its digit's window, rarely: sums are read by likelihood,
    and nothing is proved.

    Parameters
    ----------
    nodes
        The nodes in the order of reading, each with its digits.
    splits
        As many as there are digits for splits, of their radices.
    blocks
        The examples of every digit that tests, in the order of reading; some may be empty.
    pair
        The two labels that the blocks are tested for.
    shown
        What every example shows if it takes no part: its symbol.
    n_classes
        m, for the odds of every sum.
    """

    def __init__(
        self,
        nodes: Sequence[NodeDigits],
        splits: Sequence[GroupSplit],
        blocks: Sequence[Members],
        pair: tuple[int, int],
        shown: Symbols,
        n_classes: int,
    ) -> None:
        self.rows = len(nodes) + 1
        self.asked = 0
        self.splits = list(splits)
        self._pair = pair
        self._counts = np.zeros(self.rows, dtype=np.int64)
        self._size = bit_counts(self.rows)
        self._order = np.array([node for node, _ in nodes], dtype=np.int64)
        # Slots are numbered by their node: those of node a are first[a] .. first[a + 1].
        digits_of = dict(nodes)
        lengths = [0, *(len(digits_of[node]) for node in range(1, self.rows))]
        self._first = np.cumsum([0, *lengths])
        n_slots = int(self._first[-1])
        self._node = np.repeat(np.arange(self.rows), lengths)
        self._unit = np.ones(n_slots, dtype=np.int64)
        self._radix = np.array(
            [d.radix for node in range(1, self.rows) for d in digits_of[node]], dtype=np.int64
        )
        self._low = -(self._radix // 2)
        # An example's slot; those that take no part have one more, which is never on.
        self._home = np.full(shown.size, n_slots, dtype=np.int64)
        self.base, self.alternative = shown.copy(), shown.copy()
        self._content: list[GroupSplit | Members] = [shown[:0].astype(np.int64)] * n_slots
        self._odds = np.zeros((n_slots, 2 * LARGEST_SUM + 1))
        waiting: dict[int, list[GroupSplit]] = {}
        for split in splits:
            waiting.setdefault(split.radix, []).append(split)
        left = iter(blocks)
        for node, digits in nodes:
            unit = 1
            for t, digit in enumerate(digits, start=int(self._first[node])):
                self._unit[t] = unit
                unit *= max(digit.radix, 1)
                if digit.split:
                    split = waiting[digit.radix].pop()
                    self._place_split(t, split)
                    size, hits = split.group.members.size, split.group.hits
                    self._odds[t] = split_odds(size, hits, n_classes, parts=len(split.parts))
                else:
                    block = next(left)
                    self._place_block(t, block)
                    self._odds[t] = block_odds(block.size, n_classes)
        self._inside = np.zeros(self.rows, dtype=np.int64)
        self._on = np.zeros(n_slots + 1, dtype=np.bool_)

    def _place_split(self, slot: int, split: GroupSplit) -> None:
        """Let the parts of a group show label and partner as `GroupSplit` says."""
        group = split.group
        self._content[slot] = split
        self._low[slot] = split.low
        self.base[group.members] = self.alternative[group.members] = group.partner
        self._home[split.parts[0]] = slot
        self.alternative[split.parts[0]] = group.label
        if len(split.parts) == 3:
            self._home[split.parts[1]] = slot
            self.base[split.parts[1]] = group.label

    def _place_block(self, slot: int, block: Members) -> None:
        """Let a block show the first symbol of the pair where its slot is on, else the second."""
        self._content[slot] = block
        self._home[block] = slot
        self.alternative[block], self.base[block] = self._pair

    def row(
        self, alternative: NDArray[np.integer], base: NDArray[np.integer]
    ) -> NDArray[np.integer]:
        """Return the next row, with these labels for the symbols of the round."""
        bits_inside(self.asked, self._size, self._inside)
        switched_on(self._inside, self._size, self._node, self._unit, self._on[:-1])
        out = np.empty_like(base)
        write_labels(self._on, self._home, alternative, base, out)
        return out

    def tell(self, count: int) -> bool:
        """Take the count of the last row; True: it was the last one."""
        self._counts[self.asked] = count
        self.asked += 1
        return self.asked == self.rows

    def sums(self) -> NDArray[np.int64]:
        """Return the sum of every slot, by number; unlikely readings give way to likelier ones."""
        values = np.zeros(len(self._content), dtype=np.int64)
        if values.size:
            alternating = self._counts.copy()
            moebius(alternating)
            correct_misreadings(
                alternating, self._size, self._first, self._order, self._unit, self._radix,
                self._low, self._odds, tuning.CLEARLY_LIKELIER,
                tuning.MOVES_AT_MOST + self.rows // 10, values,
            )  # fmt: skip
        return values

    def reading_order(self) -> NDArray[np.int64]:
        """Return the numbers of the slots in the order of reading: as nodes and blocks came."""
        starts, stops = self._first[self._order], self._first[self._order + 1]
        return np.concatenate([np.arange(a, b) for a, b in zip(starts, stops, strict=True)])

    def outcome(self) -> tuple[list[Group], list[Members]]:
        """Return the groups with hits that the sums tell of, and the examples without."""
        groups: list[Group] = []
        without: list[Members] = []
        for content, total in zip(self._content, self.sums().tolist(), strict=True):
            if isinstance(content, GroupSplit):
                more, rest = content.after(total)
                groups += more
                without += rest
            elif (group := after_test(content, *self._pair, total)) is None or not content.size:
                without.append(content)
            else:
                groups.append(group)
        return groups, without
