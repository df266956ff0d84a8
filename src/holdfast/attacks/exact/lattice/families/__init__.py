"""Families of digit blocks: what can be asked of positions, by what is known of them.

A family keeps the positions, or groups of positions, in some *statuses*. It says how many items it
has in each, how many bits they hold, and which blocks can be made of them. A block that is placed
takes its items out of stock; when its value is read they go back into a status of this family or
another one, or are settled.

- `single_positions`: one position over several labels;
- `group_tests`: how many positions of a group have their last candidate, and which;
- `label_differences`: how many more positions have their first label than their second, and which;
- `prior_checks`: how many positions do not have the label that a model names, and which.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from holdfast.attacks.exact.lattice.offer import Offer, Status, Stock

__all__ = ["Family"]


class Family(Protocol):
    """One way of asking about positions with few candidates."""

    def stock(self) -> Stock:
        """Return how many items there are in each status."""

    def bits(self) -> float:
        """Return the bits still to be learnt of the positions here."""

    def offers(self, status: Status, last_round: bool) -> Iterable[Offer]:
        """Return the blocks that can be made of items in a status, whoever keeps them.

        In a last round only blocks that resolve their positions are of use. `Offer.place` makes a
        block, and the block's tag draws the conclusions from its value.
        """
