"""Exposure so far: the certified gain of all looks that a ledger records."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from holdfast.bounds.metric_values import FLOAT_NATS
from holdfast.certificates import ALL_TEAMS, Certificate, certify_recorded, of_all_teams
from holdfast.certificates.displays import NO_LABELS
from holdfast.errors import LedgerError
from holdfast.guard.entry import Entry
from holdfast.guard.ledger import Ledger, data_set_detail
from holdfast.guard.storage.contract import Tally
from holdfast.guard.team import spelling_key
from holdfast.guard.windows import as_datetime
from holdfast.mechanisms import recorded_mechanism, without_noise
from holdfast.mechanisms.spec import rules_named_in

__all__ = ["DataSetExposure", "TeamExposure", "exposure", "histories"]


@dataclass(frozen=True)
class TeamExposure:
    """One team's part: its looks, its failed submissions that were charged, and its last look.

    `gain` is the largest expected gain in accuracy over guessing that its own looks allow; None
    where numbers or label sets are hidden, for which nothing is proved.
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
    number of classes.
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


def exposure(ledger: Ledger) -> list[DataSetExposure]:
    """Return every data set of a ledger, oldest first, with its teams by name.

    The database counts when it is asked: one pass over the entries, half a second for 200,000 of
    them. Counters kept by every look would have to be checked against the entries to be believed,
    and would slow each look down for what is rarely asked. What the looks allow is computed
    once for all teams with as many looks under the same rules.

    Noise that was drawn before format 2 was a float, whose digits can tell which counts it may have
    been added to. Such looks count as if there had been no noise. Where all teams shared the
    memory of a rule that compares noisy values, nothing is excluded: its answers may be those of
    others, who knew more.
    """
    found = []
    with ledger.storage.reading() as transaction:
        for data_set in transaction.data_sets():
            detail = data_set_detail(transaction, data_set) or {}
            # The looks of a data set that turned out to be another one are counted there.
            if "linked_to" not in detail:
                found.append((data_set, detail, transaction.tallies(data_set)))
    return [
        _of_data_set(data_set, *_sizes(data_set, detail), tallies)
        for data_set, detail, tallies in found
    ]


def _sizes(data_set: str, detail: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many examples and classes a data set was opened with."""
    n, m = detail.get("n_examples"), detail.get("n_classes")
    if not (isinstance(n, int) and isinstance(m, int) and n >= 1 and m >= 2):
        raise LedgerError(f"the opening of data set {data_set[:12]} was edited.")
    return n, m


def _of_data_set(data_set: str, n: int, m: int, tallies: list[Tally]) -> DataSetExposure:
    by_team: dict[str, list[Tally]] = defaultdict(list)
    for tally in tallies:
        # A ledger of an older format may hold several spellings of a team's name.
        by_team[spelling_key(tally.team)].append(tally)

    teams = []
    for key in sorted(by_team):
        of_team = by_team[key]
        looks = _histories(of_team)
        teams.append(
            TeamExposure(
                team=min(of_team, key=lambda tally: tally.first).team,
                looks=sum(looks.values()),
                failed=sum(tally.looks for tally in of_team if tally.kind == "failed"),
                last=as_datetime(max(tally.last for tally in of_team)),
                gain=1.0 - 1.0 / m
                if any(map(_tells_of_others, of_team))
                else _gain(
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
    everyone = _histories(tallies)
    certificate = certify_recorded(n, m, everyone)
    # Where numbers are hidden nothing is counted: then it is all that floats can hold.
    nats = min(certificate.nats, n * FLOAT_NATS)
    reason, most = "" if _of_labels(certificate) else NO_LABELS, _covered_gain(certificate)
    if any(map(_tells_of_others, tallies)):
        nats, most = n * math.log(m), 1.0 - 1.0 / m
    return DataSetExposure(
        data_set=data_set,
        n_examples=n,
        n_classes=m,
        looks=sum(everyone.values()),
        failed=sum(team.failed for team in teams),
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


def _histories(tallies: Iterable[Tally]) -> Counter[tuple[str, str]]:
    looks: Counter[tuple[str, str]] = Counter()
    for tally in tallies:
        if tally.kind == "look":
            rule = _noiseless(tally.rule) if tally.early else tally.rule
            looks[rule, tally.scope] += tally.looks
    return looks


def _tells_of_others(tally: Tally) -> bool:
    """Tell whether early answers, with noise, may be about submissions of other teams."""
    if not tally.early or tally.kind != "look" or not of_all_teams(tally.scope):
        return False
    named = [rule for rules in rules_named_in(tally.rule) for rule in rules]
    # It compares a noisy value with one that stands, and may answer with the latter.
    return any(rule.adds_noise and rule.speaks for rule in named)


@cache
def _noiseless(text: str) -> str:
    rule = recorded_mechanism(text)
    return text if without_noise(rule) is rule else str(without_noise(rule))


def histories(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    """Return the number of answered looks by rule and memory."""
    return Counter(
        (entry.rule, entry.scope)
        for entry in entries
        if entry.kind == "look" or (entry.kind == "carried" and entry.prediction)
    )
