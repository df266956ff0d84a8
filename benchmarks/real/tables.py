"""Tables of real test sets, made from kept rows alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.real.games import BY_GROUP, MODELS, NOTHING, PLANNED, TOTAL
from benchmarks.real.grid import LOOKS, RULES, hides_nothing, paper_attacks
from benchmarks.real.rows import Place, Plays
from holdfast.bench.standings import strongest
from holdfast.experiments.summary import Mean

__all__ = ["WAYS", "Best", "analyst_blocks", "best_of", "gain_blocks"]

TITLES = {
    "letter": "UCI Letter",
    "mnist": "MNIST",
    "cifar10": "CIFAR-10",
    "mmlu": "MMLU",
    "mmlu_pro": "MMLU-Pro",
    "imagenet_v2": "ImageNetV2",
    "imagenet_val": "ImageNet",
}
# The picture has all looks.
TABLED = (100, 1000)
SHOWN = {"ladder": "parameter-free Ladder"}
# Who plays: what tables call them, what the board shows, and what they know.
WAYS = {
    "paper's attacks": (TOTAL, NOTHING),
    "best attack": (TOTAL, NOTHING),
    "best attack, by group": (BY_GROUP, NOTHING),
    "best attack from the models": (TOTAL, MODELS),
}


class Best(NamedTuple):
    """The strongest attack of a cell: its gain in examples, over how many games."""

    attack: str
    gain: Mean
    games: int


def best_of(
    places: Mapping[Place, Plays], name: str, way: str, rule: str, looks: int
) -> Best | str:
    """Return the strongest of those who play that way, or why nobody did."""
    shown, knows = WAYS[way]
    asked = {
        place.asked: plays
        for place, plays in places.items()
        if place[:3] == (name, shown, knows) and (place.rule, place.looks) == (rule, looks)
    }
    if way == "paper's attacks":
        asked = {each: plays for each, plays in asked.items() if each in paper_attacks()}
    board = {each: plays.gains for each, plays in asked.items() if plays.gains}
    if not board:
        said = [plays.error for plays in asked.values() if plays.error]
        return f"not played: {said[0]}" if said else "not played"
    # Only games that all of them played, so that none is chosen for its luck with the seeds.
    common = set.intersection(*(set(gains) for gains in board.values()))
    common = common or {min(seed for gains in board.values() for seed in gains)}
    fair = {
        each: {seed: gains[seed] for seed in gains if seed in common}
        for each, gains in board.items()
        if common & set(gains)
    }
    first, gain = strongest(fair)
    played = asked[first].attack or first
    return Best(played if first == PLANNED else first, gain, len(common))


def gain_blocks(
    places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the tables of the sets, of games, and of gains at a few numbers of looks."""
    head = (
        "| test set | examples | classes | models | best model, % | their vote, % | constant, % |"
    )
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|"]
    for name, facts in sets.items():
        lines.append(
            f"| {TITLES[name]} | {facts['n_examples']:,} | {facts['n_classes']:,} "
            f"| {facts['n_models']} | {100 * facts['best_model']:.2f} "
            f"| {100 * facts['vote']:.2f} | {100 * facts['constant']:.2f} |"
        )
    blocks = {"real-sets": "\n".join([*lines, ""]), "real-games": _games_table(places, sets)}
    tables = {f"real-gains-{looks}": _gain_table(places, sets, looks) for looks in TABLED}
    return {**blocks, **tables}


def _games_table(places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]]) -> str:
    """Return how many games the cells of each set rest on: the fewest and the most."""
    lines = ["| test set | " + " | ".join(f"{k:,} looks" for k in LOOKS) + " |"]
    lines.append("|---" + "|--:" * len(LOOKS) + "|")
    for name in sets:
        shown = []
        for looks in LOOKS:
            found = (best_of(places, name, way, rule, looks) for way in WAYS for rule in RULES)
            games = [each.games for each in found if isinstance(each, Best)]
            few, many = min(games, default=0), max(games, default=0)
            shown.append(str(few) if few == many else f"{few} to {many}")
        lines.append(f"| {TITLES[name]} | " + " | ".join(shown) + " |")
    return "\n".join([*lines, ""])


def _gain_table(
    places: Mapping[Place, Plays], sets: Mapping[str, Mapping[str, Any]], looks: int
) -> str:
    """Return what so many looks gain: a row for who attacks, a column for each rule."""
    lines = ["| test set | who | " + " | ".join(SHOWN.get(rule, rule) for rule in RULES) + " |"]
    lines.append("|---|---" + "|--:" * len(RULES) + "|")
    for name, facts in sets.items():
        grouped = any(place.set == name and place.shown == BY_GROUP for place in places)
        for way in WAYS:
            if way == "paper's attacks" or ("by group" in way and not grouped):
                continue
            cells = [
                "as exact"
                if hides_nothing(rule, facts["n_examples"])
                else _cell(best_of(places, name, way, rule, looks), facts["n_examples"])
                for rule in RULES
            ]
            lines.append(f"| {TITLES[name]} | {way} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _cell(found: Best | str, n_examples: int) -> str:
    if isinstance(found, str):
        return found
    mean, error = (100.0 * part / n_examples for part in found.gain)
    if math.isnan(error):
        return f"{mean:.2f} (1 game)"
    return f"{mean:.2f} ± {error:.2f} ({found.games})"


def analyst_blocks(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the tables of fresh examples and of random halves, of models by rising accuracy."""
    rising = [row for row in rows if row["order"] == "rising"]
    return {
        "real-fresh": _fresh_table(row for row in rising if row["private"] != "half"),
        "real-halves": _halves_table(row for row in rising if row["private"] == "half"),
    }


def _fresh_table(rows: Iterable[Mapping[str, Any]]) -> str:
    lines = [
        "| test set, fresh examples | released | new leaders | shown, % | fresh, % "
        "| gap, points | beyond the shift | regret | rejected / real progress | promoted |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        lines.append(
            f"| {TITLES[row['set']]}, {row['private']} "
            f"| {SHOWN.get(row['rule'], row['rule'])} | {row['leaders']} | {_points(row['shown'])} "
            f"| {_points(row['private_accuracy'])} | {_points(row['gap'])} ± "
            f"{_points(row['error'])} | {_points(row['overfit'])} | {_points(row['regret'])} "
            f"| {row['rejected']} / {row['progress']} | {row['promoted']} |"
        )
    return "\n".join([*lines, ""])


def _halves_table(rows: Iterable[Mapping[str, Any]]) -> str:
    lines = [
        "| test set | released | new leaders | gap, points | beyond the shift | regret "
        "| rejected / real progress | promoted |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        gap, over, regret = (
            f"{_points(row[name][0])} ± {_points(row[name][1])}"
            for name in ("gap", "overfit", "regret")
        )
        lines.append(
            f"| {TITLES[row['set']]} | {SHOWN.get(row['rule'], row['rule'])} "
            f"| {row['leaders'][0]:.1f} | {gap} | {over} | {regret} "
            f"| {row['rejected'][0]:.1f} / {row['progress'][0]:.1f} | {row['promoted'][0]:.1f} |"
        )
    return "\n".join([*lines, ""])


def _points(share: float) -> str:
    return f"{100 * share:.2f}"
