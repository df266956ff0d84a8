"""Final results: the looks that decide, named by a team or found for it, and their ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.guard.data_set import DataSet
from holdfast.guard.receipt import first_note, released_score
from holdfast.ledger.entry import Entry
from holdfast.ledger.sealing import KEPT_PREFIX
from holdfast.ledger.storage import Transaction
from holdfast.quoting import quoted
from holdfast.rules import Told, recorded_look

__all__ = [
    "Final",
    "FinalCandidate",
    "Finals",
    "finals_of",
    "is_new_choice",
    "look_to_choose",
    "ranked",
]


@dataclass(frozen=True)
class Final:
    """A team's final result.

    Attributes
    ----------
    rank
        Its place; teams with equal scores share one.
    team
        The team.
    score
        The exact accuracy, or value of the policy's metric, of its best final submission on the
        private part.
    receipt_id
        The look with which that submission was made.
    released
        What was released for it; None where it was nothing.
    chosen
        Whether the team had named it, or it was taken by rule.
    """

    rank: int
    team: str
    score: float
    receipt_id: str
    released: float | None
    chosen: bool


@dataclass(frozen=True)
class Finals:
    """The final ranking of a board.

    Attributes
    ----------
    n_examples
        Number of private examples.
    results
        One per team, the best first.
    repeated
        Whether the board had been closed before: then this is the record of that.
    metric
        What the scores are values of.
    """

    n_examples: int
    results: tuple[Final, ...]
    repeated: bool = False
    metric: str = "accuracy"

    def as_data(self) -> dict[str, Any]:
        """Return the ranking as plain data, for the record."""
        data: dict[str, Any] = {
            "n_examples": self.n_examples,
            "results": [asdict(final) for final in self.results],
        }
        return data if self.metric == "accuracy" else {**data, "metric": self.metric}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Finals:
        """Return a recorded ranking."""
        results = tuple(Final(**final) for final in data["results"])
        metric = str(data.get("metric", "accuracy"))
        return cls(int(data["n_examples"]), results, repeated=True, metric=metric)


@dataclass(frozen=True)
class FinalCandidate:
    """A look that may decide: its entry, what was released for it, and who picked it.

    `own` is False where the released value is known to be another look's.
    """

    look: Entry
    released: float | None
    chosen: bool
    own: bool = True


def finals_of(entries: Iterable[Entry]) -> dict[str, list[FinalCandidate]]:
    """Return the final submissions of each team with a look, from the entries of one data set.

    They are those that the team has named. A team that has named none has one: the look with the
    highest released score of its own, the earliest of equal ones, which under a rule that repeats
    the best score so far is the one that reached it; its last look, if the rule releases no scores,
    or none of the team's own because all teams share its memory.
    """
    looks: dict[str, dict[str, Entry]] = defaultdict(dict)
    named: dict[str, list[str]] = defaultdict(list)
    later: dict[str, Entry] = {}
    for entry in entries:
        if entry.kind == "look":
            looks[entry.team][entry.receipt_id] = entry
        elif entry.kind == "choice":
            named[entry.team].append(entry.detail)
        elif entry.kind == "answer":
            later[entry.detail.partition(" ")[0]] = entry

    def candidate(look: Entry, chosen: bool) -> FinalCandidate:
        answer = later.get(look.receipt_id, look)
        own = Told.from_text(first_note(answer), speaks=True).own is not False
        return FinalCandidate(look, released_score(answer), chosen, own)

    finals = {}
    for team, of_team in looks.items():
        chosen = [of_team[receipt] for receipt in named[team] if receipt in of_team]
        finals[team] = [candidate(look, True) for look in chosen] or [
            _best(candidate(look, False) for look in of_team.values())
        ]
    return finals


def _best(candidates: Iterable[FinalCandidate]) -> FinalCandidate:
    every = list(candidates)
    scored = [
        each
        for each in every
        if each.released is not None
        and each.own
        and recorded_look(each.look.rule).rule.shows == "scores"
    ]
    if not scored:
        return every[-1]
    # Values of several metrics do not compare: those of the last look's alone do.
    metric = recorded_look(scored[-1].look.rule).display.metric
    same = [each for each in scored if recorded_look(each.look.rule).display.metric == metric]
    sign = 1.0 if metric.higher_is_better else -1.0
    return max(same, key=lambda each: sign * (each.released or 0.0))


def ranked(
    results: Iterable[tuple[FinalCandidate, float]], *, higher_is_better: bool = True
) -> tuple[Final, ...]:
    """Return one result per team, its best, in the order of the scores."""
    best: dict[str, tuple[FinalCandidate, float]] = {}
    sign = 1.0 if higher_is_better else -1.0
    for candidate, score in results:
        team = candidate.look.team
        if team not in best or sign * score > sign * best[team][1]:
            best[team] = candidate, score
    order = sorted(best.values(), key=lambda result: (-sign * result[1], result[0].look.number))
    scores = [score for _, score in order]
    return tuple(
        Final(
            rank=1 + scores.index(score),
            team=candidate.look.team,
            score=score,
            receipt_id=candidate.look.receipt_id,
            released=candidate.released,
            chosen=candidate.chosen,
        )
        for candidate, score in order
    )


def look_to_choose(
    ledger: Transaction, found: DataSet, team: str, receipt_id: str, *, keeps: bool
) -> Entry:
    """Return the look of a receipt, if this team may name it.

    `keeps` says that the private part decides at the end: then a look counts only if its prediction
    of the private examples was kept.

    Raises
    ------
    InvalidInput
        Not a look of this team on this data set, or one at the public examples alone.
    """
    look = _find_look(ledger, receipt_id)
    if look is None or look.data_set != found.name or look.team != team:
        raise InvalidInput(f"receipt_id must be a look of {team}, got {quoted(receipt_id)}.")
    if keeps and not look.prediction.startswith(KEPT_PREFIX):
        raise InvalidInput(
            "receipt_id must be a look at the whole test set, got "
            f"{quoted(receipt_id)}, a look at the public examples alone: its prediction "
            "was not kept for the private ones."
        )
    return look


def is_new_choice(
    ledger: Transaction, found: DataSet, team: str, receipt_id: str, *, at_most: int
) -> bool:
    """Return whether the look is not among the team's choices yet.

    Naming the same look again changes nothing, and uses no choice up.

    Raises
    ------
    InvalidInput
        It would be one choice more than the policy allows.
    """
    chosen = ledger.choices(found.name, team)
    if receipt_id in (choice.detail for choice in chosen):
        return False
    if len(chosen) >= at_most:
        raise InvalidInput(f"final choices must be at most {at_most}, got another one from {team}.")
    return True


def _find_look(ledger: Transaction, receipt_id: str) -> Entry | None:
    number = receipt_id.partition("-")[0]
    entry = ledger.entry(int(number)) if number.isdecimal() and len(number) < 19 else None
    return entry if entry and entry.receipt_id == receipt_id and entry.kind == "look" else None
