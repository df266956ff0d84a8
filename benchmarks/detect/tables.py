"""Tables of the page about the detector, from kept rows alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.detect.groups import Group, interval
from benchmarks.real.tables import TITLES

__all__ = ["detect_blocks"]

MEMBERS = (9, 3, 1)
# The look by which an attack from scratch is to be flagged: three of grace, and three.
SCRATCH_AT = 6
Games = Sequence[Mapping[str, Any]]

KINDS = {
    "walking": "blends whose weights walk",
    "fresh": "blends with new weights each time",
    "one_weight": "blends, one weight tuned after the other",
    "growing": "majorities of more and more models",
    "majorities": "majorities of five models drawn anew",
    "threshold": "rows that go over to one class",
    "class_after_class": "another model's word, class after class",
    "taken_back": "rules of two other models, one at a time and taken back",
    "three_shuffled": "three looks with shuffled rows, then models",
    "slips": "constants, the same again, labels off by one",
    "few_rows": "4 % of the differences from another model, at random",
    "drawn": "labels drawn from one model's probabilities",
    "disturbed": "one model's logits with noise of 0.3",
}
# Kinds that are coin flips, whatever made them: no detector of these tells them from probes.
COINS = ("few_rows", "drawn", "disturbed")
MADE = {
    "letter": "UCI Letter, 26 classes",
    "letter-2": "UCI Letter, two halves",
    "made-2": "made up, 2 classes",
    "made-4": "made up, 4",
    "made-10": "made up, 10",
    "made-1000": "made up, 1,000",
}


def detect_blocks(content: Mapping[str, Any]) -> dict[str, str]:
    """Return every table by its name."""
    games = [dict(zip(content["columns"], row, strict=True)) for row in content["attacks"]]
    kinds = content["look-alikes"]
    coins = [row for row in kinds if row[0] in COINS]
    alike = [row for row in kinds if row[0] not in COINS]
    return {
        "detect-honest": by_members(content["real"], lambda key: TITLES[key], "test set"),
        "detect-alike": by_members(alike, KINDS.__getitem__, "look-alike"),
        "detect-coins": by_members(coins, KINDS.__getitem__, "coins in truth"),
        "detect-trained": by_members(content["trained"], MADE.__getitem__, "trained on"),
        "detect-flagged": flagged(content),
        "detect-attacks": attacks(games),
        "detect-by-attack": by_attack(games),
        "detect-missed": missed(games),
        "detect-evade": evade(content["evasions"]),
        "detect-small": small(content["small"]),
        "detect-scores": scores(content["scores"]),
        "detect-through": through(content["scores attacked"]),
        "detect-boards": boards(
            [dict(zip(content["columns of boards"], row, strict=True)) for row in content["boards"]]
        ),
    }


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; all but its first column are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([*lines, "", ""])


def share(hits: int, n: int) -> str:
    """Return a share in percent with its 95 % interval."""
    low, high = interval(hits, n)
    return f"{100 * hits / n:.2g} % ({100 * low:.2g} to {100 * high:.2g})"


def by_members(rows: Sequence[Sequence[Any]], title: Callable[[str], str], first: str) -> str:
    """Return honest teams by what they are, held against nine, three and one others."""
    cells = {(key, members): Group(*group) for key, members, *group in rows}
    names = list(dict.fromkeys(key for key, _ in cells))
    lines = []
    for name in names:
        found = [cells.get((name, members)) for members in MEMBERS]
        lines.append(
            [
                title(name),
                " / ".join("-" if each is None else str(each.teams) for each in found),
                " / ".join("-" if each is None else _percent(each) for each in found),
                " / ".join("-" if each is None else f"{each.worst:.2f}" for each in found),
                " / ".join("-" if each is None else str(len(each.flagged)) for each in found),
                " / ".join(
                    "-" if each is None else str(len(each.flagged_at_rate)) for each in found
                ),
            ]
        )
    head = (first, "teams", "ones, %", "worst team", "flagged at .1", "at the others' p0")
    total = [
        sum(value.teams for (_, members), value in cells.items() if members == size)
        for size in MEMBERS
    ]
    flagged = [
        sum(len(value.flagged) for (_, members), value in cells.items() if members == size)
        for size in MEMBERS
    ]
    at_rate = [
        sum(len(value.flagged_at_rate) for (_, members), value in cells.items() if members == size)
        for size in MEMBERS
    ]
    lines.append(
        [
            "all",
            " / ".join(map(str, total)),
            "",
            "",
            " / ".join(share(*pair) for pair in zip(flagged, total, strict=True)),
            " / ".join(share(*pair) for pair in zip(at_rate, total, strict=True)),
        ]
    )
    return table(head, lines)


def flagged(content: Mapping[str, Any]) -> str:
    """Return how many honest teams are flagged at p0 = 0.1, and each that is no coin in truth."""
    titles: tuple[tuple[str, Mapping[str, str]], ...] = (
        ("real", TITLES),
        ("look-alikes", KINDS),
        ("trained", MADE),
    )
    found: dict[str, dict[str, list[int]]] = {}
    # Of each size, of coins in truth and of all others: flagged, and teams.
    counts = {(size, coin): [0, 0] for size in MEMBERS for coin in (False, True)}
    for what, title in titles:
        for key, members, *group in content[what]:
            each = Group(*group)
            if (members, key in COINS) in counts:
                count = counts[members, key in COINS]
                count[0] += len(each.flagged)
                count[1] += each.teams
            for name in () if key in COINS else each.flagged:
                called = name.removeprefix(f"{key}, ")
                found.setdefault(title[key], {}).setdefault(called, []).append(members)
    lines = []
    for size in MEMBERS:
        (hits, n), (coins, flipped) = counts[size, False], counts[size, True]
        lines.append(
            f"- held against {size}: {hits} of {n:,} teams, {share(hits, n)}; with coins in truth "
            f"{hits + coins} of {n + flipped:,}, {share(hits + coins, n + flipped)}"
        )
    for kind, names in found.items():
        told = (f"{name}: {_sizes(members)}" for name, members in names.items())
        lines.append(f"- {kind}: {'; '.join(told)}")
    return "\n".join([*lines, "", ""])


def _sizes(members: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(members, reverse=True)))


def missed(games: Games) -> str:
    """Return the games that are flagged too late or never, by attack."""
    found: dict[str, list[str]] = {}
    for game in games:
        place = f"{TITLES.get(game['set'], game['set'])}, `{game['rule']}`"
        if not game["from_model"] and game["flagged"] != SCRATCH_AT:
            found.setdefault(f"`{game['attack']}` from scratch", []).append(
                f"{place} {_when(game)}"
            )
        if game["from_model"] and game["gain"] >= 1.0 and not _before(game):
            attack = f"`{game['attack']}` from a model"
            found.setdefault(attack, []).append(f"{place} {_when(game)}")
    lines = [f"- {name}: {'; '.join(places)}" for name, places in sorted(found.items())]
    return "\n".join([*lines, "", ""])


def _when(game: Mapping[str, Any]) -> str:
    if not game["flagged"]:
        judged = f"{game['decided']} of {game['looks']} looks have a bit"
        return f"never, gains {game['gain']:.1f} ({judged})"
    return f"at {game['flagged']} with {game['gain_when_flagged']:.1f} of {game['gain']:.1f}"


def _percent(group: Group) -> str:
    return f"{100 * group.ones / max(1, group.decided):.2g}"


def attacks(games: Games) -> str:
    """Return games by start and rule: who is flagged when, and before he has gained what."""
    lines = []
    for from_model in (False, True):
        for rule in ("exact", "round:3", "ladder:0.01"):
            some = [g for g in games if (g["from_model"], g["rule"]) == (from_model, rule)]
            flagged = [g["flagged"] for g in some if g["flagged"]]
            gained = [g for g in some if g["one_sd_at"]]
            before = [g for g in gained if g["flagged"] and g["flagged"] <= g["one_sd_at"]]
            kept = [g for g in some if g["gain"] >= 1.0]
            small = [g for g in kept if _before(g)]
            lines.append(
                [
                    f"{'from a model' if from_model else 'from scratch'}, `{rule}`",
                    len(some),
                    len(flagged),
                    f"{median(flagged):g}, {max(flagged)}",
                    f"{len(before)} of {len(gained)}" if from_model else "",
                    f"{len(small)} of {len(kept)}" if from_model else "",
                    f"{_any(some, 'blocks')} / {_all(some, 'blocks')}",
                    f"{_any(some, 'turns')} / {_all(some, 'turns')}",
                ]
            )
    head = ("games", "played", "flagged", "at look: median, last",
            "by the look at which one sd was first gained",
            "of those with one sd at the end, with less", "three accounts in blocks: any / all",
            "in turns: any / all")  # fmt: skip
    gaining = [g for g in games if g["from_model"] and g["gain"] >= 1.0]
    early = [g for g in gaining if _before(g)]
    never = sum(g["one_sd_at"] is None or g["flagged"] < g["one_sd_at"] for g in early)
    return table(head, lines) + (
        f"Under all rules {len(early)} of the {len(gaining)} games from a model that have one "
        "standard deviation at the end are flagged at a look after which they have less: "
        f"{share(len(early), len(gaining))}; {never} of these had it at no look before, either.\n\n"
    )


def _before(game: Mapping[str, Any]) -> bool:
    """Whether a game is flagged with less than one standard deviation, its flagged look's too."""
    return bool(game["flagged"] and game["gain_when_flagged"] < 1.0)


