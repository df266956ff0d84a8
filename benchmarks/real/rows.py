"""Rows of games by place: what is kept of them in docs/data, and what is left to play.

A place is a game without its seed. Kept are the gains of each of its seeds, in examples, and the
version of plays of whoever played (`Described.results`); seconds and forecasts stay in the journal.
What an attack played before it changed is played again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.real.games import NOTHING, TOTAL, Game
from benchmarks.real.versions import is_of_today, versions_of

__all__ = [
    "Place",
    "Plays",
    "is_stale",
    "known_games",
    "merged",
    "plays_of",
    "read_places",
    "written",
]


class Place(NamedTuple):
    """A game without its seed."""

    set: str
    shown: str
    knows: str
    asked: str
    rule: str
    looks: int


class Plays(NamedTuple):
    """What came of a place: gains in examples by seed, who played, and why it could not.

    `attack` may name several, of which each played a group. `versions` has those of them whose
    plays had changed by then; all others played as they first did.
    """

    gains: dict[int, float]
    attack: str | None
    error: str | None
    versions: dict[str, int] = {}  # noqa: RUF012 - never changed


def is_stale(plays: Plays) -> bool:
    """Tell whether somebody of those who played has come to play otherwise since."""
    return any(plays.versions.get(name, 1) < now for name, now in versions_of(plays.attack).items())


def plays_of(rows: Iterable[Mapping[str, Any]]) -> dict[Place, Plays]:
    """Gather the rows of a journal: games of their own, and cells of sweeps on label files."""
    found: dict[Place, Plays] = {}
    for row in rows:
        if "asked" in row:
            place = Place(*(row[name] for name in Place._fields))
        else:
            if not is_of_today(row):
                continue
            name = Path(row["labels"]).stem
            place = Place(name, TOTAL, NOTHING, row["attack"], row["rule"], row["n_queries"])
        versions = row.get("versions", versions_of(row["attack"]))
        gains = {}
        if row["error"] is None:
            gains = {row["seed"]: round(row["gain_examples"], 3)}
        plays = Plays(gains, row["attack"], row["error"], versions)
        found[place] = _together(found.get(place), plays)
    return found


def merged(*parts: Mapping[Place, Plays]) -> dict[Place, Plays]:
    """Put rows together; a place that several have gets the seeds of all that played alike.

    Where another attack played, or a later version, the seeds of the former are dropped.
    """
    found: dict[Place, Plays] = {}
    for part in parts:
        for place, plays in part.items():
            found[place] = _together(found.get(place), plays)
    return found


def _together(before: Plays | None, plays: Plays) -> Plays:
    gains = plays.gains
    if before and (before.attack, before.versions) == (plays.attack, plays.versions):
        gains = {**before.gains, **gains}
    return plays._replace(gains=dict(sorted(gains.items())), error=None if gains else plays.error)


def written(places: Mapping[Place, Plays]) -> list[list[Any]]:
    """Return the rows as they are kept, in their order."""
    return [
        [
            *place,
            [[seed, gain] for seed, gain in plays.gains.items()],
            plays.attack,
            plays.error,
            *([plays.versions] if plays.versions else []),
        ]
        for place, plays in sorted(places.items())
    ]


def read_places(rows: Iterable[list[Any]]) -> dict[Place, Plays]:
    """Read what `written` returned."""
    return {Place(*row[:6]): Plays(dict(row[6]), *row[7:]) for row in rows}


def known_games(places: Mapping[Place, Plays]) -> set[Game]:
    """Return the games that need not be played again; what can't be played never is.

    What somebody played who plays otherwise by now is not among them.
    """
    return {
        Game(*place, seed)
        for place, plays in places.items()
        if not is_stale(plays)
        for seed in (plays.gains if plays.error is None else range(100))
    }
