r"""Label differences: how many more positions have their first label than their second.

Two positions, or a few, share a node's last block. Each shows its first candidate in some rows and
its second in the others, so that it counts 1, -1 or 0; nothing need be known of it. A sum of 1 says
that one of two positions has its first label, and that neither has its second. A sum of 0 is a
*tie*: neither has one of its two labels, or one has its first and the other its second. As soon as
one position of a tie is found to have a third label, the other has neither of its two: a label
known to be wrong comes for nothing. A tie can be asked again with other labels, as a last block;
all labels tied are moved to the end of the candidates.

A difference is how positions begin of which no label is known to be wrong: it needs none, and
unless it is a tie it yields one for both.

What becomes of two unknown positions with c candidates each, a and b being their first and second:

    sum    probability                what is known                                 next
    +-2    1/c^2 each                 both labels                                   settled
    +-1    2 (c - 2)/c^2 each         one has that label, the other neither a nor b group with 1 hit
    0      ((c - 2)^2 + 2)/c^2        neither has a or b, or one has a, the other b `Tied`

With c = 3 candidates or fewer (`SIGNED_AT_ONCE`) sums of up to four positions are kept as they are
(`Summed`), and one block with weights of distinct sums tells all signs at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log2

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import (
    DigitBlock,
    narrowed_part,
    signed,
    unknown_single,
)
from holdfast.attacks.exact.lattice.families.difference_odds import (
    again_odds,
    neither_label,
    signed_bits,
    sum_odds,
)
from holdfast.attacks.exact.lattice.families.group_tests import GroupTests
from holdfast.attacks.exact.lattice.families.in_play import InPlay
from holdfast.attacks.exact.lattice.families.placing import place_count, place_parts, place_single
from holdfast.attacks.exact.lattice.families.single_positions import (
    Narrowed,
    SinglePositions,
    Unknown,
)
from holdfast.attacks.exact.lattice.layout import PlacedBlock
from holdfast.attacks.exact.lattice.offer import Offer, Status, Stock, entropy, offered

__all__ = ["LabelDifferences", "Summed", "Tied"]


@dataclass(frozen=True, slots=True)
class Summed(Status):
    """Positions with so many candidates each, and their surplus of first over second labels.

    Of three positions with three candidates and surplus 0, seven sign vectors are left: (0, 0, 0)
    and the six orders of (1, 0, -1). All are equally likely, and one digit of radix 7 tells which.
    """

    size: int
    surplus: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Tied(Status):
    """Two positions that sum to 0, `ties` times with different labels.

    With a and b free candidates and t ties, a b + 2 t pairs of labels are left, all equally likely:
    any two free ones, or the two ways in which the labels of one tie cancel. So a tie of two
    positions of ten classes leaves 8 * 8 + 2 = 66 of 100 pairs, 6.04 bits of 6.64.

    `first` and `second` are their numbers of free candidates, those that are not tied; `narrowed`
    says whether a label of the first position is known to be wrong.
    """

    first: int
    second: int
    ties: int
    narrowed: bool


def leading(c: int, h: int, narrowed: bool) -> DigitBlock:
    """Return the block that asks for h of the c candidates of a tie's first position.

    One that has a wrong label to show as its base needs h + 1 values; one that has none asks as an
    unknown position does, for an even number of labels, its base label among them.

    >>> leading(10, 3, narrowed=True).radix, leading(10, 4, narrowed=False).radix
    (4, 5)
    """
    return narrowed_part(h) if narrowed else unknown_single(h, c)


class LabelDifferences:
    """Sums that are known, of a few positions each.

    Conclusions are drawn as soon as they follow and never twice: a position leaves this family once
    its share in the sum is known, for `singles` with two candidates fewer, or for `groups`.

    Parameters
    ----------
    in_play
        The candidates of all positions in play.
    singles
        Where positions are taken from, and where those that have neither label go.
    groups
        Where two positions go of which one is known to have a certain label.
    """

    def __init__(self, in_play: InPlay, singles: SinglePositions, groups: GroupTests) -> None:
        self._in_play = in_play
        self._singles = singles
        self._groups = groups
        self._sums: dict[Summed, list[list[int]]] = {}
        self._ties: dict[Tied, list[list[int]]] = {}

    def stock(self) -> Stock:
        """Return how many sums and ties there are in each status."""
        stock: dict[Status, int] = {status: len(items) for status, items in self._sums.items()}
        stock.update({status: len(items) for status, items in self._ties.items()})
        return stock

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here.

        Of a sum: the signs, and log2(c - 2) for each position that is expected to have neither
        label. Of a tie: the logarithm of the pairs of labels that are left.
        """
        bits = 0.0
        for known, sums in self._sums.items():
            g, surplus, c = known.size, known.surplus, known.candidates
            left = neither_label(g, surplus, c) * log2(max(1, c - 2))
            bits += len(sums) * (signed_bits(g, surplus, c) + left)
        for tie, ties in self._ties.items():
            bits += len(ties) * log2(tie.first * tie.second + 2 * tie.ties)
        return bits

    # -- offers

    def offers(self, status: Status, last_round: bool) -> Iterator[Offer]:
        """Offer to sum positions, to resolve a sum, and to break a tie."""
        match status:
            case Unknown() if not last_round:
                yield from self._sum_offers(status, self._in_play.n_classes)
            case Narrowed(c) if not last_round and c > 2:
                yield from self._sum_offers(status, c)
            case Summed(g, surplus, c):
                bits = signed_bits(g, surplus, c)
                yield self._signs_offer(status, signed(g, surplus), bits)
            case Tied(a, b, _, narrowed):
                for h in range(1, a + 1) if narrowed else range(2, a + 1, 2):
                    yield self._lead_offer(status, h)
                if min(a, b) > tuning.SIGNED_AT_ONCE:
                    yield self._again_offer(status)

    def _sum_offers(self, status: Status, c: int) -> Iterator[Offer]:
        """Offer to sum positions with c candidates: two of them, with three candidates also more.

        The value is worth the entropy of the sum. It is a node's last block: -g .. g takes a range
        that no block above it could spare.
        """
        for g in tuning.SUM_SIZES.get(c, (2,)):

            def place(unit: int, last: bool, g: int = g) -> PlacedBlock:  # noqa: ARG001
                return self._place_sum(self._singles.take(status, g), c, 0, unit)

            yield Offer("sum", 0, 1, 0.0, entropy(sum_odds(g, c)), status, place, g)

    def _again_offer(self, status: Tied) -> Offer:
        """Offer to sum two tied positions once more, with their next two free candidates.

        Worth a little more than the first sum was, 1.52 bits after 1.37 with ten classes: of fewer
        labels each is likelier. But if the two tie again, both wait for another round.
        """

        def place(unit: int, last: bool) -> PlacedBlock:  # noqa: ARG001 - always the last block
            js = self._ties[status].pop()
            return self._place_sum(js, self._in_play.n_classes, status.ties, unit)

        odds = again_odds(status.first, status.second, status.ties)
        bits = entropy(odds) + tuning.TIED_AGAIN_GAIN
        return Offer("sum-again", 0, 1, 0.0, bits, status, place)

    def _signs_offer(self, status: Summed, block: DigitBlock, bits: float) -> Offer:
        """Offer to tell which positions of a known sum have their first label, which the second.

        One block with weights whose scalar products with all sign vectors of that sum differ.
        """

        def place(unit: int, last: bool) -> PlacedBlock:
            js = self._sums[status].pop()
            label = dict(zip(js, self._pose(js), strict=True))
            parts = [[j] for j in js]
            return place_parts(
                block,
                parts,
                lambda j, _: label[j],
                unit,
                last,
                lambda signs: self._signs(js, signs),
            )

        return offered("signs", block, bits, status, place)

    def _lead_offer(self, status: Tied, h: int) -> Offer:
        """Ask for h candidates of the first position; the other's labels are as likely for each.

        Of the a b + 2 t pairs that are left, b go with each free candidate of the first position.
        A block for all of them, or for all but one, hardly ever leaves the tie as it was, and frees
        two positions: that counts `TIE_BROKEN_GAIN` bits more.
        """
        a, b, ties = status.first, status.second, status.ties
        block = leading(a + 2 * ties, h, status.narrowed)
        bits = entropy([b] * h + [(a - h) * b + 2 * ties])
        breaks = h >= a - 1
        below = bits + (tuning.TIE_BROKEN_GAIN if breaks else -tuning.LOWER_PLACE_LOSS)

        def place(unit: int, last: bool) -> PlacedBlock:
            js, play = self._ties[status].pop(), self._in_play
            labels = play.candidates[js[0]]
            play.knowledge.show(js[0], play.wrong.get(js[0], labels[0]))

            def learn(value: int) -> None:
                self._led(status, js, h, block.outcomes[value - block.low])

            return place_single(block, js[0], labels, unit, last, learn)

        return offered("lead", block, bits, status, place, below)

    def _place_sum(self, js: list[int], c: int, ties: int, unit: int) -> PlacedBlock:
        """Let positions show their second labels, and the first ones in the rows of one run."""

        def learn(value: int) -> None:
            self._summed(js, value, c, ties)

        return place_count(js, self._pose(js), -len(js), 0, unit, learn)

    def _pose(self, js: list[int]) -> list[int]:
        """Let positions show their second labels; return the first."""
        play = self._in_play
        for j in js:
            play.knowledge.show(j, play.candidates[j][1])
        return [play.candidates[j][0] for j in js]

    # -- conclusions

    def _summed(self, js: list[int], value: int, c: int, ties: int) -> None:
        """Take the sum of positions with c candidates, that were tied so often before.

        A sum of all or none (|value| = size) tells every label. Few candidates: one block will tell
        them all from the sum. Else there are two positions. If they sum to 1 or -1, one of them has
        the label of that sign, and the other a label that is not in question, or the labels would
        cancel or add up: a group test with one hit, whose miss is known to be wrong. A sum of 0 is
        a tie.
        """
        play = self._in_play
        if abs(value) == len(js):
            self._signs(js, [value // len(js)] * len(js))
        elif c <= tuning.SIGNED_AT_ONCE:
            self._sums.setdefault(Summed(len(js), value, c), []).append(js)
        elif value:
            # One has the label of that sign. Then neither has the other, and no tied label.
            for j in js:
                a, b, *rest = play.candidates[j]
                hit, miss = (a, b) if value > 0 else (b, a)
                free = rest[: len(rest) - 2 * ties]
                play.candidates[j], play.wrong[j] = [*free, hit], miss
            self._groups.add(js, 1)
        else:
            for j in js:
                a, b, *rest = play.candidates[j]
                play.candidates[j] = [*rest, a, b]
                play.knowledge.guess[j] = rest[0]
            self._tie(js, ties + 1)

    def _tie(self, js: list[int], ties: int) -> None:
        """Keep two positions that are tied so often, the labels in question last.

        A position's last 2 * ties candidates are those that are tied; the others are free.
        """
        play = self._in_play
        # The one that is asked first should be the one with a wrong label and fewer candidates.
        js = sorted(js, key=lambda j: (j not in play.wrong, len(play.candidates[j])))
        first, second = (len(play.candidates[j]) - 2 * ties for j in js)
        status = Tied(first, second, ties, js[0] in play.wrong)
        self._ties.setdefault(status, []).append(js)

    def _signs(self, js: list[int], signs: Iterable[int]) -> None:
        """Take which positions have their first label (1), their second (-1) or neither (0).

        Both labels of one with neither are proved wrong, and either can be its base from now on.
        """
        for j, sign in zip(js, signs, strict=True):
            first, second = self._in_play.candidates[j][:2]
            if sign:
                self._in_play.settle(j, first if sign > 0 else second)
            else:
                self._singles.exclude(j, [first, second])

    def _led(self, status: Tied, js: list[int], h: int, slot: int) -> None:
        """Take what was found when h candidates of a tie's first position were asked for.

        Either it has one of them. Or it has none: then it is still tied, with fewer free
        candidates; or no free ones are left, and it has one of the tied labels. With one tie the
        second position then has the opposite label; with several it is open which tie it is.
        """
        play, ties = self._in_play, status.ties
        first, second = js
        labels = play.candidates[first]
        if slot >= 0:
            # A third label: the second position has none of the tied ones.
            play.settle(first, labels[slot])
            self._singles.exclude(second, play.candidates[second][-2 * ties :])
        elif h < status.first:
            play.candidates[first], play.wrong[first] = labels[h:], labels[0]
            self._tie(js, ties)
        elif ties > 1:
            for j in js:
                self._singles.exclude(j, play.candidates[j][: -2 * ties])
        else:
            # One has its first tied label, the other its second.
            for j in js:
                *rest, one, other = play.candidates[j]
                play.candidates[j], play.wrong[j] = [other, one], rest[0]
            self._groups.add(js, 1)
