"""Exposure so far: the certified gain of all looks that a ledger records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeAlias

from holdfast.bounds.metric_values import FLOAT_NATS
from holdfast.certificates import (
    ALL_TEAMS,
    Certificate,
    certify_recorded,
    certify_recorded_programs,
    of_all_teams,
)
from holdfast.certificates.displays import NO_LABELS
from holdfast.errors import InvalidInput, LedgerError
from holdfast.ledger.chain import Ledger, data_set_detail
from holdfast.ledger.moments import as_datetime
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import Tally

__all__ = ["DataSetExposure", "TeamExposure", "exposure", "exposures", "histories", "tallied"]

# Data sets, each with what its opening says and its tallies.
Tallied: TypeAlias = list[tuple[str, Mapping[str, Any], list[Tally]]]


@dataclass(frozen=True)
class TeamExposure:
    """One team's part: its looks, its failed submissions that were charged, and its last look.

    The looks of a team that was merged into it are its own, too: together they know what both were
    told. `gain` is the largest expected gain in accuracy over guessing that its looks allow, and of
    tasks how far a program's score may exceed its value; None where numbers or label sets are
    hidden, for which nothing is proved.
    """

    team: str
    looks: int
    failed: int
    last: datetime
    gain: float | None


@dataclass(frozen=True)
class DataSetExposure:
    """A data set's exposure: all looks of all teams, and the worst they allow.

    `nats` bounds the information in all answers, `gain` the expected gain in accuracy over
    guessing that any analyst could have from them, all teams working together. `not_covered` says
    why there is no gain, where numbers or label sets are hidden: `n_classes` is then 2, and no
    number of classes. `tasks` is the range of an outcome where the examples are tasks, whose labels
    nobody guesses: gains are then by how far the expected score of a program that is chosen by the
    looks may exceed its expected value on fresh tasks, in units of the score.
    """

    data_set: str
    n_examples: int
    n_classes: int
    looks: int
    failed: int
    nats: float
    gain: float | None
    teams: tuple[TeamExposure, ...] = field(repr=False)
    not_covered: str = ""
    tasks: tuple[float, float] | None = None


def exposure(ledger: Ledger) -> list[DataSetExposure]:
    """Return every data set of a ledger, oldest first, with its teams by name.

    The database counts when it is asked: one pass over the entries, half a second for 200,000 of
    them. Counters kept by every look would have to be checked against the entries to be believed,
    and would slow each look down for what is rarely asked. What the looks allow is computed
    once for all teams with as many looks under the same rules.
    """
    with ledger.storage.reading() as transaction:
        found = tallied(transaction)
    return exposures(found)


def tallied(transaction: Transaction) -> Tallied:
    """Return every data set of a ledger with its tallies, of which `exposures` tells the rest."""
    found: Tallied = []
    for data_set in transaction.data_sets():
        detail = data_set_detail(transaction, data_set) or {}
        # The looks of a data set that turned out to be another one are counted there.
        if "linked_to" not in detail:
            found.append((data_set, detail, transaction.tallies(data_set)))
    return found


def exposures(found: Tallied) -> list[DataSetExposure]:
    """Return what the looks of each data set allow."""
    try:
        return [
            _of_programs(
                _of_data_set(data_set, *_sizes(data_set, detail), tallies),
                tallies,
                _range(data_set, detail),
            )
            for data_set, detail, tallies in found
        ]
    except InvalidInput as error:
        raise LedgerError(f"a rule in the ledger was edited, or is a newer one: {error}") from None


def _of_programs(
    found: DataSetExposure, tallies: list[Tally], between: tuple[float, float] | None
) -> DataSetExposure:
    """Return the exposure of labels as it is, and of tasks as programs' excess over their value.

    Teams that share a rule's memory are all told of its state: what everybody's looks allow is said
    of each.

    Parameters
    ----------
    found
        The exposure of the labels, or of the hidden bits of tasks, which nobody guesses.
    tallies
        The looks at the data set.
    between
        The range of the outcomes of tasks; None: these are labels.
    """
    if between is None:
        return found

    def excess(of: list[Tally]) -> float:
        looks = histories(of)
        return certify_recorded_programs(found.n_examples, looks, between=between).excess

    own = [tally for tally in tallies if not tally.charged]
    everyone = excess(own)
    teams = []
    for team in found.teams:
        of_team = [tally for tally in tallies if tally.team == team.team]
        shared = any(of_all_teams(tally.scope) for tally in of_team)
        teams.append(replace(team, gain=everyone if shared else excess(of_team)))
    return replace(found, gain=everyone, teams=tuple(teams), not_covered="", tasks=between)


def _range(data_set: str, detail: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the range of an outcome where a data set was opened as tasks; None: as labels."""
    match detail.get("tasks"):
        case None:
            return None
        case [float() | int() as low, float() | int() as high]:
            return low, high
        case _:
            raise LedgerError(f"the opening of data set {data_set[:12]} was edited.")


