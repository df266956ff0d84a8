"""Gains known so far: what an audit that was stopped, or one that is quick, can say.

A gain is a mean of the plays that are through, for the attacks that were played, with the most
looks that were. It is never a verdict: the attacks that are missing may be the strong ones.
"""

from __future__ import annotations

from collections import defaultdict

from holdfast.audit.inputs.request import Request
from holdfast.audit.result import AttackGain, Knowledge
from holdfast.audit.scenarios.plays import Job
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.summary import mean_of

__all__ = ["KnownSoFar"]


class KnownSoFar:
    """Collects plays under the policy's rule with all looks, and sums them up at any time.

    Parameters
    ----------
    request
        What is audited.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._plays: dict[tuple[str, Knowledge, int, int], list[float]] = defaultdict(list)
        self.n_plays = 0

    def add(self, job: Job, played: Played) -> None:
        """Take note of a play."""
        self.n_plays += 1
        if job.rule == self._request.rule and played.reason is None:
            key = (job.attack, job.setting, job.accounts, job.looks)
            self._plays[key].append(played.bias)

    def gains(self) -> tuple[AttackGain, ...]:
        """Return the mean gain of every attack with its most looks so far, the largest first."""
        most: dict[tuple[str, Knowledge, int], int] = {}
        for attack, setting, accounts, looks in self._plays:
            key = (attack, setting, accounts)
            most[key] = max(looks, most.get(key, 0))
        unit = self._request.baseline.rounding_unit
        found = []
        for (attack, setting, accounts, looks), gains in self._plays.items():
            if looks < most[attack, setting, accounts]:
                continue
            points = unit.interval(mean_of(gains), len(gains))
            found.append(
                AttackGain(attack, setting, accounts, looks, len(gains), points, None, None)
            )
        return tuple(sorted(found, key=lambda each: -each.points.mean if each.points else 0.0))
