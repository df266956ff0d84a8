"""What the looks so far could have bought, whoever asked and however cleverly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.certificates import certify_histories
from holdfast.guard.entry import Entry
from holdfast.guard.ledger import Ledger, data_set_detail
from holdfast.guard.windows import as_datetime

__all__ = ["DataSetExposure", "TeamExposure", "exposure", "histories"]


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
            gain=certify_histories(n, m, histories(of_team), everyone=False).gain,
        )
        for team, of_team in sorted(by_team.items())
    )
    everyone = histories(entries)
    certificate = certify_histories(n, m, everyone)
    return DataSetExposure(
        data_set=data_set,
        n_examples=n,
        n_classes=m,
        looks=sum(everyone.values()),
        failed=sum(team.failed for team in teams),
        nats=certificate.nats,
        gain=certificate.gain,
        teams=teams,
    )


def histories(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    """Return the number of answered looks by rule and memory."""
    return Counter((entry.rule, entry.scope) for entry in entries if entry.kind == "look")
