"""Layout of a round: digit blocks on nodes, the rows they show, their values from the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact._subset_lattice import bit_counts, moebius
from holdfast.attacks.exact.lattice import kernels
from holdfast.attacks.exact.lattice.kernels import Ints

__all__ = ["Contradiction", "MemberRun", "PlacedBlock", "Round"]


class Contradiction(Exception):
    """The sum at `node` can't come from any labels that agree with what is taken as known."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class MemberRun(NamedTuple):
    """Rows of one sign, with ranks `start` .. `stop` - 1, in which positions show labels.

    `labels` are relative, one for each member or one for all. `bias` is added to the coefficient
    that the block's table gives: what the run contributes if the table says 0.
    """

    sign: int
    start: int
    stop: int
    members: Sequence[int] | Ints
    labels: Sequence[int] | int
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
    """A round of `size` rows.

    Parameters
    ----------
    size
        Number of rows, that is, of looks.
    halved
        m = 2: a position that does not have label 1 has label 0, so showing 1 instead of 0 moves
        the count by +1 or -1. With the number of positions that show 1 added, all moves are 0 or
        2, and half of each sum is what the blocks mean.
    """

    def __init__(self, size: int, halved: bool) -> None:
        self.size = size
        self._halved = halved
        self._at: dict[int, list[PlacedBlock]] = {}

    def add(self, node: int, block: PlacedBlock) -> None:
        """Put a block on a node, above those already there."""
        self._at.setdefault(node, []).append(block)

    def blocks_at(self, node: int) -> list[PlacedBlock]:
        """Return the blocks of a node."""
        return self._at.get(node, [])

    def close(self, actual: Callable[[Ints, Ints], NDArray[Any]], base: NDArray[Any]) -> None:
        """Lay the blocks out as arrays; `actual` turns relative labels of members into labels."""
        placed = [(c, block) for c in sorted(self._at) for block in self._at[c]]
        runs = [(c, s) for c, block in placed for s in block.runs]
        self._base = base.copy()
        self.tags = [block.tag for _, block in placed]
        at = np.array([c + 1 for c, _ in placed], np.int64)
        self._block_pointer = np.cumsum(np.bincount(at, minlength=self.size + 1))
        self._bits = bit_counts(self.size)
        self._inside = np.zeros(self.size, np.int64)
        self._radix, self._low, self._high = (
            np.array([getattr(block, name) for _, block in placed], np.int64)
            for name in ("radix", "low", "high")
        )
        self._run_pointer = np.cumsum([0, *(len(block.runs) for _, block in placed)])
        self._table, self._tables = _pooled([block.table for _, block in placed])
        self._node = np.array([c for c, _ in runs], np.int64)
        self._sign, self._start, self._stop, self._bias = (
            np.array([getattr(s, name) for _, s in runs], np.int64)
            for name in ("sign", "start", "stop", "bias")
        )
        lengths = [len(s.members) for _, s in runs]
        self._pointer = np.cumsum([0, *lengths])
        if lengths:
            self._members = np.concatenate([np.asarray(s.members, np.int64) for _, s in runs])
            labels = np.concatenate(
                [
                    np.full(len(s.members), s.labels) if isinstance(s.labels, int) else s.labels
                    for _, s in runs
                ]
            )
        else:
            self._members = labels = np.zeros(0, np.int64)
        self._labels = actual(self._members, labels)

    def row(self, x: int) -> NDArray[Any]:
        """Return the query of row x."""
        out = self._base.copy()
        kernels.show_row(
            x, self._bits, self._inside, self._node, self._sign, self._start, self._stop,
            self._pointer, self._members, self._labels, out,
        )  # fmt: skip
        return out

    def extra(self, query: NDArray[Any]) -> int:
        """Return what to add to the count of a row."""
        return int(np.count_nonzero(query != self._base)) if self._halved else 0

    def read(self, counts: Sequence[int]) -> Ints:
        """Return the value of every block, in the order of `tags`."""
        t = np.array(counts, np.int64)
        moebius(t)
        if self._halved:
            odd = np.flatnonzero(t[1:] & 1)
            if odd.size:
                raise Contradiction(int(odd[-1]) + 1)
            t >>= 1
        values = np.zeros(len(self.tags), np.int64)
        bad = kernels.read_nodes(
            t, self._bits, self._block_pointer, self._radix, self._low, self._high,
            self._run_pointer, self._table, self._tables, self._sign, self._start, self._stop,
            self._bias, values,
        )  # fmt: skip
        if bad:
            raise Contradiction(int(bad))
        return values


def _pooled(tables: list[NDArray[np.int16] | None]) -> tuple[Ints, NDArray[np.int16]]:
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
