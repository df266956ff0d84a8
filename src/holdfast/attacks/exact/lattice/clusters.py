r"""Rounds for many classes: clusters tested label by label, hits located by multiway splits.

A round gives every node one cluster of positions. The node's last coin is a test: how many
positions of the cluster have the next label (against one known to be wrong)? Below it, in rows of
the other sign, hits of earlier tests are located: a set of positions with one hit is cut into as
many parts as fit. The same positions serve the test and the splits, so none lie idle.

The first tests of a cluster compare labels with its label 0, of which nothing is known: all counts
are relative to that label's. The smallest is taken for 0 once that is far likelier than 1 (counts
are close to Poisson). That is likely right, not certain. A cluster that was wrong shows it by a
negative number of hits, by a sum that nothing explains, or by failing a confirmation, and starts
over with other labels. Nothing counts as certain unconfirmed.
"""

from __future__ import annotations

from math import log, log2
from typing import Any

import numpy as np

from holdfast.attacks.exact.lattice.board import Asking, Board, ask_round
from holdfast.attacks.exact.lattice.confirm import confirm, confirm_groups
from holdfast.attacks.exact.lattice.layout import Contradiction, Placed, Round, Shown
from holdfast.attacks.exact.lattice.packing import nodes_by_size
from holdfast.attacks.exact.lattice.rows import Ints
from holdfast.attacks.exact.lattice.splits import split, weights_for

__all__ = ["Cluster", "Clusters", "clusters_for"]

DOUBT = -9.0
"""Log-odds against the presumed counts below which hits of a cluster are located."""

FEW = 12
"""Candidates at which a position leaves its cluster."""

BACKLOG = 20.0
"""Bits that wait in a cluster before splits take precedence over its next test."""

ROUNDS_BETWEEN = 16
"""Rounds between two confirmations."""


