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
then settled, or handed to the other blocks without the labels that were ruled out. The model
decides what is asked first. It is never believed: a label is settled by a count alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log2, prod
from typing import TYPE_CHECKING, Any

from holdfast.attacks.exact.rounds.digit_blocks import DigitBlock, hit_split
from holdfast.attacks.exact.rounds.error_search import ErrorCase, error_search, spans_for
from holdfast.attacks.exact.rounds.layout import PlacedBlock
from holdfast.attacks.exact.rounds.lengths import LENGTHS, expected_looks, first_check
from holdfast.attacks.exact.rounds.offers import Offer, offers
from holdfast.attacks.exact.rounds.packing import Filling, Packing
from holdfast.attacks.exact.rounds.placing import (
    even_sizes,
    place_count,
    place_parts,
    split_evenly,
)
from holdfast.attacks.exact.rounds.rulers import centred, part_weights
from holdfast.attacks.exact.rounds.shortfall import (
    check_bits,
    shortfall_bits,
    shortfall_odds,
    twofold_odds,
)
from holdfast.attacks.exact.rounds.variables import Kind, Single, entropy

if TYPE_CHECKING:
    from holdfast.attacks.exact.rounds.recovery import Recovery

__all__ = ["CheckKind", "Checks", "OneWrong", "Short", "Trusted"]

CHECK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Positions that are checked together; few sizes, so that there are few kinds of blocks."""

CHECK_ERRORS_AT_MOST = 3.8
"""Expected errors of the model in a group that is checked, at most."""

DISSOLVED_FROM = 40
"""Shortfall from which a group is dissolved: the model was too sure of it."""

DOUBT_LEVELS = 10
"""Levels of doubt: level d holds positions whose label is wrong with probability about 2^-d."""

ASKED_DIRECTLY_AT_MOST = 16
"""Classes up to which a doubtful position can also be asked by itself."""

ONE_ERROR_PARTS = (2, 3, 4, 6, 8, 16)
"""Parts into which a group with one error is split."""

SEARCH_GAIN = 0.1
"""What a search gains: it tells a label before its position is found, and saves a round."""

ROWS_PER_ROUND_LOST = 20
"""Rows by which a round counts as longer while groups are checked, against many short rounds."""

SHORTEST = 8
"""Rows of a round in which groups are checked, at least."""


class CheckKind(Kind):
    """What is known of a position that a model names a label of, or of a group of such."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Trusted(CheckKind):
    """A position whose likely label is wrong with probability about 2^-doubt."""

    doubt: int


@dataclass(frozen=True, slots=True)
class Short(CheckKind):
    """A group that falls short by two or more; its positions had this level of doubt.

    The doubt still matters: it says how likely it is that one position falls short by two.
    """

    size: int
    shortfall: int
    doubt: int


@dataclass(frozen=True, slots=True)
class OneWrong(CheckKind):
    """A group with one wrong label, which can be one of so many others for each position.

    A shortfall of 1 rules the unlikely labels out, which count 2 unless there are two classes: with
    m classes m - 2 labels are left, and log2(size * labels) bits.
    """

    size: int
    labels: int