def _any(games: Games, way: str) -> int:
    return sum(any(g[way]) for g in games)


def _all(games: Games, way: str) -> int:
    return sum(all(g[way]) for g in games)


def by_attack(games: Games) -> str:
    """Return by attack how many games are flagged, and at which look."""
    lines = []
    for name in sorted({g["attack"] for g in games}):
        line: list[object] = [f"`{name}`"]
        for from_model in (False, True):
            some = [g for g in games if (g["attack"], g["from_model"]) == (name, from_model)]
            flagged = [g["flagged"] for g in some if g["flagged"]]
            at = f", {median(flagged):g}" if flagged else ""
            line.append(f"{len(flagged)} of {len(some)}{at}" if some else "")
        gained = [g for g in games if g["attack"] == name and g["from_model"] and g["one_sd_at"]]
        late = [g for g in gained if not g["flagged"] or g["flagged"] > g["one_sd_at"]]
        line.append(f"{len(gained) - len(late)} of {len(gained)}" if gained else "")
        lines.append(line)
    head = ("attack", "from scratch: flagged, median look", "from a model: the same",
            "by the look at which one sd was first gained")  # fmt: skip
    return table(head, lines)


def evade(rows: Sequence[Sequence[Any]]) -> str:
    """Return ways of evading by set and number of close rows: gain, and how many are flagged."""
    cells = {(way, name, close): rest for way, name, close, *rest in rows}
    places = list(dict.fromkeys(key[1:] for key in cells))
    lines = []
    for way in dict.fromkeys(key[0] for key in cells):
        line = [way]
        for place in places:
            games, flagged, at, gain, error = cells[way, *place]
            when = f" at {at}" if at else ""
            line.append(f"{gain:.2f} ± {error:.2f}; {flagged}/{games}{when}")
        lines.append(line)
    return table(["queries", *(f"{TITLES[name]}, {close}" for name, close in places)], lines)