def _sizes(data_set: str, detail: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many examples and classes a data set was opened with."""
    n, m = detail.get("n_examples"), detail.get("n_classes")
    if not (isinstance(n, int) and isinstance(m, int) and n >= 1 and m >= 2):
        raise LedgerError(f"the opening of data set {data_set[:12]} was edited.")
    return n, m


def _of_data_set(data_set: str, n: int, m: int, tallies: list[Tally]) -> DataSetExposure:
    by_team: dict[str, list[Tally]] = defaultdict(list)
    for tally in tallies:
        by_team[tally.team].append(tally)

    teams = []
    for team in sorted(by_team):
        of_team = by_team[team]
        looks = histories(of_team)
        teams.append(
            TeamExposure(
                team=team,
                looks=sum(looks.values()),
                failed=sum(tally.looks for tally in of_team if tally.kind == "failed"),
                last=as_datetime(max(tally.last for tally in of_team)),
                gain=_gain(
                    n,
                    m,
                    tuple(
                        sorted(
                            (rule, of_all_teams(scope), count)
                            for (rule, scope), count in looks.items()
                        )
                    ),
                ),
            )
        )
    own = [tally for tally in tallies if not tally.charged]
    everyone = histories(own)
    certificate = certify_recorded(n, m, everyone)
    # Where numbers are hidden nothing is counted: then it is all that floats can hold.
    nats = min(certificate.nats, n * FLOAT_NATS)
    reason, most = "" if _of_labels(certificate) else NO_LABELS, _covered_gain(certificate)
    return DataSetExposure(
        data_set=data_set,
        n_examples=n,
        n_classes=m,
        looks=sum(everyone.values()),
        failed=sum(tally.looks for tally in own if tally.kind == "failed"),
        nats=nats,
        gain=most,
        teams=tuple(teams),
        not_covered=reason,
    )


def _of_labels(certificate: Certificate) -> bool:
    """Tell whether the looks were at labels, of which something is proved."""
    return all(each.because != NO_LABELS for each in certificate.not_covered)


def _covered_gain(certificate: Certificate) -> float | None:
    """Return the certified gain; None where nothing is proved, since no labels are hidden."""
    return certificate.gain if _of_labels(certificate) else None


# A server asks again after every look, of which all but one team's histories are as before.
@lru_cache(maxsize=10_000)
def _gain(n: int, m: int, looks: tuple[tuple[str, bool, int], ...]) -> float | None:
    """Return what histories allow, which is the same for every team with as many looks."""
    numbered = {
        (rule, f"{number} {ALL_TEAMS}" if shared else str(number)): count
        for number, (rule, shared, count) in enumerate(looks)
    }
    return _covered_gain(certify_recorded(n, m, numbered, everyone=False))


def histories(tallies: Iterable[Tally]) -> Counter[tuple[str, str]]:
    """Return the number of answered looks by rule and memory."""
    looks: Counter[tuple[str, str]] = Counter()
    for tally in tallies:
        if tally.kind == "look":
            looks[tally.rule, tally.scope] += tally.looks
    return looks