class Checks:
    """Positions whose labels a model names, and groups of them that fell short.

    An example with ten classes. Sixty-four positions of a model that is right in 95 of 100 are
    checked with one block. Their sum falls short by 3: each of them has its likely label but for
    three, or one with the unlikely label and another. A split by the B_3 set (0, 1, 4) shares
    the 3 out to parts of 22, 21 and 21, say 1, 0 and 2. The 21 positions of the second part are
    settled. The first is searched for its one wrong label, the third is split again.

    Parameters
    ----------
    recovery
        Whose bag keeps positions and groups, and where positions go whose likely label is wrong.
    n_classes
        Number of classes.
    """

    def __init__(self, recovery: Recovery, n_classes: int) -> None:
        self._recovery = recovery
        self._m = n_classes
        self._likely: dict[int, int] = {}
        self._unlikely: dict[int, int] = {}
        # What a position without either label can have, as far as searches narrowed it down.
        self._others: dict[int, tuple[int, ...]] = {}
        # Number and summed doubts of the positions sorted into each level.
        self._doubts: dict[int, tuple[int, float]] = {}
        # With two classes a position has one of its two labels: the unlikely one counts once.
        self._most = 1 if n_classes == 2 else 2

    @property
    def in_use(self) -> bool:
        """Whether a model named labels at all."""
        return bool(self._likely)

    def admit(self, j: int, likely: int, unlikely: int, doubt: float) -> None:
        """Bring in a position with its most and least likely labels."""
        self._likely[j], self._unlikely[j] = likely, unlikely
        self._recovery.knowledge.guess[j] = likely
        self._sort_in(j, doubt)

    def _sort_in(self, j: int, doubt: float) -> None:
        """Put a position into the level of its doubt, so that groups have equal doubts."""
        level = min(DOUBT_LEVELS, max(0, round(-log2(max(doubt, 1e-9)))))
        self._recovery.store(Trusted(level), j)
        count, total = self._doubts.get(level, (0, 0.0))
        # A model that is sure may be wrong: without doubt nothing would be worth a look.
        self._doubts[level] = count + 1, total + max(doubt, 2.0**-DOUBT_LEVELS)

    def _doubt(self, level: int) -> float:
        """Return the mean doubt of the positions that were sorted into a level."""
        count, total = self._doubts[level]
        return total / count

    def bits(self, kind: CheckKind) -> float:
        """Return the entropy of one item: which of its labels are wrong, and the right ones.

        A trusted position of doubt q has h(q) + q log2(m - 1) bits: 0.44 for q = 1/20 and ten
        classes, where a label of which nothing is known has 3.32.
        """
        match kind:
            case Trusted(level):
                q = self._doubt(level)
                return entropy([q, 1 - q]) + q * log2(self._m - 1)
            case OneWrong(g, labels):
                return log2(g * labels)
            case Short(g, d, level):
                twofold = twofold_odds(self._m, self._doubt(level))
                return shortfall_bits(d, g, twofold, log2(max(1, self._m - 2)))
        raise AssertionError(kind)

    # -- offers

    def offers(self, stock: Mapping[Kind, int]) -> list[Offer]:
        """Return all that can be made of a stock, checks and other blocks."""
        return [
            offer
            for kind in stock
            for offer in (self._of(kind) if isinstance(kind, CheckKind) else offers(kind))
        ]

    def _of(self, kind: CheckKind) -> Iterator[Offer]:
        """Offer to check positions together, and to find the wrong labels of a group."""
        match kind:
            case Trusted(level):
                yield from self._checks(kind, self._doubt(level))
            case OneWrong(g, labels):
                for weights in part_weights(g, 1, ONE_ERROR_PARTS):
                    yield self._split(kind, g, 1, 0, weights)
                if 1 < labels <= ASKED_DIRECTLY_AT_MOST:
                    yield from self._searches(kind)
            case Short(g, d, level):
                for weights in part_weights(g, d, ()):
                    yield self._split(kind, g, d, level, weights)

    def _checks(self, kind: Trusted, q: float) -> Iterator[Offer]:
        """Offer checks of 1, 2, 4, ... positions, and to ask for a position's label directly.

        Groups grow until `CHECK_ERRORS_AT_MOST` errors are expected: beyond, a check tells hardly
        more, and its shortfall takes more rounds to share out. A pair's check has so few values
        that it may stand below another block. A larger group is a node's last block, whose range is
        free. To ask directly saves doubtful positions the rounds that a group would take.
        """
        m = self._m
        if 2 < m <= ASKED_DIRECTLY_AT_MOST:
            for h in range(2, m + 1, 2):
                bits = entropy([1 - q, *[q / (m - 1)] * (h - 1), q * (m - h) / (m - 1)])
                need = (h // 2) * (h // 2 + 1) // 2
                yield Offer("signed", kind, 1, h + 1, need, bits, detail=h)
        best = max((g for g in CHECK_SIZES if g * q <= CHECK_ERRORS_AT_MOST), default=1)
        for g in CHECK_SIZES[: CHECK_SIZES.index(best) + 1]:
            radix = self._most * g + 1 if g <= 2 else 0
            yield Offer("check", kind, g, radix, 1, check_bits(g, q))

    def _split(
        self, kind: CheckKind, g: int, d: int, level: int, weights: tuple[int, ...]
    ) -> Offer:
        """Offer to split a group of g that falls short by d.

        The weights of the parts make the sums of all possible shortfalls different (a B_d set), so
        the block's value tells each part's shortfall. Its worth is the entropy of how the shortfall
        is shared out, each way weighed by `shortfall_odds`: two halves of four positions that fall
        short by 1 are equally likely, 1 bit.

        Parameters
        ----------
        kind
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
        detail = block, len(weights), level
        return Offer("split", kind, 1, block.radix, block.need, entropy(ways), detail=detail)

    def _searches(self, kind: OneWrong) -> Iterator[Offer]:
        """Offer to find the wrong label along with the part of the group that it is in.

        Telling both at once saves a round: a split alone tells where, and the label would be asked
        later of a single position. In return the block needs more rows per unit, which only large
        nodes have.
        """
        for spans in spans_for(kind.size, kind.labels):
            block = error_search(spans, kind.labels)
            sizes = even_sizes(kind.size, len(spans))
            bits = entropy([sizes[case.part] * case.chance for case in block.outcomes if case])
            detail = block, len(spans), 0
            yield Offer(
                "search", kind, 1, block.radix, block.need, bits + SEARCH_GAIN, detail=detail
            )

    def fastest(
        self, stock: Mapping[Kind, int], bits: float, limit: int
    ) -> tuple[int, tuple[Filling, ...]] | None:
        """Choose the round that yields most bits per look, while checks hold most of the bits.

        What a check finds is still to be asked, so no round is the last, and how long it takes
        depends on how many groups are under way. At first there are none: lower places would be
        wasted on single positions, and a few rows are enough to begin with.
        """
        checking = {k: n for k, n in stock.items() if isinstance(k, CheckKind)}
        if 2.0 * sum(n * self.bits(kind) for kind, n in checking.items()) <= bits:
            return None
        guess = expected_looks(bits, self._m)
        if all(isinstance(kind, Trusted) for kind in stock):
            lengths = [min(limit, first_check(guess))]
        else:
            most = min(limit, 2 * int(guess) + 2)
            lengths = [rows for rows in LENGTHS if SHORTEST <= rows <= most] or [max(2, most)]
        packing = Packing(stock, self.offers(stock))
        rate, best = 0.0, None
        for rows in lengths:
            fillings, told = packing.round(rows)
            if told / (rows + ROWS_PER_ROUND_LOST) > rate:
                rate, best = told / (rows + ROWS_PER_ROUND_LOST), (rows, fillings)
        return best

    # -- placing

    def place(self, offer: Offer, items: list[Any], unit: int, last: bool) -> PlacedBlock:
        """Make a block of an offer."""
        if offer.name == "check":
            return self._place_check(items, offer, unit, last)
        if offer.name == "signed":
            j, m = items[0], self._m
            likely, unlikely = self._likely[j], self._unlikely[j]
            between = [label for label in range(m) if label not in (likely, unlikely)]
            single = Single(j, (likely, *between, unlikely))
            return self._recovery.ask(single, offer, unit, last)
        block, parts, level = offer.detail
        if offer.name == "split":
            return self._place_split(items[0], block, parts, level, unit, last)
        return self._place_search(items[0], block, parts, unit, last)

    def _place_check(self, js: list[int], offer: Offer, unit: int, last: bool) -> PlacedBlock:
        """Let g positions show likely labels, and unlikely ones in the rows of one run.

        Block value = #(unlikely label right) - #(likely label right) = shortfall - g, where a
        position falls short by 0, 1 or 2. With two classes counts are halved, and it counts errors.
        """
        self._show_likely(js)
        low = 0 if self._m == 2 else -len(js)
        assert isinstance(offer.kind, Trusted)
        level = offer.kind.doubt

        def learn(value: int) -> None:
            self._found(js, value - low, level)

        labels = [self._unlikely[j] for j in js]
        return place_count(js, labels, low, 0 if last else offer.radix, unit, learn)

    def _place_split(
        self, js: list[int], block: DigitBlock, n_parts: int, level: int, unit: int, last: bool
    ) -> PlacedBlock:
        """Let each part of a group show its unlikely labels in as many rows as its weight says.

        A position with its likely label loses a match in each of these rows, one with neither label
        none, one with the unlikely label gains one: counted from -1 per position, 0, 1 and 2 for
        each row, its shortfall. With two classes counts are halved, and errors count from 0.
        """
        self._show_likely(js)
        parts = split_evenly(js, n_parts)

        def learn(shortfalls: tuple[int, ...]) -> None:
            for part, d in zip(parts, shortfalls, strict=True):
                self._found(part, d, level)

        def label(j: int, _: int) -> int:
            return self._unlikely[j]

        return place_parts(block, parts, label, unit, last, learn, falls_short=self._m > 2)

    def _place_search(
        self, js: list[int], block: DigitBlock, n_parts: int, unit: int, last: bool
    ) -> PlacedBlock:
        """Let each part of a group show the other labels that its wrong position can have.

        Each position has its own list of them; a slot is a place in the list. So the parts without
        the error are settled, and of the part with it each position keeps the labels in the slots
        that the value leaves.
        """
        self._show_likely(js)
        parts = split_evenly(js, n_parts)
        others = {j: self._others_of(j) for j in js}

        def learn(case: ErrorCase) -> None:
            for i, part in enumerate(parts):
                if i != case.part:
                    self._found(part, 0, 0)
            for j in parts[case.part]:
                self._others[j] = tuple(others[j][slot] for slot in case.slots)
            self._found(parts[case.part], 1, 0)

        def label(j: int, slot: int) -> int:
            return others[j][slot]

        return place_parts(block, parts, label, unit, last, learn, falls_short=True)

    def _show_likely(self, js: list[int]) -> None:
        """Make the likely labels the base: what the positions show outside of the block's runs."""
        for j in js:
            self._recovery.knowledge.show(j, self._likely[j])

    def _others_of(self, j: int) -> tuple[int, ...]:
        """Return the labels left to a position with neither its likely nor its unlikely one."""
        if j not in self._others:
            out = self._likely[j], self._unlikely[j]
            self._others[j] = tuple(x for x in range(self._m) if x not in out)
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
            kind = OneWrong(len(js), max(1, len(self._others_of(js[0]))))
            self._recovery.store(kind, js)
        elif d >= DISSOLVED_FROM:
            for j in js:
                self._sort_in(j, min(0.5, d / len(js)))
        else:
            self._recovery.store(Short(len(js), d, level), js)

    def _checked(self, j: int, shortfall: int) -> None:
        """Take what was found of a position: its likely label, neither (1), the unlikely one.

        One with neither goes on without both labels, which are proved wrong: as a position of its
        own, or with many classes in clusters, which do not use that.
        """
        if shortfall == 0:
            self._recovery.settle(j, self._likely[j])
        elif shortfall == self._most:
            self._recovery.settle(j, self._unlikely[j])
        else:
            others = self._others_of(j)
            # With many classes it goes on in clusters.
            if self._m <= ASKED_DIRECTLY_AT_MOST or len(others) == 1:
                self._recovery.narrow(j, others, self._likely[j])
