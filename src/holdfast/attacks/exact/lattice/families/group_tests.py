r"""Group tests: positions that are asked together whether they have their last candidate.

The last block of a node has no range to keep, so a group of any size can share it: each position
shows its last candidate against a label known to be wrong, and the value is the number of hits: 2
bits and more where a single position gives 1. What the number leaves open, which ones were hit,
fits the lower places of later rounds without waste: a group with one hit is split into any number
of parts, one with two or three into parts whose weights are a B_2 or B_3 set, and one of up to six
positions is resolved at once.

A group's way: `Narrowed` positions with c candidates each are tested, g together; the value w is
binomial with chance 1/c. w = 0: all have lost a candidate and are narrowed further. w = g: all are
settled. In between they are a `CountedGroup`, which is split; every part is again one of the three,
until parts are single positions. Four positions with two candidates: w tells 2.03 bits of 4, and
of the C(4, 2) = 6 ways left by w = 2 the block with weights (0, 1, 2, 4) tells which with one digit
of radix 6, since the sums of two weights, 1 .. 6, are all different.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import comb, log2, prod

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import DigitBlock, hit_split
from holdfast.attacks.exact.lattice.families.in_play import InPlay
from holdfast.attacks.exact.lattice.families.placing import (
    even_sizes,
    place_count,
    place_parts,
    split_evenly,
)
from holdfast.attacks.exact.lattice.families.single_positions import Narrowed, SinglePositions
from holdfast.attacks.exact.lattice.layout import PlacedBlock
from holdfast.attacks.exact.lattice.offer import Offer, Status, Stock, entropy, offered
from holdfast.attacks.exact.lattice.rulers import centred, part_weights, subset_weights

__all__ = ["CountedGroup", "GroupTests"]


@dataclass(frozen=True, slots=True)
class CountedGroup(Status):
    """A group of which so many positions have their last candidate, but not all.

    What is open is which: log2 C(size, hits) bits. That is all a split has to tell, whatever the
    number of classes, so statuses need not say how many candidates the positions have.
    """

    size: int
    hits: int


@lru_cache(maxsize=1024)
def hits_bits(g: int, c: int) -> float:
    """Return the bits that a test of g positions with c candidates each tells.

    The entropy of a binomial number of hits with chance 1/c. It grows like half the logarithm of
    g, and the positions it takes like g: the first ones of a group are worth most, and a shadow
    price says how many are worth taking.

    >>> hits_bits(2, 2)
    1.5
    >>> [round(hits_bits(g, 2), 2) for g in (1, 2, 3, 4, 6)]
    [1.0, 1.5, 1.81, 2.03, 2.33]
    """
    p = 1 / c
    return entropy([comb(g, w) * p**w * (1 - p) ** (g - w) for w in range(g + 1)])


@lru_cache(maxsize=4096)
def _split(group: CountedGroup, weights: tuple[int, ...]) -> tuple[DigitBlock, float]:
    """Return the block that splits a group, and the entropy of how its hits are shared out.

    All C(g, w) sets of hits are equally likely, since nothing tells the positions apart, so parts
    of sizes s_i have hits h_i in prod C(s_i, h_i) of them.

    >>> block, bits = _split(CountedGroup(4, 2), (0, 1, 2, 4))
    >>> block.radix, round(2**bits)               # single positions: which two, and none wasted
    (6, 6)
    >>> block, bits = _split(CountedGroup(4, 2), (0, 1))
    >>> block.outcomes, round(bits, 2)            # two halves: 1, 4 and 1 of the six
    (((2, 0), (1, 1), (0, 2)), 1.25)
    """
    sizes = even_sizes(group.size, len(weights))
    most = tuple(min(group.hits, size) for size in sizes)
    block = hit_split(centred(weights), group.hits, most)
    ways = [
        prod(comb(size, hits) for hits, size in zip(outcome, sizes, strict=True))
        for outcome in block.outcomes
        if outcome is not None
    ]
    return block, entropy(ways)


class GroupTests:
    """Groups of which the number of hits is known.

    Why group tests pay: a node's last block has a free range, and one position with two candidates
    fills it with one bit. Six fill it with 2.33 bits of their six. The 3.67 that are left, which
    positions the w hits are, a later round reads as one digit of a radix near C(6, w), which holds
    hardly a value without meaning. Nothing is lost but that they wait for a round.

    Parameters
    ----------
    in_play
        The candidates of all positions in play.
    singles
        Where positions are taken from, and where those that were not hit go.
    """

    def __init__(self, in_play: InPlay, singles: SinglePositions) -> None:
        self._in_play = in_play
        self._singles = singles
        self._groups: dict[CountedGroup, list[list[int]]] = {}

    def add(self, js: list[int], hits: int) -> None:
        """Keep a group of which some but not all positions were hit."""
        self._groups.setdefault(CountedGroup(len(js), hits), []).append(js)

    def stock(self) -> Stock:
        """Return how many groups there are in each status."""
        return {status: len(items) for status, items in self._groups.items()}

    def bits(self) -> float:
        """Return the bits still to be learnt: which were hit, and the labels of the others.

        log2 C(g, w) per group, and log2(c - 1) for each of the g - w positions that were not hit.
        """
        bits = 0.0
        for status, items in self._groups.items():
            g, w = status.size, status.hits
            bits += len(items) * log2(comb(g, w))
            candidates = (len(self._in_play.candidates[js[0]]) for js in items)
            bits += sum((g - w) * log2(max(1, c - 1)) for c in candidates)
        return bits

    def offers(self, status: Status, last_round: bool) -> Iterator[Offer]:
        """Offer to test narrowed positions together, and to locate hits."""
        two_classes = self._in_play.n_classes == 2
        match status:
            case Narrowed(c) if not last_round:
                # Two classes: what a round leaves must fit into one more, so one block resolves it.
                limit = tuning.LOCATED_AT_ONCE if two_classes else tuning.GROUP_HITS_AT_MOST * c
                for g in tuning.GROUP_SIZES:
                    if g <= limit:
                        yield self._test(status, g, two_classes)
            case CountedGroup(g, w):
                if g <= tuning.LOCATED_AT_ONCE:
                    yield self._split_offer("located", status, subset_weights(g, w))
                if not two_classes:
                    for weights in part_weights(g, w, tuning.ONE_HIT_PARTS):
                        yield self._split_offer("split", status, weights)

    def _test(self, status: Narrowed, g: int, two_classes: bool) -> Offer:
        """Offer to count the hits among g positions: worth the entropy of a binomial count."""
        leaves: dict[Status, float] = {}
        if two_classes:
            leaves = {CountedGroup(g, w): comb(g, w) / 2**g for w in range(1, g)}

        def place(unit: int, last: bool) -> PlacedBlock:  # noqa: ARG001 - always the last block
            js = self._singles.take(status, g)
            return place_count(js, self._pose(js), 0, 0, unit, partial(self._found, js))

        bits = hits_bits(g, status.candidates)
        return Offer("group-test", 0, 1, 0.0, bits, status, place, g, leaves)

    def _split_offer(self, kind: str, status: CountedGroup, weights: tuple[int, ...]) -> Offer:
        """Offer to tell how a group's hits are shared out to as many parts as there are weights."""
        block, bits = _split(status, weights)

        def place(unit: int, last: bool) -> PlacedBlock:
            js = self._groups[status].pop()
            label = dict(zip(js, self._pose(js), strict=True))
            parts = split_evenly(js, len(weights))

            def learn(hits: tuple[int, ...]) -> None:
                for part, count in zip(parts, hits, strict=True):
                    self._found(part, count)

            return place_parts(block, parts, lambda j, _: label[j], unit, last, learn)

        return offered(kind, block, bits, status, place)

    def _pose(self, js: list[int]) -> list[int]:
        """Let positions show their wrong labels; return their last candidates.

        Against a label known to be wrong, showing the candidate raises the count by 1 if it is
        right and by 0 if not: so sums of positions are numbers of hits.
        """
        play = self._in_play
        for j in js:
            play.knowledge.show(j, play.wrong[j])
        return [play.candidates[j][-1] for j in js]

    def _found(self, js: list[int], hits: int) -> None:
        """Settle positions that were all hit, narrow those that were not; keep other groups."""
        if 0 < hits < len(js):
            self.add(js, hits)
            return
        for j in js:
            last = self._in_play.candidates[j][-1]
            if hits:
                self._in_play.settle(j, last)
            else:
                self._singles.exclude(j, [last])
