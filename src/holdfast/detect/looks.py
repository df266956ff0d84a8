"""Looks of a board in time order, and what is found of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.detect.evidence import FLAG
from holdfast.detect.watch import Judged, Why
from holdfast.labels import Labels

__all__ = ["Detection", "Look", "TeamFound", "looks_of"]


class Look(NamedTuple):
    """A submission: whose it is, what the host calls it, and what returns its labels.

    Labels are read when they are needed, and again for pictures, so that none have to be kept.
    """

    team: str
    name: str
    read: Callable[[], Labels]


def looks_of(teams: Mapping[str, Iterable[Labels]]) -> list[Look]:
    """Return looks from arrays, one team after the other.

    >>> [look.name for look in looks_of({"blue": [np.zeros(3), np.ones(3)]})]
    ['look 1', 'look 2']
    """
    return [
        Look(team, f"look {at}", partial(np.asarray, labels))
        for team, found in teams.items()
        for at, labels in enumerate(found, start=1)
    ]


@dataclass(frozen=True, eq=False)
class TeamFound:
    """What is found of one team, or of several accounts as one stream.

    Attributes
    ----------
    team
        Its name.
    looks
        Its looks in order, and `judged` what each is.
    judged
        See `looks`.
    rate
        p0, the rate of ones that an honest team may have here.
    log_evidence
        log E after each look.
    others, others_ones, others_decided
        How many other teams p0 was measured on, and how many ones there were of how many looks.
    merged
        Whether it is a stream of several accounts.
    rate_given
        Whether the host gave `rate`; else it follows from the other teams.
    refused
        Why nothing is said of it; empty: it is judged.
    """

    team: str
    looks: Sequence[Look]
    judged: Sequence[Judged]
    rate: float
    log_evidence: NDArray[np.float64]
    others: int
    others_ones: int
    others_decided: int
    merged: bool = False
    rate_given: bool = False
    refused: str = ""

    @property
    def ones(self) -> int:
        """How many looks are unexplained: their bit is 1."""
        return sum(each.bit is True for each in self.judged)

    @property
    def decided(self) -> int:
        """How many looks have a bit."""
        return sum(each.bit is not None for each in self.judged)

    @property
    def flagged_at(self) -> int | None:
        """The look, counted from 1, at which the evidence first reached 100."""
        over = np.flatnonzero(self.log_evidence >= np.log(FLAG))
        return int(over[0]) + 1 if over.size and not self.refused else None

    @property
    def last_log_evidence(self) -> float:
        """The evidence now, as a logarithm."""
        return float(self.log_evidence[-1]) if self.log_evidence.size else 0.0

    def accounts(self) -> dict[str, int]:
        """Return how many ones each account of a stream has, those with most first."""
        found: dict[str, int] = {}
        for look, judged in zip(self.looks, self.judged, strict=True):
            found[look.team] = found.get(look.team, 0) + (judged.bit is True)
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def counted(self, why: Why) -> int:
        """Return how many looks have their bit for this reason."""
        return sum(each.why is why for each in self.judged)

    def as_data(self) -> dict[str, Any]:
        """Return what `--json` prints of it."""
        return {
            "team": self.team,
            "merged": self.merged,
            "looks": len(self.looks),
            "decided": self.decided,
            "ones": self.ones,
            "rate": self.rate,
            "others": {
                "teams": self.others,
                "ones": self.others_ones,
                "decided": self.others_decided,
            },
            "log_evidence": round(self.last_log_evidence, 4),
            "flagged_at": self.flagged_at,
            "refused": self.refused or None,
            "accounts": self.accounts() if self.merged else None,
            "by_look": [
                {
                    "team": look.team,
                    "file": look.name,
                    "bit": None if judged.bit is None else int(judged.bit),
                    "why": judged.why.name.lower(),
                    "rows_changed": judged.rows,
                    "log_evidence": round(float(log), 4),
                }
                for look, judged, log in zip(
                    self.looks, self.judged, self.log_evidence, strict=True
                )
            ],
        }


@dataclass(frozen=True, eq=False)
class Detection:
    """What is found of all teams of a board.

    Attributes
    ----------
    n_examples
        How many rows a submission has.
    panel
        Names of the teams whose submissions are the panel of most teams.
    baselines
        How many baselines of the host are in it.
    teams
        All teams, by their evidence, the strongest first; the merged stream is the last one.
    between_teams
        Names of those that stand among so many teams: at most this share of them is false.
    """

    n_examples: int
    panel: tuple[str, ...]
    baselines: int
    teams: tuple[TeamFound, ...]
    between_teams: frozenset[str]

    @property
    def flagged(self) -> list[TeamFound]:
        """Teams whose evidence has reached 100."""
        return [each for each in self.teams if each.flagged_at is not None]

    def as_data(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "n_examples": self.n_examples,
            "panel": list(self.panel),
            "baselines": self.baselines,
            "teams": [
                each.as_data() | {"stands_between_teams": each.team in self.between_teams}
                for each in self.teams
            ],
        }
