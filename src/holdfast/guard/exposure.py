"""What the looks so far could have bought, whoever asked and however cleverly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.bounds.information import accuracy_from_information
from holdfast.guard.entry import Entry
from holdfast.guard.ledger import Ledger, data_set_detail
from holdfast.guard.windows import as_datetime
from holdfast.mechanisms import Exact, parse_mechanism
from holdfast.problem import Problem

__all__ = ["DataSetExposure", "TeamExposure", "exposure", "worst_gain"]

# Looks by history: the rule, and whose looks it remembers together.
Histories = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class TeamExposure:
    """One team's part: its looks, its failed submissions that were charged, and its last look.

    `gain` is the largest expected gain in accuracy over guessing that its own looks allow.
    """

    team: str
    looks: int
    failed: int
    last: datetime
    gain: float


@dataclass(frozen=True)
class DataSetExposure:
    """A data set's exposure: all looks of all teams, and the worst they allow.

    `nats` bounds the information in all answers, `gain` the expected gain in accuracy over
    guessing that any analyst could have from them, all teams working together.
    """

    data_set: str
    n_examples: int
    n_classes: int
    looks: int
    failed: int
    nats: float
    gain: float
    teams: tuple[TeamExposure, ...] = field(repr=False)


def exposure(ledger: Ledger) -> list[DataSetExposure]:
    """Return every data set of a ledger, oldest first, with its teams by name."""
    by_data_set: dict[str, list[Entry]] = defaultdict(list)
    details = {}
    with ledger.storage.reading() as transaction:
        for entry in transaction.entries():
            by_data_set[entry.data_set].append(entry)
        for data_set in by_data_set:
            details[data_set] = data_set_detail(transaction, data_set) or {}
    return [
        _of_data_set(
            data_set,
            int(details[data_set]["n_examples"]),
            int(details[data_set]["n_classes"]),
            entries,
        )
        for data_set, entries in by_data_set.items()
    ]


def _of_data_set(data_set: str, n: int, m: int, entries: list[Entry]) -> DataSetExposure:
    by_team: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.kind in ("look", "failed"):
            by_team[entry.team].append(entry)
    teams = tuple(
        TeamExposure(
            team=team,
            looks=sum(histories(of_team).values()),
            failed=sum(entry.kind == "failed" for entry in of_team),
            last=as_datetime(of_team[-1].time),
            gain=worst_gain(n, m, histories(of_team)),
        )
        for team, of_team in sorted(by_team.items())
    )
    everyone = histories(entries)
    return DataSetExposure(
        data_set=data_set,
        n_examples=n,
        n_classes=m,
        looks=sum(everyone.values()),
        failed=sum(team.failed for team in teams),
        nats=nats(n, m, everyone),
        gain=worst_gain(n, m, everyone),
        teams=teams,
    )


def histories(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    """Return the number of answered looks by rule and memory."""
    return Counter((entry.rule, entry.scope) for entry in entries if entry.kind == "look")


def nats(n_examples: int, n_classes: int, looks: Histories) -> float:
    """Return an upper limit on the information in all answers, for any analyst.

    Each history is limited by its rule, and by log(n + 1) a look where answers depend on match
    counts alone; the sum holds for histories that are asked in turns, too. If all do, the sharper
    limit for match counts holds for all looks together, and so does that of a rule which blurs
    every look by itself, if it is the only one.
    """
    if not looks:
        return 0.0
    total, only_counts = 0.0, True
    for (text, _), count in looks.items():
        rule, problem = parse_mechanism(text), Problem(n_examples, n_classes, count)
        counts = math.isfinite(rule.counts_nats(problem))
        only_counts &= counts
        limit = count * math.log(n_examples + 1) if counts else math.inf
        total += min(rule.own_nats(problem), limit)
    if only_counts:
        together = Problem(n_examples, n_classes, sum(looks.values()))
        rules = {text for text, _ in looks}
        rule = parse_mechanism(rules.pop()) if len(rules) == 1 else Exact()
        total = min(total, rule.counts_nats(together), rule.blurred_nats(together))
    return total


def worst_gain(n_examples: int, n_classes: int, looks: Histories) -> float:
    """Return the largest expected gain in accuracy over 1/m that the looks allow.

    >>> round(worst_gain(10_000, 10, {("exact", "blue"): 100}), 3)
    0.138
    """
    rules = {text for text, _ in looks}
    size = n_examples
    if len(rules) == 1:
        problem = Problem(n_examples, n_classes, max(sum(looks.values()), 1))
        size = parse_mechanism(rules.pop()).exposed(problem).n_examples
    accuracy = accuracy_from_information(nats(n_examples, n_classes, looks), size, n_classes)
    return max(accuracy - 1.0 / n_classes, 0.0) * size / n_examples
