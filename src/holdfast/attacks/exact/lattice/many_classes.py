r"""Exact recovery with many classes: clusters tested label by label, hits located by splits.

A round gives every node one cluster of positions. The node's last block is a test: how many
positions of the cluster have the next label, against one known to be wrong? Below it, in rows of
the other sign, hits of earlier tests are located: a set of positions with one hit is split into as
many parts as fit. The same positions serve the test and the splits, so none lie idle; hence each
split has rows of its own.

The label known to be wrong is only presumed (`cluster`). A cluster that presumed wrongly shows it
by a negative number of hits, by a sum that nothing explains, or by failing a confirmation, and
starts over with other labels. Nothing counts as certain unconfirmed.

Why clusters: with m = 100 classes a position's label costs log2(100) = 6.6 bits, but a question
about one label of one position tells 0.08. A cluster of m positions or so, tested for one label,
has a Poisson number of hits, about 1.8 bits, and that is what one last block can carry. The hits
are then found by splits, log2(cluster) bits each, in the places below. Both kinds of digits fill
every node of every round, and the rounds are kept in balance: a cluster with too many hits not yet
located (`BACKLOG_BITS`) skips its test, and `number_of_clusters` chooses sizes so that few do.

In row 0 all show their base labels, and it is asked in the first round alone. Afterwards its count
follows: one more for every label found since, and less what matched in clusters that now show a
label that none has. That saves a look per round, one in eight with seven clusters.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.cluster import Cluster, HitSet
from holdfast.attacks.exact.lattice.confirmation import confirm, confirm_groups
from holdfast.attacks.exact.rounds.digit_blocks import DigitBlock, hit_split
from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.rounds.knowledge import Asking, LabelKnowledge, ask_round
from holdfast.attacks.exact.rounds.layout import Contradiction, MemberRun, PlacedBlock, Round
from holdfast.attacks.exact.rounds.packing import nodes_by_size
from holdfast.attacks.exact.rounds.rulers import widest_weights

__all__ = ["ManyClasses"]


class LabelTest(NamedTuple):
    """A block whose value, times its sign, is the number of hits of a cluster's next test.

    The sign is that of the rows in which the label is shown, those without row 0.
    """

    cluster: Cluster
    sign: int


class HitSetSplit(NamedTuple):
    """A block whose value tells the hits of every part of a hit set, at a place in its list.

    Hit sets of one cluster overlap: a position may be in those of several tests, though it has one
    label. Whoever is found leaves all others, which may resolve these without a look.
    """

    cluster: Cluster
    place: int
    parts: list[Ints]
    block: DigitBlock


class ManyClasses:
    """All clusters of an attack, one per node, and the rounds that they share.

    A round of K = 2^r rows has K - 1 nodes with r/2 bits on average: its last place holds a
    test, and the log2 of the capacity below it, r/2 - 1 bits on average, the splits of earlier
    hits. With 2,000 positions of 100 classes there are 31 clusters of 64 or 65: a test finds 0.65
    hits in each, and locating one takes six bits, two or three rounds of the places below.

    Parameters
    ----------
    knowledge
        What is known.
    members
        The positions to work on.
    count
        How many clusters.
    """

    def __init__(self, knowledge: LabelKnowledge, members: Ints, count: int) -> None:
        self._knowledge = knowledge
        self._m = knowledge.n_classes
        # Positions whose labels are not even presumed.
        self._free = np.ones(knowledge.label.size, np.bool_)
        parts = np.array_split(members, count)
        self.clusters = [Cluster(part, 0, self._m) for part in parts if part.size]
        self.out_of_looks = False
        self._members = members
        # Matches of all base labels beyond the labels found; None: to be asked.
        self._other_matches: int | None = None

    def play(self, spare: int) -> Asking[None]:
        """Ask until few candidates are left everywhere, or only `spare` looks.

        When looks run out before tests do, no test is begun any more: the rest goes to hits that
        are counted, where few bits still turn into whole labels, the nearest ones first.
        """
        rounds = 0
        while True:
            looks = self._knowledge.looks - spare
            live = [c for c in self.clusters if c.has_tests() or c.hit_sets]
            for_nodes = looks - (self._other_matches is None)
            winding_down = len(live) > for_nodes
            if winding_down:
                self.out_of_looks = True
                live = [c for c in live if c.hit_sets]
                live = sorted(live, key=Cluster.backlog)[: max(0, for_nodes)]
            if not live:
                return
            rnd = self._plan(live, test=not winding_down)
            if self._other_matches is None:
                self._other_matches = (yield self._knowledge.base.copy()) - self._n_found()
            try:
                values = yield from ask_round(
                    self._knowledge, rnd, self._other_matches + self._n_found()
                )
            except Contradiction as problem:
                blamed = {block.tag.cluster for block in rnd.blocks_at(problem.node)}
                self._restart(blamed or set(live))
                continue
            self._learn(rnd.tags, values.tolist())
            rounds += 1
            if rounds % tuning.ROUNDS_PER_CONFIRMATION == 0 and self._knowledge.looks > spare:
                yield from self.confirm()

    def confirm(self) -> Asking[bool]:
        """Confirm all labels found so far; clusters with a wrong one start over."""
        known = self._knowledge
        fresh = [c.origin[(known.label[c.origin] >= 0) & ~known.certain[c.origin]]
                 for c in self.clusters]  # fmt: skip
        found = [(c, js) for c, js in zip(self.clusters, fresh, strict=True) if js.size]
        if not found:
            return True
        if (yield from confirm(known, np.concatenate([js for _, js in found]))):
            return True
        if known.looks > len(found):
            good = yield from confirm_groups(known, [js for _, js in found])
            self._restart({c for (c, _), fine in zip(found, good, strict=True) if not fine})
        return False

    def _n_found(self) -> int:
        """Return how many labels are known or presumed: these positions show them.

        Each is a match of every row that does not ask about it, if what was presumed is right; so
        the count of row 0 is known without asking. If it is wrong, sums contradict each other.
        """
        return int(np.count_nonzero(self._knowledge.label[self._members] >= 0))

    # -- a round

    def _plan(self, live: list[Cluster], test: bool) -> Round:
        """Give every cluster a node, those with most to locate the largest ones.

        The test goes above the splits, in the node's last place: its value may be anything from -g
        to g, and it is shown in as many rows as the unit above the splits says. A cluster whose
        backlog is too large skips its test, and the whole node is for splits.

        Parameters
        ----------
        live
            Clusters with something to ask.
        test
            Whether tests are begun; not when looks run out.
        """
        rnd = Round(len(live) + 1, halved=False)
        nodes = [node for _, same in nodes_by_size(rnd.size) for node in same]
        by_backlog = sorted(live, key=Cluster.backlog, reverse=True)
        for node, cluster in zip(nodes, by_backlog, strict=True):
            self._knowledge.show_all(cluster.members, cluster.wrong_label())
            testing = test and cluster.has_tests() and cluster.backlog() <= tuning.BACKLOG_BITS
            sign = _sign_without_base_row(node)
            unit = self._add_splits(rnd, node, cluster, testing)
            if testing:
                g, label = cluster.members.size, cluster.label(cluster.tested)
                run, tag = (
                    MemberRun(sign, 0, unit, cluster.members, label),
                    LabelTest(cluster, sign),
                )
                table = None if sign > 0 else _negated(g)
                rnd.add(node, PlacedBlock(-g, g, 0, table, [run], tag))
        return rnd

    def _add_splits(self, rnd: Round, node: int, cluster: Cluster, testing: bool) -> int:
        """Put splits on a node, and return the unit above them.

        Below a test, and below another split, a split takes rows of the other sign than the test
        alone, from `row` on: its weights have that sign, too. The first of these rows is row 0. The
        last split of a node without a test has no range to keep, and rows of both signs if it is
        the only one.
        """
        capacity, sign = 1 << (node.bit_count() - 1), _sign_without_base_row(node)
        unit, row = 1, 1
        for index, (test, js, hits) in enumerate(cluster.hit_sets):
            rest = capacity // unit
            is_final = index == len(cluster.hit_sets) - 1 or rest < tuning.LAST_SPLIT_CAPACITY
            last = not testing and is_final
            if last:
                weights = _last_weights(js.size, hits, rest, alone=row == 1)
                weights = tuple(sign * w for w in weights)
            else:
                weights = tuple(-sign * w for w in widest_weights(js.size, hits, rest))
                if not weights:
                    continue
            parts = np.array_split(js, len(weights))
            block = hit_split(weights, hits, tuple(min(hits, part.size) for part in parts))
            label = cluster.label(test)
            runs = []
            for r in block.runs:
                start = 0 if r.sign == sign else row
                stop = start + unit * r.stop
                runs.append(MemberRun(r.sign, start, stop, parts[r.part], label))
            high, radix = block.low + block.radix - 1, 0 if last else block.radix
            tag = HitSetSplit(cluster, index, parts, block)
            rnd.add(node, PlacedBlock(block.low, high, radix, block.table, runs, tag))
            if last:
                break
            row += unit * abs(weights[-1])
            unit *= radix
        return unit

    # -- conclusions

    def _learn(self, tags: list[LabelTest | HitSetSplit], values: list[int]) -> None:
        """Take the values of all blocks: splits first, then tests.

        In this order because a test is asked of the positions that were open before the round: the
        splits of the round may have found some of them, and these leave the new hit set at once.
        """
        replaced: dict[Cluster, dict[int, list[HitSet]]] = {}
        tests = []
        for tag, value in zip(tags, values, strict=True):
            if isinstance(tag, LabelTest):
                tests.append((tag.cluster, tag.sign * value))
                continue
            test = tag.cluster.hit_sets[tag.place].test
            outcome = tag.block.outcomes[value - tag.block.low]
            replaced.setdefault(tag.cluster, {})[tag.place] = [
                HitSet(test, part, hits)
                for part, hits in zip(tag.parts, outcome, strict=True)
                if hits
            ]
        broken = set()
        for cluster, by in replaced.items():
            old = cluster.hit_sets
            cluster.hit_sets = [new for i, one in enumerate(old) for new in by.get(i, [one])]
            if not self._settle(cluster):
                broken.add(cluster)
        for cluster, value in tests:
            was_ready = cluster.ready
            nothing_new = was_ready and value == 0
            if cluster not in broken and not (
                cluster.take_test(value) and (nothing_new or self._settle(cluster))
            ):
                broken.add(cluster)
            elif cluster.ready and not was_ready:
                # All showed the first label; from now on they show one that none has.
                self._knowledge.show_all(cluster.members, cluster.wrong_label())
                if self._other_matches is not None:
                    self._other_matches -= cluster.first_label_count
        self._restart(broken)

    def _settle(self, cluster: Cluster) -> bool:
        """Presume labels of sets that are all hits; False if a set has more hits than positions.

        A position found in one set is no longer in the others, which may leave only hits there.
        """
        again = True
        while again:
            again = False
            left = []
            for test, js, hits in cluster.hit_sets:
                free = js[self._free[js]]
                if free.size < hits:
                    return False
                if free.size > hits:
                    left.append(HitSet(test, free, hits))
                    continue
                again = True
                self._free[free] = False
                for j in free.tolist():
                    self._knowledge.settle(j, cluster.label(test), certain=False)
            cluster.hit_sets = left
        cluster.members = cluster.members[self._free[cluster.members]]
        return True

    def _restart(self, clusters: set[Cluster]) -> None:
        """Forget what was presumed of some clusters, and start them with other labels.

        With a third of the labels skipped, the first tests are others than those that misled it,
        and what they count has little to do with what these did.
        """
        known = self._knowledge
        if clusters:
            self._other_matches = None
        for cluster in sorted(clusters, key=lambda c: int(c.origin[0])):
            left = cluster.origin[~known.certain[cluster.origin]]
            self._free[left] = True
            known.label[left] = -1
            offset = cluster.offset + self._m // 3 + 1
            self.clusters[self.clusters.index(cluster)] = Cluster(left, offset, self._m)


def _sign_without_base_row(node: int) -> int:
    """Return the sign that row 0 does not have at a node: + if the node has an odd number of bits.

    >>> [_sign_without_base_row(node) for node in (1, 3, 7)]
    [1, -1, 1]
    """
    return 1 if node.bit_count() & 1 else -1


@cache
def _negated(size: int) -> NDArray[np.int16]:
    """Return the coefficients of a test in rows of sign -, by its value: minus the value."""
    return np.arange(size, -size - 1, -1, dtype=np.int16)[:, None]


def _last_weights(size: int, hits: int, capacity: int, alone: bool) -> tuple[int, ...]:
    """Return the weights of a node's last split: as many parts as rows allow if there is one hit.

    Alone at its node it can use rows of the sign of row 0 too, but not row 0.

    >>> _last_weights(100, 1, 2, alone=True), _last_weights(100, 1, 2, alone=False)
    ((-1, 0, 1, 2), (0, 1, 2))
    """
    if hits > 1:
        return 0, 1
    parts = min(size, 2 * capacity if alone else capacity + 1)
    middle = (parts - 1) // 2 if alone else 0
    return tuple(i - middle for i in range(parts))
