"""Receipts: what a team gets for a look, and what a rule's answer means in words."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from holdfast.errors import BudgetExhausted, InvalidQuery, LedgerError
from holdfast.guard.budget import Allowance
from holdfast.guard.parts import ALL
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import Microseconds, as_datetime
from holdfast.protocols import Answer as Numbers
from holdfast.quoting import quoted
from holdfast.rules import RecordedLook, Told, recorded_look
from holdfast.rules.told import OWN_SCORE

__all__ = [
    "Answer",
    "Receipt",
    "first_note",
    "moment_ahead",
    "numbers_of",
    "receipt_for",
    "refusal",
    "released_numbers",
    "released_score",
]

WAITING_MEANING = "nothing yet: the batch is not full"
FAILED_MEANING = "nothing: the metric has no value for this submission"
REFUSED_MEANING = "nothing: the submission was refused"
NOT_OWN = (
    "released is {}, and not this submission's score: a search that takes it for one learns from "
    "another submission's. Read receipt.score, which is None then; docs/optimisers.md says which "
    "rule suits which optimiser."
)


@dataclass(frozen=True)
class Receipt:
    """What a team gets for a look.

    Attributes
    ----------
    shown
        What the rule tells, for whoever reads `meaning` beside it; None where it tells nothing: a
        batch that is not full, or a metric without a value for the submission.
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
        Whether `shown` is about this submission; False where a value that stood before is
        repeated, as a Ladder does; None where that is not known.
    meaning
        What `shown` is, in words: "best so far of team blue, in steps of 0.01".
    part
        Which part of the test set was scored: "public", "private" or "all".
    metric
        What `shown` is a value of, such as "accuracy".
    numbers
        Every number that was released, by name, where there are several: the metric of each
        group, of all examples, further metrics. `shown` is the one that ranks.
    failed
        Whether a metric of one's own has no value for the submission: that is the answer.
    refused
        Why `try_score` got no answer: no look is left, or the submission can't be scored. Empty:
        it was answered.
    cautions
        What is said once, when `released` is first read where it is not this submission's.
    """

    shown: float | None
    looks_left: int
    next_allowed_at: datetime | None
    receipt_id: str
    repeated: bool = False
    new_best: bool | None = None
    own: bool | None = True
    meaning: str = ""
    part: str = ALL
    metric: str = "accuracy"
    numbers: Mapping[str, float] = field(default_factory=dict)
    failed: bool = False
    refused: str = ""
    cautions: InitVar[list[str] | None] = None

    def __post_init__(self, cautions: list[str] | None) -> None:
        object.__setattr__(self, "_cautions", [] if cautions is None else cautions)

    @property
    def score(self) -> float | None:
        """What was released of this submission itself; None where nothing was, or whose is open."""
        return self.shown if self.own else None

    @property
    def released(self) -> float | None:
        """What the rule tells, like `shown`; the first that is not this submission's own warns."""
        cautions: list[str] = vars(self)["_cautions"]
        if self.own is False and cautions:
            warnings.warn(cautions.pop().format(self.meaning), stacklevel=2)
        return self.shown

    @property
    def waiting(self) -> bool:
        """Whether there is no answer yet: its batch is not full."""
        return self.shown is None and not (self.failed or self.refused)

    @property
    def answer(self) -> Numbers | None:
        """All that was released: a number, or as many as there are; None: nothing yet."""
        return tuple(self.numbers.values()) or self.shown


class Answer(NamedTuple):
    """What leaves a release: the values, and what the rule says of each. No exact score."""

    values: tuple[float, ...]
    told: tuple[Told, ...]
    names: tuple[str, ...] = ()
    ranking: int = 0

    @property
    def numbers(self) -> Numbers:
        """What is released: a number, or all of them."""
        return self.values[0] if len(self.values) == 1 else self.values

    def as_text(self) -> str:
        """Return the text of the number, or of all of them by name, for the record."""
        if len(self.values) == 1:
            return repr(self.values[0])
        return json.dumps(dict(zip(self.names, self.values, strict=True)))

    def note(self, *, speaks: bool) -> str:
        """Return what the rule says, for the record: a note, or one for each number."""
        if len(self.told) == 1:
            return self.told[0].as_text(speaks=speaks)
        if not speaks and all(told == OWN_SCORE for told in self.told):
            return ""
        # The number that ranks comes first: it is what a receipt is about.
        rest = [told for at, told in enumerate(self.told) if at != self.ranking]
        notes = [told.as_text(speaks=True) for told in (self.told[self.ranking], *rest)]
        return f"[{', '.join(notes)}]"


