"""The grid of games on real test sets, in passes: one seed of everything, then the next.

Passes are stopped at will; whatever is there is balanced, and what is missing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.real.games import BY_GROUP, MODELS, NOTHING, PLANNED, TOTAL, Game, Player
from benchmarks.real.sets import RealSet
from benchmarks.real.versions import versions_of
from holdfast.attacks.description import Needs, Reads
from holdfast.attacks.registry import attack_types
from holdfast.rules import parse_rule
from holdfast.sweeps import Experiment, Journal, run
from holdfast.sweeps.cells import Row

__all__ = [
    "LOOKS",
    "RULES",
    "cheap_attacks",
    "games",
    "group_games",
    "hides_nothing",
    "informed_attacks",
    "paper_attacks",
    "pass_over",
    "rules_of",
]

LOOKS = (10, 30, 100, 300, 1000)
RULES = ("exact", "round:4", "round:2", "ladder:0.01", "ladder")
# Attacks up to this effort are played everywhere, whatever the planner says.
CHEAP = 30.0


def paper_attacks() -> list[str]:
    """Return the paper's attacks that ask something."""
    return [
        cls.name
        for cls in attack_types()
        if cls.family == "paper" and cls.needs is None and cls.reads is not Reads.NOTHING
    ]


def cheap_attacks() -> list[str]:
    """Return other attacks that are among the strongest somewhere and quick to play."""
    return [
        cls.name
        for cls in attack_types()
        if cls.family != "paper" and cls.needs is None and cls.strongest_on and cls.effort <= CHEAP
    ]


def informed_attacks(rule: str) -> list[str]:
    """Return the attacks that start from a model and are among the strongest on such a board.

    These are what an audit with models plays, but for attacks that are strongest in some sizes only
    (`strongest_by_forecast`): hit pools leave every example to a model that is as sure as real ones
    are. The planner's rehearsals with a model take longer than the games.
    """
    asked = parse_rule(rule)
    board = Reads.NEW_BEST if asked.remembers and asked.tells_best else Reads.SCORES
    return [
        cls.name
        for cls in attack_types()
        if cls.takes_prior
        and board in cls.strongest_on
        and (cls.needs in (None, Needs.PRIOR) or (cls.needs is Needs.ROUNDING and asked.rounds_to))
    ]


def hides_nothing(rule: str, n_examples: int) -> bool:
    """Tell whether a rule rounds so finely that every match count has an answer of its own.

    >>> hides_nothing("round:4", 10_000), hides_nothing("round:4", 10_001)
    (True, False)
    """
    step = parse_rule(rule).rounds_to
    return step is not None and rule.startswith("round") and step * n_examples <= 1


def rules_of(real: RealSet) -> list[str]:
    """Return the rules to play: one that tells all counts apart is exact under another name."""
    return [rule for rule in RULES if not hides_nothing(rule, real.labels.size)]


def games(real: RealSet, seed: int, looks: Sequence[int]) -> Iterator[Game]:
    """Yield the games on totals that no sweep can express, the fewest looks first."""
    for k, rule in product(looks, rules_of(real)):
        yield Game(real.name, TOTAL, NOTHING, PLANNED, rule, k, seed)
        for attack in informed_attacks(rule):
            yield Game(real.name, TOTAL, MODELS, attack, rule, k, seed)


def group_games(real: RealSet, seed: int, looks: Sequence[int]) -> Iterator[Game]:
    """Yield the games on a breakdown, the fewest looks first; none where none is known."""
    if real.groups.size:
        for k, rule in product(looks, rules_of(real)):
            yield Game(real.name, BY_GROUP, NOTHING, PLANNED, rule, k, seed)


def sweep(real: RealSet, seed: int, folder: Path, looks: Sequence[int]) -> Experiment:
    """Return the grid of attacks that take neither a plan nor models."""
    labels = folder / f"{real.name}.npy"
    np.save(labels, real.labels)
    return Experiment(
        [*paper_attacks(), *cheap_attacks()],
        rules=rules_of(real),
        labels=[str(labels)],
        n_queries=list(looks),
        seeds=[seed],
    )


def sweep_games(real: RealSet, seed: int, looks: Sequence[int]) -> Iterator[Game]:
    """Yield the games of `sweep`, under the names that they are kept by."""
    for attack, rule, k in product([*paper_attacks(), *cheap_attacks()], rules_of(real), looks):
        yield Game(real.name, TOTAL, NOTHING, attack, rule, k, seed)


def pass_over(
    sets: Sequence[RealSet],
    players: Mapping[str, Player],
    seed: int,
    folder: Path,
    journal: Journal,
    known: Collection[Game] = (),
    looks: Sequence[int] | None = None,
    *,
    by_group: bool = True,
) -> Iterator[Row]:
    """Play what one seed misses; rows are kept as they come, and dear breakdowns come last."""
    ks = LOOKS if looks is None else looks
    for real in sets:
        if any(game not in known for game in sweep_games(real, seed, ks)):
            yield from run(sweep(real, seed, folder, ks), journal=journal)
        yield from _played(games(real, seed, ks), players[real.name], journal, known)
    for real in sets if by_group else ():
        yield from _played(group_games(real, seed, ks), players[real.name], journal, known)


def _played(
    asked: Iterable[Game], player: Player, journal: Journal, known: Collection[Game]
) -> Iterator[Row]:
    for game in asked:
        if game in known:
            continue
        row = journal.rows.get(game.address)
        if row is not None and row.get("versions", {}) != versions_of(row["attack"]):
            del journal.rows[game.address]  # played before its attack came to play otherwise
        if game.address not in journal.rows:
            journal.add([player.play(game)])
        yield journal.rows[game.address]
