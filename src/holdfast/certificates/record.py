"""The certificate record: an upper bound, whom it binds, and its statement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Certificate", "NotCovered"]


class NotCovered(NamedTuple):
    """A bound that would be known, and why it does not cover these looks."""

    bound: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The least of all bounds that are proved for these looks.

    Parameters
    ----------
    accuracy
        Expected accuracy on all n examples that no analyst whom it binds exceeds.
    free
        What such an analyst has without a look.
    nats
        The least limit on the information in all answers.
    looks
        Looks of all accounts together.
    bound
        Name of the bound that gives `accuracy`.
    statement
        What it says, and where the proof is.
    binds
        Whom it binds, in words.
    not_covered
        Bounds that do not cover these looks, with the reason.
    """

    accuracy: float
    free: float
    nats: float
    looks: int
    bound: str
    statement: str
    binds: str
    not_covered: tuple[NotCovered, ...] = ()

    @property
    def gain(self) -> float:
        """The expected accuracy above what is free."""
        return max(0.0, self.accuracy - self.free)

    @property
    def covered(self) -> bool:
        """Whether anything is excluded at all."""
        return self.accuracy < 1.0

    @property
    def bits_per_look(self) -> float:
        """The most that one look can tell, on average over all of them."""
        return self.nats / (max(1, self.looks) * math.log(2.0))
