"""One round: coins on nodes, the rows they show, and their values from the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import rows as kernels
from holdfast.attacks.exact.lattice.rows import Ints

__all__ = ["Contradiction", "Placed", "Round", "Shown"]


class Contradiction(Exception):
    """The sum at `node` can't come from any labels that agree with what is taken as known."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class Shown(NamedTuple):
    """Positions that show `labels` (relative) in the rows of one sign with these ranks."""

    sign: int
    start: int
    stop: int
    members: Sequence[int] | Ints
    labels: Sequence[int] | int
    bias: int = 0


class Placed(NamedTuple):
    """A coin on a node. Radix 0: the node's last coin, any value in low .. high."""

    low: int
    high: int
    radix: int
    table: NDArray[np.int16] | None
    shown: Sequence[Shown]
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
        2, and half of each sum is what the coins mean.
    """

    def __init__(self, size: int, halved: bool) -> None:
        self.size = size
        self._halved = halved
        self._at: dict[int, list[Placed]] = {}

    def add(self, node: int, coin: Placed) -> None:
        """Put a coin on a node, above those already there."""
        self._at.setdefault(node, []).append(coin)

    def coins_at(self, node: int) -> list[Placed]:
        """Return the coins of a node."""
        return self._at.get(node, [])

    def close(self, actual: Callable[[Ints, Ints], NDArray[Any]], base: NDArray[Any]) -> None:
        """Lay the coins out as arrays; `actual` turns relative labels of members into labels."""
        placed = [(c, coin) for c in sorted(self._at) for coin in self._at[c]]
        shown = [(c, s) for c, coin in placed for s in coin.shown]
        self._base = base.copy()
        self.tags = [coin.tag for _, coin in placed]
        counts = np.zeros(self.size + 1, np.int64)
        for c, _ in placed:
            counts[c + 1] += 1
        self._coin_pointer = np.cumsum(counts)
        self._radix, self._low, self._high = (
            np.array([getattr(coin, name) for _, coin in placed], np.int64)
            for name in ("radix", "low", "high")
        )
        self._run_pointer = np.cumsum([0, *(len(coin.shown) for _, coin in placed)])
        self._table, self._tables = _pooled([coin.table for _, coin in placed])
        self._node = np.array([c for c, _ in shown], np.int64)
        self._sign, self._start, self._stop, self._bias = (
            np.array([getattr(s, name) for _, s in shown], np.int64)
            for name in ("sign", "start", "stop", "bias")
        )
        sizes = [len(s.members) for _, s in shown]
        self._pointer = np.cumsum([0, *sizes])
        if sizes:
            self._members = np.concatenate([np.asarray(s.members, np.int64) for _, s in shown])
            labels = np.concatenate(
                [
                    np.full(len(s.members), s.labels) if isinstance(s.labels, int) else s.labels
                    for _, s in shown
                ]
            )
        else:
            self._members = labels = np.zeros(0, np.int64)
        self._labels = actual(self._members, labels)

    def row(self, x: int) -> NDArray[Any]:
        """Return the query of row x."""
        out = self._base.copy()
        kernels.show_row(
            x, self._node, self._sign, self._start, self._stop, self._pointer, self._members,
            self._labels, out,
        )  # fmt: skip
        return out

    def extra(self, query: NDArray[Any]) -> int:
        """Return what to add to the count of a row."""
        return int(np.count_nonzero(query != self._base)) if self._halved else 0

    def read(self, counts: Sequence[int]) -> Ints:
        """Return the value of every coin, in the order of `tags`."""
        t = np.array(counts, np.int64)
        kernels.alternating_sums(t)
        if self._halved:
            odd = np.flatnonzero(t[1:] & 1)
            if odd.size:
                raise Contradiction(int(odd[-1]) + 1)
            t >>= 1
        values = np.zeros(len(self.tags), np.int64)
        bad = kernels.read_nodes(
            t, self._coin_pointer, self._radix, self._low, self._high, self._run_pointer,
            self._table, self._tables, self._sign, self._start, self._stop, self._bias, values,
        )  # fmt: skip
        if bad:
            raise Contradiction(int(bad))
        return values


def _pooled(tables: list[NDArray[np.int16] | None]) -> tuple[Ints, NDArray[np.int16]]:
    """Store each different table once; -1: the coin's value is its run's coefficient."""
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