def clusters_for(n: int, m: int) -> int:
    """How many clusters to form."""
    # The splits of a round must keep pace with the hits of its tests: of K = 2^r - 1 clusters,
    # rounds have room for K (r/2 - 1) bits, and n/m hits take the log of a cluster's size each.
    best, gap = 1, float("inf")
    for r in range(1, 17):
        count = 2**r - 1
        room = max(0.5, (count + 1) * (r / 2 - 1))
        wanted = 0.75 * n / m * log2(max(2.0, n / count / 2))
        if count <= max(1, n // 4) and abs(log(room / wanted)) < gap:
            best, gap = count, abs(log(room / wanted))
    return best


class Cluster:
    """Positions that are tested together, and what their tests have told."""

    def __init__(self, members: Ints, offset: int) -> None:
        self.members = members
        self.origin = members
        self.offset = offset
        self.tested = 1
        self.early: list[int] = []
        self.blocks: list[tuple[int, Ints, int]] = []
        self.wrong = 0
        self.ready = False

    def backlog(self) -> float:
        """Bits still to be learnt of the hits counted so far."""
        if not self.ready:
            return 0.0
        return sum(hits * log2(max(2, js.size)) for _, js, hits in self.blocks)


class Clusters:
    """All clusters of an attack.

    Parameters
    ----------
    board
        What is known.
    members
        The positions to work on.
    count
        How many clusters.
    """

    def __init__(self, board: Board, members: Ints, count: int) -> None:
        self._board = board
        self._m = board.n_classes
        self._free = np.ones(board.label.size, np.bool_)
        self._last = max(1, self._m - FEW)
        self.clusters = [Cluster(part, 0) for part in np.array_split(members, count) if part.size]
        self.restarts = 0
        self.out_of_looks = False

    def _label(self, cluster: Cluster, t: int) -> int:
        return (t + cluster.offset) % self._m

    def _testing(self, cluster: Cluster) -> bool:
        return cluster.members.size > 0 and cluster.tested < (
            self._last if cluster.ready else self._m
        )

    def candidates(self, cluster: Cluster) -> list[int]:
        """Return the labels that were not tested yet."""
        return [self._label(cluster, t) for t in range(cluster.tested, self._m)]

    def wrong(self, cluster: Cluster) -> int:
        """Return a label that no open position of the cluster has."""
        return self._label(cluster, cluster.wrong)

    # -- a round

    def play(self, spare: int) -> Asking[None]:
        """Ask until few candidates are left everywhere, or only `spare` looks."""
        rounds = 0
        while True:
            looks = self._board.looks - spare
            live = [c for c in self.clusters if self._testing(c) or c.blocks]
            winding_down = len(live) >= looks
            if winding_down:
                self.out_of_looks = True
                live = [c for c in live if c.blocks]
                live = sorted(live, key=Cluster.backlog)[: max(0, looks - 1)]
            if not live:
                return
            rnd = self._plan(live, test=not winding_down)
            try:
                values = yield from ask_round(self._board, rnd)
            except Contradiction as problem:
                self._restart(
                    {tag[1] for tag in map(_tag, rnd.coins_at(problem.node))} or set(live)
                )
                continue
            self._learn(rnd.tags, values.tolist())
            rounds += 1
            if rounds % ROUNDS_BETWEEN == 0 and self._board.looks > spare:
                yield from self.confirm()

    def confirm(self) -> Asking[bool]:
        """Confirm all labels found so far; clusters with a wrong one start over."""
        board = self._board
        fresh = [c.origin[(board.label[c.origin] >= 0) & ~board.certain[c.origin]]
                 for c in self.clusters]  # fmt: skip
        found = [(c, js) for c, js in zip(self.clusters, fresh, strict=True) if js.size]
        if not found:
            return True
        if (yield from confirm(board, np.concatenate([js for _, js in found]))):
            return True
        if board.looks > len(found):
            good = yield from confirm_groups(board, [js for _, js in found])
            self._restart({c for (c, _), fine in zip(found, good, strict=True) if not fine})
        return False

    def _plan(self, live: list[Cluster], test: bool) -> Round:
        rnd = Round(len(live) + 1, halved=False)
        nodes = [node for _, same in nodes_by_size(rnd.size) for node in same]
        for node, cluster in zip(
            nodes, sorted(live, key=Cluster.backlog, reverse=True), strict=True
        ):
            self._board.show_all(cluster.members, self.wrong(cluster))
            room = 1 << (node.bit_count() - 1)
            testing = test and self._testing(cluster) and cluster.backlog() <= BACKLOG
            unit = self._splits(rnd, node, cluster, room, testing)
            if testing:
                g, label = cluster.members.size, self._label(cluster, cluster.tested)
                shown = Shown(1, 0, unit, cluster.members, label)
                rnd.add(node, Placed(-g, g, 0, None, [shown], ("test", cluster)))
        return rnd

    def _splits(self, rnd: Round, node: int, cluster: Cluster, room: int, testing: bool) -> int:
        """Put splits on a node, the last one without a limit if no test follows."""
        unit, row = 1, 0
        for index, (t, js, hits) in enumerate(cluster.blocks):
            label, rest = self._label(cluster, t), room // unit
            last = not testing and (index == len(cluster.blocks) - 1 or rest < 4)
            if last:
                # Rows of both signs are free unless lower coins use those of sign -.
                parts = min(js.size, 2 * rest + 1 if row == 0 else rest + 1) if hits == 1 else 2
                weights = tuple(range(parts))
                middle = parts // 2 if row == 0 and hits == 1 else 0
            else:
                weights, middle = weights_for(js.size, hits, rest), 0
                if not weights:
                    continue
            pieces = np.array_split(js, len(weights))
            most = tuple(min(hits, piece.size) for piece in pieces)
            centred = tuple(w - middle for w in weights)
            kind = split(centred, hits, most, not last)
            shown = [
                _part(w, unit, row, last, piece, label)
                for w, piece in zip(centred, pieces, strict=True) if w
            ]  # fmt: skip
            radix = 0 if last else kind.high - kind.low + 1
            tag = ("split", cluster, index, pieces, kind)
            rnd.add(node, Placed(kind.low, kind.high, radix, kind.table, shown, tag))
            if last:
                break
            row += unit * weights[-1]
            unit *= radix
        return unit

    # -- what the values tell

    def _learn(self, tags: list[Any], values: list[int]) -> None:
        parts: dict[Cluster, dict[int, list[tuple[int, Ints, int]]]] = {}
        tests = []
        for tag, value in zip(tags, values, strict=True):
            if tag[0] == "test":
                tests.append((tag[1], value))
                continue
            _, cluster, index, pieces, kind = tag
            t = cluster.blocks[index][0]
            hits = kind.hits[value - kind.low]
            parts.setdefault(cluster, {})[index] = [
                (t, piece, h) for piece, h in zip(pieces, hits, strict=True) if h
            ]
        broken = set()
        for cluster, by in parts.items():
            old = cluster.blocks
            cluster.blocks = [b for i, block in enumerate(old) for b in by.get(i, [block])]
            if not self._settle(cluster):
                broken.add(cluster)
        for cluster, value in tests:
            if cluster not in broken and not self._tested(cluster, value):
                broken.add(cluster)
        self._restart(broken)

    def _settle(self, cluster: Cluster) -> bool:
        """Take blocks without doubt as known; False if a block has more hits than positions."""
        again = True
        while again:
            again = False
            blocks = []
            for t, js, hits in cluster.blocks:
                open_ = js[self._free[js]]
                if open_.size < hits:
                    return False
                if open_.size > hits:
                    blocks.append((t, open_, hits))
                    continue
                again = True
                self._free[open_] = False
                for j in open_.tolist():
                    self._board.settle(j, self._label(cluster, t), certain=False)
            cluster.blocks = blocks
        cluster.members = cluster.members[self._free[cluster.members]]
        return True

    def _tested(self, cluster: Cluster, value: int) -> bool:
        """Take a test's result; False if it can't be."""
        t = cluster.tested
        cluster.tested += 1
        if cluster.ready:
            if value > 0:
                cluster.blocks.append((t, cluster.members, value))
                return self._settle(cluster)
            return value == 0
        cluster.early.append(value)
        size, m = cluster.members.size, self._m
        least = min(0, *cluster.early)
        if cluster.tested == m:
            # All labels were compared: the counts must add up to the cluster's size.
            least = -((size - sum(cluster.early)) // m)
        counts = [value - least for value in (0, *cluster.early)]
        odds = sum(log(size / m / (count + 1)) for count in counts)
        if cluster.tested < m and (odds > DOUBT or 0 not in counts):
            return True
        if min(counts) < 0 or sum(counts) > size:
            return False
        cluster.ready = True
        cluster.wrong = counts.index(0) if 0 in counts else -1
        cluster.blocks = [(t, cluster.members, hits) for t, hits in enumerate(counts) if hits]
        return cluster.wrong >= 0 and self._settle(cluster)

    def _restart(self, clusters: set[Cluster]) -> None:
        """Forget what was presumed of some clusters, and start them with other labels."""
        board = self._board
        for cluster in sorted(clusters, key=lambda c: int(c.origin[0])):
            self.restarts += 1
            left = cluster.origin[~board.certain[cluster.origin]]
            self._free[left] = True
            board.label[left] = -1
            where = self.clusters.index(cluster)
            self.clusters[where] = Cluster(left, cluster.offset + self._m // 3 + 1)


def _tag(coin: Placed) -> Any:
    return coin.tag


def _part(w: int, unit: int, row: int, last: bool, piece: Ints, label: int) -> Shown:
    """Rows in which one part of a split shows the label."""
    if last:
        return Shown(1 if w > 0 else -1, 0, unit * abs(w), piece, label)
    return Shown(-1, row, row + unit * w, piece, label)
