"""Receipts: what a team gets for a look, and what a rule's answer means in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from holdfast.guard.budget import Allowance
from holdfast.guard.entry import Entry
from holdfast.guard.parts import ALL
from holdfast.guard.windows import Microseconds, as_datetime
from holdfast.mechanisms import Rule, Told

__all__ = ["Answer", "Receipt", "moment_ahead", "receipt_for"]

WAITING_MEANING = "nothing yet: the batch is not full"


@dataclass(frozen=True)
class Receipt:
    """What a team gets for a look.

    Attributes
    ----------
    released
        What the rule tells; None where it tells nothing (a batch that is not full).
    looks_left
        Looks the team still has in the present window.
    next_allowed_at
        When its next look is allowed, in UTC, if it is not allowed now. None: there is no moment to
        wait for, since a look is allowed now if `looks_left` is not 0, and never again if it is.
    receipt_id
        The entry's place and hash: proof that the look is in the ledger, with its whole past.
    repeated
        Whether this was answered from the record, at no cost.
    new_best
        Whether this submission is the best so far, by the rule's own comparison; None where the
        rule makes none, or hides it.
    own
        Whether `released` is about this submission; False where a value that stood before is
        repeated, as a Ladder does; None where that is not known.
    meaning
        What `released` is, in words: "best so far of team blue, in steps of 0.01".
    part
        Which part of the test set was scored: "public", "private" or "all".
    """

    released: float | None
    looks_left: int
    next_allowed_at: datetime | None
    receipt_id: str
    repeated: bool = False
    new_best: bool | None = None
    own: bool | None = True
    meaning: str = ""
    part: str = ALL


class Answer(NamedTuple):
    """What leaves a release: the value, and what the rule says of it. No exact score."""

    value: float
    told: Told


def receipt_for(
    entry: Entry,
    rule: Rule,
    left: Allowance,
    now: Microseconds,
    *,
    part: str,
    repeated: bool = False,
) -> Receipt:
    """Return the receipt of a recorded look, under the rule that answered it."""
    told, meaning = Told(own=None), WAITING_MEANING
    if entry.released is not None:
        # An answer that came later names its look first.
        note = entry.detail.partition(" ")[2] if entry.kind == "answer" else entry.detail
        told = Told.from_text(note, speaks=rule.speaks)
        meaning = rule.meaning(told, _whose(entry))
    return Receipt(
        released=None if entry.released is None else float(entry.released),
        looks_left=left.left,
        next_allowed_at=moment_ahead(left, now),
        receipt_id=entry.receipt_id,
        repeated=repeated,
        new_best=told.new_best,
        own=told.own,
        meaning=meaning,
        part=part,
    )


def moment_ahead(left: Allowance, now: Microseconds) -> datetime | None:
    """Return when a look is allowed that is not allowed now."""
    return None if left.opens is None or left.opens <= now else as_datetime(left.opens)


def _whose(look: Entry) -> str:
    """Return in words whose looks the rule remembered when it answered this one."""
    if not look.scope:
        return "all teams"
    return look.scope if look.scope.casefold().startswith("team ") else f"team {look.scope}"
