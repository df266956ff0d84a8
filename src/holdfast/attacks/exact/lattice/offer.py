"""Offers of digit blocks, and the statuses of positions that they are made from.

Planning sees neither positions nor labels. It sees *statuses*, in which items are interchangeable,
how many items there are in each (the stock), and *offers*: so many items in this status make a
block of this radix, worth so many bits. That keeps the knapsack small, since there are a few dozen
statuses for a million positions. Only when an offer is taken does its family pick items, decide
what they show, and say what the block's value will mean (`Offer.place`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.digit_blocks import DigitBlock
from holdfast.attacks.exact.lattice.layout import PlacedBlock

__all__ = ["Offer", "Status", "Stock", "entropy", "offered"]


class Status:
    """What is known of a position, or of a group: items in one status are interchangeable.

    The statuses of each family are frozen dataclasses, so that those of two kinds are never equal.
    """

    scarce: ClassVar[bool] = True
    """Whether a block that takes several positions in this status has to pay for them."""


Stock = Mapping[Status, int]
"""How many items there are in each status."""

NOTHING: Mapping[Status, float] = MappingProxyType({})


class Offer(NamedTuple):
    """A kind of digit block on offer: `amount` items in one status make a block.

    Its worth depends on its place. Below another block the value must stay within the radix, so
    the block shows its labels in a way that keeps it there; a node's last block has all the range
    that is left.
    """

    kind: str
    """The block's name, by which tests see that every kind is used."""
    radix: int
    """Number of values; 0: only as a node's last block."""
    need: int
    """Rows of one sign that it takes, in units: a node has its capacity of them."""
    below: float
    """Value, in bits, below another block."""
    last: float
    """Value as a node's last block, whose range is unlimited."""
    status: Status
    place: Callable[[int, bool], PlacedBlock]
    """Takes the items out of stock and makes the block, given its unit and whether it is last.

    The block's tag is a function of its value that draws the conclusions."""
    amount: int = 1
    leaves: Mapping[Status, float] = NOTHING
    """Items that the block leaves in other statuses, on average; given for two classes only."""


def offered(
    kind: str,
    block: DigitBlock,
    bits: float,
    status: Status,
    place: Callable[[int, bool], PlacedBlock],
    below: float | None = None,
) -> Offer:
    """Offer a block that may be used at any place of a node, usually at a loss below another."""
    value = bits - tuning.LOWER_PLACE_LOSS if below is None else below
    return Offer(kind, block.radix, block.need, value, bits, status, place)


def entropy(probabilities: Sequence[float]) -> float:
    """Return the bits of a distribution, which need not be normalised.

    >>> entropy([1, 1, 2])
    1.5
    """
    p = np.array([q for q in probabilities if q > 0.0], dtype=np.float64)
    p /= p.sum()
    return float(-(p * np.log2(p)).sum())
