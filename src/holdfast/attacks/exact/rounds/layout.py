"""Layout of a round: digit blocks on nodes, the rows they show, their values from the answers.

The one place where queries are made and answers read. What a block means is nobody's business
here: a block is a range of values, some runs of positions, and a tag that is handed back with the
value. `Round` has an example of four labels from four queries, small enough for paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.rounds import kernels
from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.subset_lattice import bit_counts, moebius

__all__ = ["Contradiction", "MemberRun", "PlacedBlock", "Round"]


class Contradiction(Exception):
    """The sum at `node` can't come from any labels that agree with what is taken as known."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class MemberRun(NamedTuple):
    """Rows of one sign, with ranks `start` .. `stop` - 1, in which positions show labels.

    `labels` are relative: one for each member, or one for all of them if that is so in all runs of
    a round. `bias` is added to the coefficient that the block's table gives: what the run
    contributes if the table says 0.
    """

    sign: int
    start: int
    stop: int
    members: Sequence[int] | Ints
    labels: Sequence[int] | Ints | int
    bias: int = 0


class PlacedBlock(NamedTuple):
    """A digit block on a node.

    Its value lies in low .. high. Radix 0: the node's last block, with nothing above it. Without a
    table the value itself is the coefficient of its run. `tag` is for whoever reads the value.
    """

    low: int
    high: int
    radix: int
    table: NDArray[np.int16] | None
    runs: Sequence[MemberRun]
    tag: Any