def small(rows: Sequence[Sequence[Any]]) -> str:
    """Return few examples of two classes: false alarms, and power."""
    cells = {tuple(row[:3]): row[3:] for row in rows}
    lines = []
    for n in sorted({key[1] for key in cells}):
        line: list[object] = [n]
        for members in (9, 1):
            teams, ones, decided, flagged, at_rate = cells["honest", n, members]
            line += [f"{100 * ones / decided:.2g}", f"{flagged} / {at_rate}"]
            for what in ("probes from a model", "guesses"):
                line.append(f"{100 * cells[what, n, members][3] / teams:.0f}")
        lines.append(line)
    one = ("honest ones, %", "flagged at .1 / at the others' p0", "probes flagged, %",
           "guesses flagged, %")  # fmt: skip
    head = ["examples", *(f"{text}; {members}" for members in (9, 1) for text in one)]
    return table(head, lines)


def scores(rows: Sequence[Sequence[Any]]) -> str:
    """Return honest teams that submit scores and probabilities."""
    lines = []
    for name, metric, members, *rest in rows:
        each = Group(*rest)
        flagged = f"{len(each.flagged)} / {len(each.flagged_at_rate)}"
        said = f"{each.rate:.2f}" + (", not judged" if each.refused else "")
        lines.append([f"{name}, `{metric}`", members, each.teams, _percent(each), flagged, said])
    head = ("board", "others", "teams", "ones, %", "flagged at .1 / at the others' p0", "that p0")
    return table(head, lines)


def through(rows: Sequence[Sequence[Any]]) -> str:
    """Return attacks through metrics."""
    return table(
        ("board", "rule", "attack", "metric before, after", "ones of decided", "flagged at"),
        [
            [f"{name}, `{metric}`", f"`{rule}`", attack, f"{before:.3f}, {after:.3f}",
             f"{ones} of {decided}", flagged or "never"]
            for name, metric, rule, attack, before, after, _, ones, decided, flagged in rows
        ],
    )  # fmt: skip


def boards(rows: Games) -> str:
    """Return whole boards: seasons, floods, and accounts that work together."""
    cells: dict[tuple[str, object], list[Mapping[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["what"], row["baselines"]), []).append(row)
    lines = []
    for (what, baselines), some in cells.items():
        honest = sum(each["teams_honest"] for each in some)
        guilty = sum(each["flagged_guilty"] for each in some)
        merged = [each["merged_at"] for each in some if each["merged_at"]]
        lines.append(
            [
                what,
                baselines,
                len(some),
                f"{median(each['p0'] for each in some):.2f}",
                f"{sum(each['flagged_honest'] for each in some)} of {honest}",
                sum(each["refused"] for each in some),
                f"{guilty} of {sum(each['guilty'] for each in some)}",
                f"{len(merged)} of {len(some)}",
                f"{sum(each['panel_honest'] for each in some)} of "
                f"{sum(each['panel'] for each in some)}",
            ]
        )
    head = ("board", "baselines", "boards", "median p0", "honest teams flagged", "not judged",
            "probing accounts flagged", "merged stream flagged", "honest in the panel")  # fmt: skip
    return table(head, lines)
