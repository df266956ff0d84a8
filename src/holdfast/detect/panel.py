"""The reference panel: submissions of other teams and of the host that a look is held against.

A row where a look differs from the team's past is moved *towards* what a member of the panel says
there, away from it, or neither. For that one member suffices; more of them see more.

A board that is flooded must not choose its own panel. The host's baselines are the root: a
submission is admitted if its agreement with them is beyond chance. Without baselines the root is
the submission with which most others agree, so whoever has the most accounts can choose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import Labels, count_classes

__all__ = ["MOST_MEMBERS", "Candidate", "Panel", "admitted", "chance_z"]

# So many members at most. With fewer the test of directions is weaker: honest teams' rate of ones
# was 1 % with nine, 2 % with three and 5 % with one, on seven real test sets.
MOST_MEMBERS = 9

# An agreement is beyond chance from so many standard errors on. Under random labels it is standard
# normal, and the least of real models on the seven sets is 34.
BEYOND_CHANCE = 4.0

# A look at chance says something only where honest looks are well above it: twice as far, for every
# member of the panel. For a panel of one: where a kappa of 0.15 is, which n (m - 1) decides.
CLEARLY_ABOVE = 8.0
LEAST_ROWS = 2850


class Candidate(NamedTuple):
    """A submission that may become a member of panels: whose it is, and what it says."""

    team: str
    labels: Labels


@dataclass(frozen=True, eq=False)
class Panel:
    """The members, (B, n) labels, B from 1 to 9."""

    members: Labels

    def __post_init__(self) -> None:
        shape = np.shape(self.members)
        if len(shape) != 2 or not all(shape):
            raise InvalidInput(
                f"members must be an array of (members, n) labels, got shape {shape}."
            )

    @cached_property
    def top(self) -> Labels:
        """What most members say of each row; of equally many the first one's word."""
        most, top = np.zeros(self.members.shape[1], int), np.array(self.members[0])
        for member in self.members:
            count = (self.members == member).sum(axis=0)
            more = count > most
            most[more], top[more] = count[more], member[more]
        return top

    @cached_property
    def n_classes(self) -> int:
        """Number of classes, as far as the members show them."""
        return max(2, count_classes(self.members.reshape(-1), name="panel"))

    @cached_property
    def tells_chance(self) -> bool:
        """Whether a look at chance level says something, or honest looks may be there, too."""
        if len(self.members) == 1:
            return bool(self.members.shape[1] * (self.n_classes - 1) >= LEAST_ROWS)
        least = min(
            abs(chance_z(member, Panel(np.delete(self.members, at, axis=0)).top))
            for at, member in enumerate(self.members)
        )
        return least >= CLEARLY_ABOVE

    def at_chance(self, labels: Labels) -> bool:
        """Tell whether a look agrees with the panel as often as if its rows were shuffled.

        Two-sided: labels that are all off by one agree far less than by chance, which is a slip and
        no probe.
        """
        near: bool = abs(chance_z(labels, self.top)) < BEYOND_CHANCE
        return near and self.tells_chance


def chance_z(labels: Labels, top: Labels) -> float:
    """Return by how many standard errors an agreement is above that of shuffled rows.

    z = (agreement - p) / sqrt(p (1 - p) / n), where p is the agreement that both histograms of
    labels make by themselves.

    >>> rng = np.random.default_rng(0)
    >>> model = rng.integers(10, size=10_000)
    >>> abs(chance_z(rng.permutation(model), model)) < 4, chance_z(model, model) > 100
    (True, True)
    """
    n = len(labels)
    size = int(max(labels.max(), top.max())) + 1
    mine, theirs = np.bincount(labels, minlength=size), np.bincount(top, minlength=size)
    by_chance = float(mine @ theirs.astype(float)) / n**2
    error = np.sqrt(max(by_chance * (1.0 - by_chance) / n, 1e-30))
    return float((np.count_nonzero(labels == top) / n - by_chance) / error)


def admitted(candidates: Sequence[Candidate], baselines: Sequence[Labels]) -> list[Candidate]:
    """Return the candidates that agree with the root, in their order: oldest first.

    Parameters
    ----------
    candidates
        One submission of each team, oldest first.
    baselines
        Submissions of the host's own, which need no admission and are not returned.
    """
    if baselines:
        root = Panel(np.array(baselines)).top
    elif candidates:
        root = candidates[_most_agreed_with(candidates)].labels
    else:
        return []
    return [each for each in candidates if abs(chance_z(each.labels, root)) > BEYOND_CHANCE]


def _most_agreed_with(candidates: Sequence[Candidate]) -> int:
    """Return which candidate most others agree with beyond chance, the oldest of several."""
    agrees: NDArray[np.bool_] = np.zeros((len(candidates), len(candidates)), bool)
    for at, one in enumerate(candidates):
        for other_at in range(at):
            z = chance_z(one.labels, candidates[other_at].labels)
            agrees[at, other_at] = agrees[other_at, at] = abs(z) > BEYOND_CHANCE
    return int(agrees.sum(axis=0).argmax())