def receipt_for(
    entry: Entry,
    look: RecordedLook,
    left: Allowance,
    now: Microseconds,
    *,
    part: str,
    repeated: bool = False,
) -> Receipt:
    """Return the receipt of a recorded look, under the rule that answered it."""
    failed = entry.kind == "failed"
    told, meaning = Told(own=None), FAILED_MEANING if failed else WAITING_MEANING
    rule, display = look.rule, look.display
    if entry.released is not None:
        told = Told.from_text(first_note(entry), speaks=rule.speaks)
        meaning = rule.meaning(told, _whose(entry))
        if not display.plain:
            meaning = f"{display}: {meaning}"
    return Receipt(
        shown=released_score(entry, look),
        looks_left=left.left,
        next_allowed_at=moment_ahead(left, now),
        receipt_id=entry.receipt_id,
        repeated=repeated,
        new_best=told.new_best,
        own=told.own,
        meaning=meaning,
        part=part,
        metric=str(display.metric),
        numbers=released_numbers(entry),
        failed=failed,
    )


def refusal(error: BudgetExhausted | InvalidQuery, left: tuple[int, datetime | None]) -> Receipt:
    """Return what `try_score` gives instead of raising; `left` is the team's allowance."""
    looks_left, moment = left
    if isinstance(error, BudgetExhausted):
        moment = error.next_allowed_at
    return Receipt(
        shown=None,
        looks_left=looks_left,
        next_allowed_at=moment,
        receipt_id="",
        own=None,
        meaning=REFUSED_MEANING,
        refused=str(error),
    )


def released_numbers(entry: Entry) -> dict[str, float]:
    """Return what an entry released by name, where it was more than one number."""
    return numbers_of(entry.released)


def numbers_of(released: str | None) -> dict[str, float]:
    """Return the numbers of a released text by name, where it has more than one."""
    if released is None or not released.startswith("{"):
        return {}
    try:
        return {str(name): _number(value) for name, value in json.loads(released).items()}
    except (ValueError, RecursionError):
        raise _edited(released) from None


def released_score(entry: Entry, look: RecordedLook | None = None) -> float | None:
    """Return the released number that ranks; None: nothing was released yet."""
    if entry.released is None:
        return None
    numbers = released_numbers(entry)
    if not numbers:
        return _number(entry.released)
    display = (recorded_look(entry.rule) if look is None else look).display
    if str(display.metric) not in numbers:
        raise _edited(entry.released)
    return numbers[str(display.metric)]


def _number(value: Any) -> float:
    """Return a released number, or raise `LedgerError` for what none can be."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise _edited(value)
    return number


def _edited(value: object) -> LedgerError:
    return LedgerError(f"a released value in the ledger was edited, and is {quoted(value)} now.")


def first_note(entry: Entry) -> str:
    """Return what the rule said of the number that ranks."""
    # An answer that came later names its look first.
    note = entry.detail.partition(" ")[2] if entry.kind == "answer" else entry.detail
    if not note.startswith("["):
        return note
    try:
        return json.dumps(json.loads(note)[0])
    except (ValueError, IndexError, RecursionError):
        return note


def moment_ahead(left: Allowance, now: Microseconds) -> datetime | None:
    """Return when a look is allowed that is not allowed now."""
    return None if left.opens is None or left.opens <= now else as_datetime(left.opens)


def _whose(look: Entry) -> str:
    """Return in words whose looks the rule remembered when it answered this one."""
    if not look.scope:
        return "all teams"
    return look.scope if look.scope.casefold().startswith("team ") else f"team {look.scope}"
