"""Gains known so far: what an audit that was stopped can say.

A gain is a mean of the plays that are through, for the attacks that were played, with the most
looks that were. It is never a verdict: the attacks that are missing may be the strong ones.
"""

from __future__ import annotations

from collections import defaultdict

from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.scenarios.plays import AnyJob
from holdfast.experiments.matrix_plays import Played

__all__ = ["KnownSoFar"]


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

    def add(self, job: AnyJob, played: Played) -> None:
        """Take note of a play."""
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
