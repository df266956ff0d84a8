r"""Single positions: one position over several of its labels.

As in Lindström's design, each label has its own digit, and the position shows it in so many rows
of the digit's sign: the value is the digit of the right label. An *unknown* position has no label
that is known to be wrong: its base label is a candidate, and whoever has it loses a match in the
rows of all others. A *narrowed* one shows a wrong label as its base, which adds nothing, so that c
labels take c consecutive digits and no value is wasted.

To ask for h < m labels takes a smaller digit. With probability h/m it tells the label, log2 h bits
and the news itself; otherwise h labels are ruled out, and the position is narrowed for later.

An unknown position of ten classes, asked for four of them, has base label 0 and digits 2, 1, -1, -2
for labels 0, 1, 2, 3 (`digit_blocks.unknown_single`): label 1 is shown in one row of sign +, labels
2 and 3 in one and two of sign -. If the label is 1 the node's sum has 1 more, if 3, 2 less. If it
is 0 the position loses a match in each of these rows, -(1 - 1 - 2) = 2. Any other label adds
nothing: digit 0. Five values, a radix of 5, where ten labels at once would take one of 10. The
bits per capacity decide which width is best, and that depends on what else is at the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import log2

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import (
    DigitBlock,
    narrowed_part,
    narrowed_single,
    unknown_single,
)
from holdfast.attacks.exact.lattice.families.in_play import InPlay
from holdfast.attacks.exact.lattice.families.placing import place_single
from holdfast.attacks.exact.lattice.layout import PlacedBlock
from holdfast.attacks.exact.lattice.offer import Offer, Status, Stock, entropy, offered

__all__ = ["Narrowed", "SinglePositions", "Unknown", "widths"]


@dataclass(frozen=True, slots=True)
class Unknown(Status):
    """A position of which nothing is known: whatever it shows as its base may be its label."""


@dataclass(frozen=True, slots=True)
class Narrowed(Status):
    """A position with so many candidates and a label known to be wrong, which can be shown."""

    candidates: int


@cache
def single_bits(h: int, c: int) -> float:
    """Return the entropy of whether a label is one of h, and which, when c are equally likely.

    Per bit of its radix, h + 1, a digit for eight of ten labels tells most: a digit for all ten has
    a value that says nothing, since one of them it must be. Narrow digits tell less per bit, and
    win where a node has no room for wide ones.

    >>> single_bits(2, 4)
    1.5
    >>> [round(single_bits(h, 10) / log2(h + 1), 2) for h in (2, 4, 8, 10)]
    [0.58, 0.76, 0.98, 0.96]
    """
    return entropy([1 / c] * h + [1 - h / c] * (h < c))


def widths(m: int, last_round: bool) -> Iterable[int]:
    """Return how many labels of an unknown position to ask for: an even number."""
    widest = m - m % 2
    return (widest,) if last_round else range(2, widest + 1, 2)


class SinglePositions:
    """Positions that stand for themselves: new ones, and those that all families leave.

    The other families are made of these positions and give them back here, with fewer candidates
    each time. A position is settled when one is left, so the candidates only ever shrink, and every
    game ends.

    Parameters
    ----------
    in_play
        The candidates of all positions in play.
    """

    def __init__(self, in_play: InPlay) -> None:
        self._in_play = in_play
        self._m = in_play.n_classes
        self._unknown: list[int] = []
        self._narrowed: dict[int, list[int]] = {}

    def admit(self, j: int) -> None:
        """Bring a position of which nothing is known into play."""
        if self._m == 2:
            # Label 0 is no candidate less, but with counts halved it serves as the wrong label.
            self.narrow(j, [0, 1], 0)
        else:
            self._in_play.candidates[j] = list(range(self._m))
            self._unknown.append(j)

    def narrow(self, j: int, candidates: list[int], wrong: int) -> None:
        """Take note of a position's candidates and of a label that is wrong."""
        play = self._in_play
        play.candidates[j] = candidates
        play.wrong[j] = wrong
        if len(candidates) == 1:
            play.settle(j, candidates[0])
        else:
            self._narrowed.setdefault(len(candidates), []).append(j)
            play.knowledge.guess[j] = candidates[0]

    def exclude(self, j: int, labels: list[int]) -> None:
        """Take note that some of a position's candidates are wrong."""
        left = [label for label in self._in_play.candidates[j] if label not in labels]
        self.narrow(j, left, labels[0])

    def take(self, status: Status, count: int) -> list[int]:
        """Take positions out of stock."""
        items = self._items(status)
        taken = items[: -count - 1 : -1]
        del items[-count:]
        return taken

    def _items(self, status: Status) -> list[int]:
        return self._narrowed[status.candidates] if isinstance(status, Narrowed) else self._unknown

    # -- the family

    def stock(self) -> Stock:
        """Return how many positions there are in each status."""
        stock: dict[Status, int] = {Unknown(): len(self._unknown)}
        stock.update({Narrowed(c): len(items) for c, items in self._narrowed.items()})
        return stock

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here."""
        narrowed = sum(log2(c) * len(items) for c, items in self._narrowed.items())
        return len(self._unknown) * log2(self._m) + narrowed

    def offers(self, status: Status, last_round: bool) -> Iterator[Offer]:
        """Offer to ask for some or all labels of a position."""
        m = self._m
        match status:
            case Unknown():
                for h in widths(m, last_round):
                    bits = single_bits(h, m)
                    bits += tuning.NARROWED_BITS_WORTH * ((1 - h / m) * log2(max(1, m - h)))
                    yield self._offer("unknown-single", unknown_single(h, m), h, bits, status)
            case Narrowed(c):
                block = narrowed_single(c)
                yield self._offer("narrowed-single", block, c, single_bits(c, c), status)
                if not last_round:
                    for h in range(1, c - 1):
                        block = narrowed_part(h)
                        yield self._offer("narrowed-part", block, h, single_bits(h, c), status)

    def _offer(self, kind: str, block: DigitBlock, h: int, bits: float, status: Status) -> Offer:
        """Offer a block that asks one position in this status for its first h candidates."""

        def place(unit: int, last: bool) -> PlacedBlock:
            return self.ask(self._items(status).pop(), block, h, unit, last)

        return offered(kind, block, bits, status, place)

    def ask(self, j: int, block: DigitBlock, h: int, unit: int, last: bool) -> PlacedBlock:
        """Place a block that asks for the first h candidates of a position.

        The base label is one known to be wrong, else the first candidate.
        """
        play = self._in_play
        labels = play.candidates[j]
        play.knowledge.show(j, play.wrong.get(j, labels[0]))
        return place_single(block, j, labels, unit, last, partial(self._learn, j, block, h))

    def _learn(self, j: int, block: DigitBlock, h: int, value: int) -> None:
        """Settle the position if the digit names a label; else rule out the h that were shown."""
        slot = block.outcomes[value - block.low]
        labels = self._in_play.candidates[j]
        if slot >= 0:
            self._in_play.settle(j, labels[slot])
        else:
            self.exclude(j, labels[:h])