class Round:
    """A round of `size` rows: blocks are added to nodes, rows are asked, values are read.

    Row x lets every position show its base label, except where a run of its block covers the row.
    A run at node c covers x if the bits y of x inside c have the run's sign and a rank within its
    limits; rows that agree inside c are alike for it. Of the counts A(x) the Möbius transform at c
    keeps the blocks at c and at nodes that contain c, because whatever does not depend on some bit
    of c cancels in pairs of rows that differ in this bit. A run of positive sign, of v rows, in
    which the count changes by w adds v w at its own node, one of negative sign -v w: so a block
    with digit d and unit U adds d U. Nodes are read in descending order, and what a node adds to
    the nodes inside it is then known and subtracted.

    Parameters
    ----------
    size
        Number of rows, that is, of looks.
    halved
        m = 2: a position that does not have label 1 has label 0, so showing 1 instead of 0 moves
        the count by +1 or -1. With the number of positions that show 1 added, all moves are 0 or
        2, and half of each sum is what the blocks mean.

    Examples
    --------
    Four labels of two classes from four queries, the smallest design of Lindström. Node 3 = {0, 1}
    has capacity 2: position 0 shows label 1 in one row of sign +, position 1 in two, so that the
    node's sum is z0 + 2 z1 and its binary digits are the labels. Nodes 1 and 2 have room for one
    position each.

    >>> hidden = np.array([1, 0, 1, 1])
    >>> rnd = Round(4, halved=True)
    >>> for node, position, rows, radix in [(3, 0, 1, 2), (3, 1, 2, 0), (1, 2, 1, 0), (2, 3, 1, 0)]:
    ...     run = MemberRun(1, 0, rows, (position,), (1,))
    ...     rnd.add(node, PlacedBlock(0, 1, radix, None, [run], tag=position))
    >>> rnd.close(lambda members, labels: labels.astype(np.uint8), np.zeros(4, np.uint8))
    >>> queries = [rnd.row(x) for x in range(4)]
    >>> np.array(queries).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 1, 1]]
    >>> counts = [int((query == hidden).sum()) + rnd.extra(query) for query in queries]
    >>> counts
    [3, 3, 3, 5]

    The sum at node 3 is 3 - 3 - 3 + 5 = 2, half of it 1 = z0 + 2 z1: z0 = 1, z1 = 0. At node 1 it
    is 3 - 3 = 0; positions 0 and 1, which show label 1 in row 0 and not in row 1, took z0 + z1 = 1
    of its half, so z2 = 0 + 1. Likewise z3 = 1. Values come in the order of the tags:

    >>> rnd.tags, rnd.read(counts).tolist()
    ([2, 3, 0, 1], [1, 1, 1, 0])

    Attributes
    ----------
    base_matches
        Once it is read: how many positions have their base label, placed or not.
    """

    def __init__(self, size: int, halved: bool) -> None:
        self.size = size
        self._halved = halved
        self._at: dict[int, list[PlacedBlock]] = {}
        self._lift = np.zeros(size, np.int64)
        self.base_matches = 0

    def add(self, node: int, block: PlacedBlock) -> None:
        """Put a block on a node, above those already there."""
        self._at.setdefault(node, []).append(block)

    def halve(self, node: int, lift: int) -> None:
        """Read the digits of a node from half of its sum and `lift`, which is above 0."""
        self._lift[node] = lift

    def blocks_at(self, node: int) -> list[PlacedBlock]:
        """Return the blocks of a node."""
        return self._at.get(node, [])

    def close(self, actual: Callable[[Ints, Ints], NDArray[Any]], base: NDArray[Any]) -> None:
        """Lay the blocks out as arrays, ready to be asked.

        Parameters
        ----------
        actual
            Turns relative labels of positions into those to send.
        base
            What positions show that no run covers.
        """
        nodes = sorted(self._at)
        blocks = [block for c in nodes for block in self._at[c]]
        runs = [run for block in blocks for run in block.runs]
        self._base = base.copy()
        self._bits = bit_counts(self.size)
        self._inside = np.zeros(self.size, np.int64)
        # Columns of named tuples: one array for each field.
        low, high, radix, tables, runs_of, tags = _columns(blocks, PlacedBlock)
        sign, start, stop, members, labels, bias = _columns(runs, MemberRun)
        self.tags = list(tags)
        self._low, self._high, self._radix = _ints(low), _ints(high), _ints(radix)
        self._sign, self._start, self._stop, self._bias = map(_ints, (sign, start, stop, bias))
        counts = np.zeros(self.size + 1, np.int64)
        counts[_ints(nodes) + 1] = [len(self._at[c]) for c in nodes]
        self._block_pointer = np.cumsum(counts)
        self._run_pointer = np.cumsum([0, *map(len, runs_of)])
        self._table, self._tables = _pooled(tables)
        at = np.repeat(np.arange(self.size), counts[1:])
        self._node = np.repeat(at, np.diff(self._run_pointer))
        lengths = list(map(len, members))
        self._pointer = np.cumsum([0, *lengths])
        self._members = _flat(members)
        shared = bool(labels) and isinstance(labels[0], int)
        self._labels = actual(
            self._members, np.repeat(_ints(labels), lengths) if shared else _flat(labels)
        )

    def row(self, x: int) -> NDArray[Any]:
        """Return the query of row x: base labels, overwritten by the runs that cover the row."""
        out = self._base.copy()
        kernels.show_row(
            x, self._bits, self._inside, self._node, self._sign, self._start, self._stop,
            self._pointer, self._members, self._labels, out,
        )  # fmt: skip
        return out

    def extra(self, query: NDArray[Any]) -> int:
        """Return what to add to the count of a row: with two classes, how many show label 1."""
        return int(np.count_nonzero(query != self._base)) if self._halved else 0

    def read(self, counts: Sequence[int] | Ints) -> Ints:
        """Return the value of every block, in the order of `tags`.

        The alternating sums of all nodes at once are a Möbius transform of the counts, K log K
        additions. Reading them takes from each node what larger ones added to it. Every sum is
        used up to the last unit, so answers that are no exact counts do not stay unnoticed for
        long: a digit without meaning or a remainder tells.

        Raises
        ------
        Contradiction
            If the sum of a node is odd where it must be even, if a value is impossible, or if
            something is left at a node when all its blocks are subtracted.
        """
        t = np.array(counts, np.int64)
        moebius(t)
        first = int(t[0])
        if self._halved:
            odd = np.flatnonzero(t[1:] & 1)
            if odd.size:
                raise Contradiction(int(odd[-1]) + 1)
            t >>= 1
        values = np.zeros(len(self.tags), np.int64)
        bad = kernels.read_nodes(
            t, self._bits, self._lift, self._block_pointer, self._radix, self._low, self._high,
            self._run_pointer, self._table, self._tables, self._sign, self._start, self._stop,
            self._bias, values,
        )  # fmt: skip
        if bad:
            raise Contradiction(int(bad))
        self.base_matches = 2 * int(t[0]) + (first & 1) if self._halved else int(t[0])
        return values


def _columns(rows: Sequence[Any], kind: Any) -> list[Any]:
    """Return the fields of named tuples, each as one sequence."""
    return list(zip(*rows, strict=True)) or [()] * len(kind._fields)


def _ints(values: Any) -> Ints:
    return np.array(values, np.int64)


def _flat(parts: Sequence[Any]) -> Ints:
    """Join arrays, or sequences of integers."""
    if parts and isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return _ints(list(chain.from_iterable(parts)))


def _pooled(tables: Sequence[NDArray[np.int16] | None]) -> tuple[Ints, NDArray[np.int16]]:
    """Store each different table once; -1: the block's value is its run's coefficient."""
    where: dict[int, int] = {}
    parts: list[NDArray[np.int16]] = [np.zeros(1, np.int16)]
    offset, places = 1, []
    for table in tables:
        if table is None:
            places.append(-1)
            continue
        if id(table) not in where:
            where[id(table)] = offset
            parts.append(table.ravel())
            offset += table.size
        places.append(where[id(table)])
    return np.array(places, np.int64), np.concatenate(parts)
