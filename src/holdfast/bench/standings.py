"""Standings from rows: attacks by what they gain over looks, rules by their worst gain.

The largest of several means flatters: chance decides who comes first. So the strongest attack of a
seed is chosen by the other seeds, and what it gains on this one counts, seed by seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from holdfast.bench.honest import HonestCost
from holdfast.experiments.summary import Mean, mean_of
from holdfast.sweeps.cells import Row

__all__ = ["AttackStanding", "Gain", "RuleStanding", "Standings", "strongest"]

# Gains of all attacks on one board: by attack, then by seed; an attack that can't play is missing.
Board: TypeAlias = dict[str, dict[int, float]]
Sizes: TypeAlias = tuple[int, int]
# A board counts for an attack's share of the best if its best gain stands out from chance.
ERRORS_ABOVE_CHANCE = 4.0


@dataclass(frozen=True)
class Gain:
    """A gain with its standard error: on which problem, after how many looks, by which attack."""

    n_examples: int
    n_classes: int
    looks: int
    attack: str
    gain: Mean


@dataclass(frozen=True)
class AttackStanding:
    """One attack: its gains on the reference rule, and its mean share of the best gain.

    `share` is over all boards of the reference rule, `share_under_rules` over all other rules at
    the most looks; boards on which nobody gains are left out, and one that it can't play counts 0.
    """

    attack: str
    own: bool
    share: float
    share_under_rules: float
    gains: tuple[Gain, ...]
    seconds: float
    not_played: tuple[str, ...]


@dataclass(frozen=True)
class RuleStanding:
    """One rule: the mean over problems of its worst gain, each of them, and what it costs."""

    rule: str
    own: bool
    worst: Mean
    gains: tuple[Gain, ...]
    cost: HonestCost


@dataclass(frozen=True)
class Standings:
    """All of it, with what it takes to repeat it.

    `digest` is of what the suite plays, its own attacks included and others not; `version` is the
    package's, with the version of results.
    """

    suite: str
    digest: str
    version: str
    seeds: int
    sizes: tuple[Sizes, ...]
    looks: tuple[int, ...]
    attacks: tuple[AttackStanding, ...]
    rules: tuple[RuleStanding, ...]
    failures: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def boards(rows: Iterable[Row]) -> dict[tuple[str, Sizes, int], Board]:
    """Return the gains of every board: a rule, sizes and a number of looks."""
    found: dict[tuple[str, Sizes, int], Board] = {}
    for row in rows:
        key = (row["rule"], (row["n_examples"], row["n_classes"]), row["n_queries"])
        board = found.setdefault(key, {})
        if row["error"] is None:
            board.setdefault(row["attack"], {})[row["seed"]] = row["gain"]
    return found


def strongest(board: Mapping[str, Mapping[int, float]]) -> tuple[str, Mean]:
    """Return the strongest attack, and what those gain that are chosen by the other seeds.

    >>> strongest({"a": {0: 1.0, 1: 1.0}, "b": {0: 5.0, 1: 0.0}})
    ('b', Mean(mean=0.5, stderr=0.5))
    """
    seeds = sorted({seed for gains in board.values() for seed in gains})
    if not seeds:
        return "", Mean(0.0, math.nan)
    name = max(board, key=lambda each: _mean(board[each]))
    if len(seeds) == 1:
        return name, Mean(board[name][seeds[0]], math.nan)
    gained = []
    for seed in seeds:
        others = {
            each: _mean({at: gain for at, gain in gains.items() if at != seed})
            for each, gains in board.items()
            if seed in gains
        }
        gained.append(board[max(others, key=lambda each: others[each])][seed])
    return name, mean_of(gained)


def _mean(gains: Mapping[int, float]) -> float:
    return math.fsum(gains.values()) / len(gains) if gains else -math.inf


def attack_standings(
    rows: Sequence[Row], reference: str, names: Mapping[str, str], own: Iterable[str]
) -> list[AttackStanding]:
    """Return the attacks, the best first."""
    found, mine = boards(rows), set(own)
    seconds: dict[str, float] = {}
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        seconds[row["attack"]] = seconds.get(row["attack"], 0.0) + row["seconds"]
        if row["error"] is not None:
            reasons.setdefault(row["attack"], {})[f"{row['rule']}: {row['error']}"] = None
    standings = []
    for attack in names:
        gains = tuple(
            Gain(*sizes, looks, names[attack], mean_of(board[attack].values()))
            for (rule, sizes, looks), board in sorted(found.items(), key=lambda each: each[0][1:])
            if rule == reference and attack in board
        )
        shares = _shares(attack, (board for key, board in found.items() if key[0] == reference))
        others = _shares(attack, (board for key, board in found.items() if key[0] != reference))
        standings.append(
            AttackStanding(
                names[attack],
                attack in mine,
                shares,
                others,
                gains,
                round(seconds.get(attack, 0.0), 2),
                tuple(reasons.get(attack, {})),
            )
        )
    return sorted(standings, key=lambda each: (-each.share, -each.share_under_rules, each.attack))


def _shares(attack: str, some: Iterable[Board]) -> float:
    """Return the mean share of the best gain, over boards on which somebody gains."""
    shares = []
    for board in some:
        means = {each: mean_of(gains.values()) for each, gains in board.items()}
        best = max(means.values(), default=None)
        if best is None or not best.mean > ERRORS_ABOVE_CHANCE * best.stderr:
            continue
        reached = means[attack].mean if attack in means else 0.0
        shares.append(min(1.0, max(0.0, reached / best.mean)))
    return math.fsum(shares) / len(shares) if shares else 0.0


def rule_standings(
    rows: Sequence[Row],
    looks: int,
    names: Mapping[str, str],
    attack_names: Mapping[str, str],
    costs: Mapping[str, HonestCost],
    own: Iterable[str],
) -> list[RuleStanding]:
    """Return the rules, the safest first."""
    found, mine = boards(rows), set(own)
    standings = []
    for rule in names:
        gains = []
        for (each, sizes, k), board in sorted(found.items(), key=lambda item: item[0][1:]):
            if each == rule and k == looks:
                attack, gain = strongest(board)
                gains.append(Gain(*sizes, k, attack_names.get(attack, attack), gain))
        error = math.sqrt(math.fsum(each.gain.stderr**2 for each in gains)) / max(1, len(gains))
        mean = math.fsum(each.gain.mean for each in gains) / max(1, len(gains))
        standings.append(
            RuleStanding(names[rule], rule in mine, Mean(mean, error), tuple(gains), costs[rule])
        )
    return sorted(standings, key=lambda each: (each.worst.mean, each.cost.unseen, each.rule))
