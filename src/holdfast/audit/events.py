"""Events of an audit while it runs, in one stream, and the gains known so far from it.

Whoever follows an audit is called with each event: with the outlook, before the first play; with
every stage as it begins; and with every play. A bar, the words after Ctrl-C and a log are made of
these.

A gain known so far is a mean of the plays that are through, for the attacks that were played, with
the most looks that were. It is never a verdict: attacks that are missing may be the strong ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.outlook import Outlook
from holdfast.audit.scenarios.plays import AnyJob
from holdfast.experiments.matrix_plays import Played

__all__ = ["Event", "KnownSoFar", "OnEvent", "Play", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the work begins."""

    name: str


@dataclass(frozen=True, slots=True)
class Play:
    """A play is done, or was found among those that are kept, with what came of it."""

    job: AnyJob
    played: Played


Event: TypeAlias = Outlook | Stage | Play
OnEvent: TypeAlias = Callable[[Event], None]


class KnownSoFar:
    """Collects plays under the policy's rule with all looks, and sums them up at any time.

    Parameters
    ----------
    board
        What is audited.
    """

    def __init__(self, board: Request) -> None:
        self._board, self._unit = board, unit_for(board)
        self._plays: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        self.n_plays = 0

    def hear(self, event: Event) -> None:
        """Take note of a play."""
        if not isinstance(event, Play):
            return
        job, played = event.job, event.played
        self.n_plays += 1
        if job.rule == self._board.rule and played.reason is None:
            self._plays[*job.who(self._board), job.looks].append(played.bias)

    def lines(self) -> list[str]:
        """Return the mean gain of every attack with its most looks so far, the largest first."""
        most: dict[tuple[str, str], int] = {}
        for attack, setting, looks in self._plays:
            most[attack, setting] = max(looks, most.get((attack, setting), 0))
        unit = self._unit
        found = []
        for (attack, setting), looks in most.items():
            gains = self._plays[attack, setting, looks]
            gain = unit.interval(unit.mean(gains), len(gains)).mean
            plays = f"{len(gains)} play{'' if len(gains) == 1 else 's'}"
            line = (
                f"{attack}: {unit.measured(gain)} with {looks:,} looks "
                f"(attacker's knowledge: {setting}; {plays})"
            )
            found.append((gain, line))
        return [line for _, line in sorted(found, key=lambda one: -one[0])]
