"""Looks right no more often than guessing, by released values alone, where nothing else is kept.

Whoever has no model of the labels asks random questions first, and a random question is right
1/m of the time. A model is right more often. So a look that is released within three standard
errors of 1/m, the rule's resolution added, is at chance, and a team with several of them is
probing, or has mixed up its rows. A probe that starts from a good model is not found in this way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from holdfast.guard.policy import Policy
from holdfast.problem import Problem

__all__ = ["Suspect", "chance_band", "suspects"]

# Standard errors of a guess that a look at chance is within.
ERRORS = 3.0
# So many looks at chance are no accident, such as a sample file that was sent as it is.
LEAST_LOOKS = 3


@dataclass(frozen=True)
class Suspect:
    """A team with looks at chance, among the newest that the board remembers."""

    team: int
    looks: int
    at_chance: int
    seen: int
    released: str | None
    history: tuple[str, ...]


class Row(Protocol):
    """A team's row on a board; `history` has its released values as texts with blanks between."""

    @property
    def team(self) -> int: ...
    @property
    def looks(self) -> int: ...
    @property
    def released(self) -> str | None: ...
    @property
    def history(self) -> str: ...


def chance_band(policy: Policy, n_examples: int, n_classes: int) -> tuple[float, float] | None:
    """Return between which released values a look is at chance; None: no accuracies are released.

    >>> [round(end, 3) for end in chance_band(Policy("exact"), 10_000, 10)]
    [0.091, 0.109]
    """
    rule = policy.mechanism
    if rule.shows != "scores" or not policy.display.plain:
        return None
    sizes = Problem(n_examples, n_classes, 1)
    guess, n = 1.0 / n_classes, rule.scored(sizes).n_examples
    width = ERRORS * math.sqrt(guess * (1.0 - guess) / n) + rule.resolution(sizes)
    return guess - width, guess + width


def suspects(standings: Iterable[Row], band: tuple[float, float]) -> list[Suspect]:
    """Return teams with several looks at chance, those with most of them first."""
    low, high = band
    found = []
    for row in standings:
        history = tuple(row.history.split())
        at_chance = sum(low <= float(text) <= high for text in history)
        if at_chance >= LEAST_LOOKS:
            seen = len(history)
            found.append(Suspect(row.team, row.looks, at_chance, seen, row.released, history))
    return sorted(found, key=lambda each: (-each.at_chance, each.team))
