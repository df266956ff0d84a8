r"""Prior checks: groups of positions whose labels a model names are checked, not asked.

A group shows its most likely labels, and in some rows its least likely ones instead. With
w = 1, 0, -1 for a position that has the first, neither, the second, the sum of w falls short of
the group's size g by the number of positions that do not have their likely label (a position that
has the unlikely one counts twice). A shortfall of 0 proves all g labels at once, whatever the model
is worth; otherwise the shortfall is split until the positions are found. A group with one wrong
label is searched for the position and for the label at once.

A model that is right with probability 1 - q leaves h(q) + q log2(m - 1) bits per label, and groups
whose expected number of errors is about 2 to 4 collect most of them: a check of g positions tells
the entropy of a binomial count, which grows until then, and takes the place of one block.

A position's way through the statuses: `Trusted` at a level of doubt; then in a group that is
`Short` by two or more, split and split again; then in a group with `OneWrong` label, searched;
then settled, or handed to `single_positions` without the labels that were ruled out. The model
decides what is asked first. It is never believed: a label is settled by a count alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import log2, prod
from typing import ClassVar

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import DigitBlock, hit_split, unknown_single
from holdfast.attacks.exact.lattice.error_search import ErrorCase, error_search, spans_for
from holdfast.attacks.exact.lattice.families.in_play import InPlay
from holdfast.attacks.exact.lattice.families.placing import (
    even_sizes,
    place_count,
    place_parts,
    split_evenly,
)
from holdfast.attacks.exact.lattice.families.shortfall import (
    check_bits,
    shortfall_bits,
    shortfall_odds,
    twofold_odds,
)
from holdfast.attacks.exact.lattice.families.single_positions import SinglePositions, widths
from holdfast.attacks.exact.lattice.layout import PlacedBlock
from holdfast.attacks.exact.lattice.offer import Offer, Status, Stock, entropy, offered
from holdfast.attacks.exact.lattice.rulers import centred, part_weights

__all__ = ["OneWrong", "PriorChecks", "Short", "Trusted"]


@dataclass(frozen=True, slots=True)
class Trusted(Status):
    """A position whose likely label is wrong with probability about 2^-doubt.

    No shadow price is charged for it: a check takes many positions for few bits each, and a price
    per position would rule out just the groups that are worth a block.
    """

    scarce: ClassVar[bool] = False
    doubt: int


@dataclass(frozen=True, slots=True)
class Short(Status):
    """A group that falls short by two or more; its positions had this level of doubt.

    The doubt still matters: it says how likely it is that one position falls short by two.
    """

    size: int
    shortfall: int
    doubt: int


@dataclass(frozen=True, slots=True)
class OneWrong(Status):
    """A group with one wrong label, which can be one of so many others for each position.

    A shortfall of 1 rules the unlikely labels out, which count 2 unless there are two classes: with
    m classes m - 2 labels are left, and log2(size * labels) bits.
    """

    size: int
    labels: int


class PriorChecks:
    """Positions whose labels a model names, and groups of them that fell short.

    An example with ten classes. Sixty-four positions of a model that is right in 95 of 100 are
    checked with one block. Their sum falls short by 3: each of them has its likely label but for
    three, or one with the unlikely label and another. A split by the B_3 set (0, 1, 4) shares
    the 3 out to parts of 22, 21 and 21, say 1, 0 and 2. The 21 positions of the second part are
    settled. The first is searched for its one wrong label, the third is split again.

    Parameters
    ----------
    in_play
        The candidates of all positions in play.
    singles
        Where positions go whose likely label is wrong.
    """

    def __init__(self, in_play: InPlay, singles: SinglePositions) -> None:
        self._in_play = in_play
        self._singles = singles
        self._m = in_play.n_classes
        self._trusted: dict[Trusted, list[int]] = {}
        self._short: dict[Status, list[list[int]]] = {}
        self._likely: dict[int, int] = {}
        self._unlikely: dict[int, int] = {}
        # What a position without either label can have, as far as searches narrowed it down.
        self._others: dict[int, list[int]] = {}
        # Number and summed doubts of the positions sorted into each level.
        self._doubts: dict[int, tuple[int, float]] = {}
        # With two classes a position has one of its two labels: the unlikely one counts once.
        self._most = 1 if self._m == 2 else 2

    @property
    def in_use(self) -> bool:
        """Whether a model named labels at all."""
        return bool(self._likely)

    def admit(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels."""
        self._likely[j], self._unlikely[j] = likely, unlikely
        between = [x for x in range(self._m) if x not in (likely, unlikely)]
        self._in_play.candidates[j] = [likely, *between, unlikely]
        self._in_play.knowledge.guess[j] = likely
        self._sort_in(j, doubt)

    def _sort_in(self, j: int, doubt: float) -> None:
        """Put a position into the level of its doubt, so that groups have equal doubts."""
        level = min(tuning.DOUBT_LEVELS, max(0, round(-log2(max(doubt, 1e-9)))))
        self._trusted.setdefault(Trusted(level), []).append(j)
        count, total = self._doubts.get(level, (0, 0.0))
        # A model that is sure may be wrong: without doubt nothing would be worth a look.
        self._doubts[level] = count + 1, total + max(doubt, 2.0**-tuning.DOUBT_LEVELS)

    def _doubt(self, level: int) -> float:
        """Return the mean doubt of the positions that were sorted into a level."""
        count, total = self._doubts[level]
        return total / count

    def stock(self) -> Stock:
        """Return how many positions and groups there are in each status."""
        stock: dict[Status, int] = {status: len(js) for status, js in self._trusted.items()}
        stock.update({status: len(groups) for status, groups in self._short.items()})
        return stock

    def bits(self) -> float:
        """Return the bits still to be learnt: which labels are wrong, and the right ones."""
        bits = 0.0
        for status, count in self.stock().items():
            bits += count * self._bits_in(status)
        return bits

    def _bits_in(self, status: Status) -> float:
        """Return the entropy of one item: which of its labels are wrong, and the right ones.

        A trusted position of doubt q has h(q) + q log2(m - 1) bits: 0.44 for q = 1/20 and ten
        classes, where a label of which nothing is known has 3.32.
        """
        match status:
            case Trusted(level):
                q = self._doubt(level)
                return entropy([q, 1 - q]) + q * log2(self._m - 1)
            case OneWrong(g, labels):
                return log2(g * labels)
            case Short(g, d, level):
                twofold = twofold_odds(self._m, self._doubt(level))
                return shortfall_bits(d, g, twofold, log2(max(1, self._m - 2)))
        raise AssertionError(status)

    # -- offers

    def offers(self, status: Status, last_round: bool) -> Iterator[Offer]:
        """Offer to check positions together, and to find the wrong labels of a group."""
        match status:
            case Trusted(level):
                yield from self._check_offers(status, self._doubt(level), last_round)
            case OneWrong(g, labels):
                for weights in part_weights(g, 1, tuning.ONE_ERROR_PARTS):
                    yield self._split_offer(status, g, 1, 0, weights)
                if 1 < labels <= tuning.ASKED_DIRECTLY_AT_MOST:
                    yield from self._search_offers(status)
            case Short(g, d, level):
                for weights in part_weights(g, d, ()):
                    yield self._split_offer(status, g, d, level, weights)

    def _check_offers(self, status: Trusted, q: float, last_round: bool) -> Iterator[Offer]:
        """Offer checks of 1, 2, 4, ... positions, and to ask for a position's label directly.

        Groups grow until `CHECK_ERRORS_AT_MOST` errors are expected: beyond, a check tells hardly
        more, and its shortfall takes more rounds to share out. A pair's check has so few values
        that it may stand below another block. A larger group is a node's last block, whose range is
        free.
        """
        m = self._m
        directly = 2 < m <= tuning.ASKED_DIRECTLY_AT_MOST
        if directly:
            for h in widths(m, last_round):
                yield self._direct_offer(status, h, q)
        if last_round and directly:
            return
        sizes = tuning.CHECK_SIZES
        best = max((g for g in sizes if g * q <= tuning.CHECK_ERRORS_AT_MOST), default=1)
        for g in (1,) if last_round else [g for g in sizes if g <= best]:
            radix = self._most * g + 1 if g <= 2 else 0
            bits = check_bits(g, q)
            place = partial(self._place_check, status, g, radix)
            yield Offer("check", radix, 1, bits, bits, status, place, g)

    def _direct_offer(self, status: Trusted, h: int, q: float) -> Offer:
        """Offer to ask for h labels of a position, the likely one among them.

        Worth the entropy of q spread over m - 1 labels, which is little where the model is good: a
        check of many is better then. For doubtful positions it saves the rounds that a group would
        take.
        """
        m = self._m
        block = unknown_single(h, m)
        bits = entropy([1 - q, *[q / (m - 1)] * (h - 1), q * (m - h) / (m - 1)])

        def place(unit: int, last: bool) -> PlacedBlock:
            return self._singles.ask(self._trusted[status].pop(), block, h, unit, last)

        return offered("direct", block, bits, status, place, below=bits)

    def _split_offer(
        self, status: Status, g: int, d: int, level: int, weights: tuple[int, ...]
    ) -> Offer:
        """Offer to split a group of g that falls short by d.

        The weights of the parts make the sums of all possible shortfalls different (a B_d set), so
        the block's value tells each part's shortfall. Its worth is the entropy of how the shortfall
        is shared out, each way weighed by `shortfall_odds`: two halves of four positions that fall
        short by 1 are equally likely, 1 bit.

        Parameters
        ----------
        status
            The group's, `Short` or `OneWrong`.
        g, d
            Its size and shortfall.
        level
            The level of doubt of its positions.
        weights
            One per part, ascending.
        """
        sizes = even_sizes(g, len(weights))
        most = tuple(min(d, self._most * size) for size in sizes)
        block = hit_split(centred(weights), d, most)
        twofold = 0.0 if d == 1 else twofold_odds(self._m, self._doubt(level))
        ways = [
            prod(shortfall_odds(h, size, twofold) for h, size in zip(outcome, sizes, strict=True))
            for outcome in block.outcomes
            if outcome is not None
        ]
        place = partial(self._place_split, status, block, len(weights), level)
        return offered("error-split", block, entropy(ways), status, place)

    def _search_offers(self, status: OneWrong) -> Iterator[Offer]:
        """Offer to find the wrong label along with the part of the group that it is in.

        Telling both at once saves a round: a split alone tells where, and the label would be asked
        later of a single position. In return the block needs more rows per unit, which only large
        nodes have.
        """
        for spans in spans_for(status.size, status.labels):
            block = error_search(spans, status.labels)
            sizes = even_sizes(status.size, len(spans))
            bits = entropy([sizes[case.part] * case.chance for case in block.outcomes if case])
            below = bits - tuning.LOWER_PLACE_LOSS + tuning.SEARCH_GAIN
            place = partial(self._place_search, status, block, len(spans))
            yield offered("error-search", block, bits, status, place, below)

    # -- placing

    def _place_check(
        self, status: Trusted, g: int, radix: int, unit: int, last: bool
    ) -> PlacedBlock:
        """Let g positions show likely labels, and unlikely ones in the rows of one run.

        The run adds 1 per unlikely label that is right and takes 1 per likely one: g less the
        shortfall, with the sign turned. With two classes counts are halved, and it counts errors.
        """
        js = [self._trusted[status].pop() for _ in range(g)]
        self._show_likely(js)
        low = 0 if self._m == 2 else -g

        def learn(value: int) -> None:
            self._found(js, value - low, status.doubt)

        labels = [self._unlikely[j] for j in js]
        return place_count(js, labels, low, 0 if last else radix, unit, learn)

    def _place_split(
        self, status: Status, block: DigitBlock, n_parts: int, level: int, unit: int, last: bool
    ) -> PlacedBlock:
        """Let each part of a group show its unlikely labels in as many rows as its weight says.

        A position with its likely label loses a match in each of these rows, one with neither label
        none, one with the unlikely label gains one: counted from -1 per position, 0, 1 and 2 for
        each row, its shortfall. With two classes counts are halved, and errors count from 0.
        """
        js = self._short[status].pop()
        self._show_likely(js)
        parts = split_evenly(js, n_parts)

        def learn(shortfalls: tuple[int, ...]) -> None:
            for part, d in zip(parts, shortfalls, strict=True):
                self._found(part, d, level)

        def label(j: int, _: int) -> int:
            return self._unlikely[j]

        return place_parts(block, parts, label, unit, last, learn, falls_short=self._m > 2)

    def _place_search(
        self, status: OneWrong, block: DigitBlock, n_parts: int, unit: int, last: bool
    ) -> PlacedBlock:
        """Let each part of a group show the other labels that its wrong position can have.

        Each position has its own list of them; a slot is a place in the list. So the parts without
        the error are settled, and of the part with it each position keeps the labels in the slots
        that the value leaves.
        """
        js = self._short[status].pop()
        self._show_likely(js)
        parts = split_evenly(js, n_parts)
        others = {j: self._others_of(j) for j in js}

        def learn(case: ErrorCase) -> None:
            for i, part in enumerate(parts):
                if i != case.part:
                    self._found(part, 0, 0)
            for j in parts[case.part]:
                self._others[j] = [others[j][slot] for slot in case.slots]
            self._found(parts[case.part], 1, 0)

        def label(j: int, slot: int) -> int:
            return others[j][slot]

        return place_parts(block, parts, label, unit, last, learn, falls_short=True)

    def _show_likely(self, js: list[int]) -> None:
        """Make the likely labels the base: what the positions show outside of the block's runs."""
        for j in js:
            self._in_play.knowledge.show(j, self._likely[j])

    def _others_of(self, j: int) -> list[int]:
        """Return the labels left to a position with neither its likely nor its unlikely one."""
        if j not in self._others:
            out = self._likely[j], self._unlikely[j]
            self._others[j] = [x for x in range(self._m) if x not in out]
        return self._others[j]

    # -- conclusions

    def _found(self, js: list[int], d: int, level: int) -> None:
        """Take the shortfall of some positions.

        0: all have their likely labels. The most that is possible: all have their unlikely ones. In
        between they are kept as a group, unless the model was so wrong that single positions are
        better asked anew.
        """
        if d == 0 or len(js) == 1 or d == self._most * len(js):
            for j in js:
                self._checked(j, d // len(js))
        elif d == 1:
            # Its doubt no longer matters, and the same number of labels is left for all of it.
            status = OneWrong(len(js), max(1, len(self._others_of(js[0]))))
            self._short.setdefault(status, []).append(js)
        elif d >= tuning.CHECK_DISSOLVED_FROM:
            for j in js:
                self._sort_in(j, min(0.5, d / len(js)))
        else:
            self._short.setdefault(Short(len(js), d, level), []).append(js)

    def _checked(self, j: int, shortfall: int) -> None:
        """Take what was found of a position: its likely label, neither (1), the unlikely one.

        One with neither goes on without both labels, which are proved wrong: as a narrowed
        position, or with many classes in clusters, which do not use that.
        """
        play = self._in_play
        if shortfall == 0:
            play.settle(j, self._likely[j])
        elif shortfall == self._most:
            play.settle(j, self._unlikely[j])
        else:
            others = self._others_of(j)
            if self._m > tuning.ASKED_DIRECTLY_AT_MOST and len(others) > 1:
                play.drop(j)  # it goes on in clusters
            else:
                wrong = [label for label in play.candidates[j] if label not in others]
                self._singles.exclude(j, wrong)
