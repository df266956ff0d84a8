"""Looks in their transaction: the key that was used before, the submission's row, the standings.

What a look was prepared with, the board, its phase and the team, is remembered and not read again
for each one: every change of a board counts its `changed` up, and the look's transaction asks for
that. So a host's word holds from the next look on, in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdfast.errors import LedgerError
from holdfast.guard.entry import Entry
from holdfast.guard.receipt import Receipt
from holdfast.guard.storage import Transaction
from holdfast.guard.storage.contract import Question
from holdfast.guard.windows import as_datetime
from holdfast.server import store
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Standing, Submission, Team
from holdfast.server.standings import advanced, chosen, policy_of

__all__ = ["Known", "Look", "Sent", "Superseded", "not_open_yet", "rebuilt"]

STANDING = "WHERE board = ? AND phase = ? AND team = ?"
# Whether anything has changed and the last submission's number: one question for all looks that
# share a transaction.
BOARD_STATE = (
    "SELECT changed, (SELECT MAX(id) FROM holdfast_submissions) FROM holdfast_boards WHERE id = ?"
)
# The team's refusals, and its row on the board.
TEAM_STATE = (
    f"SELECT t.refusals, {', '.join(f's.{name}' for name in Standing._fields)} "
    "FROM holdfast_teams AS t LEFT JOIN holdfast_standings AS s "
    "ON s.board = ? AND s.phase = ? AND s.team = t.id WHERE t.id = ?"
)


class Superseded(Exception):
    """What a look was prepared with is no longer in force."""


class Sent(NamedTuple):
    """A submission as it came; `whose` returns the number of the team that may send it.

    `by_phase`: in every phase its key is another one.
    """

    slug: str
    whose: Callable[[Board], int]
    user: int | None
    key: str
    file: str
    body: bytes
    by_phase: bool = False


@dataclass
class Known:
    """A board, its phases, newest first, and teams of it, as they were last read.

    Each team is the one that goes on, with the numbers of all that were merged into it.
    """

    board: Board
    phases: list[Phase]
    teams: dict[int, tuple[Team, list[int]]]

    def phase(self, now: int) -> Phase:
        """Return the phase in force."""
        found = next((phase for phase in self.phases if phase.opens <= now), None)
        if found is None:
            raise not_open_yet(self.phases[0], now)
        return found


def not_open_yet(coming: Phase, now: int) -> Problem:
    """Return what is told before a board opens."""
    at, wait = as_datetime(coming.opens).isoformat(timespec="seconds"), (coming.opens - now) / 1e6
    told = f"The board has not opened yet; it opens at {at}."
    return Problem("phase_closed", told, retry_after=wait, next_allowed_at=at)


class Look:
    """One submission's questions and rows in the transaction of its look.

    `pool` has the team and all that were merged into it: their keys are its own.
    """

    def __init__(
        self, board: Board, phase: Phase, team: Team, pool: Sequence[int], sent: Sent, now: int
    ) -> None:
        self.board, self.phase, self.team, self._sent, self._now = board, phase, team, sent, now
        self._body = hashlib.sha256(sent.body).hexdigest()
        self.submission: Submission | None = None
        self.replayed = False
        where = f"WHERE key = ? AND team IN ({store.marks(pool)}) ORDER BY id"
        self.same_key: Question = (store.query(Submission, where), (sent.key, *pool))
        self._board_state: Question = (BOARD_STATE, (board.id,))
        self._team_state: Question = (TEAM_STATE, (board.id, phase.number, team.id))
        # A full batch answers looks of other teams, too.
        self.answers_others = policy_of(phase.policy).mechanism.waits
        self._asked: list[list[Any]] | None = None
        self._last = 0

    @property
    def questions(self) -> list[Question]:
        """What `before` asks, for a server far away to answer at once."""
        return [self.same_key, self._board_state, self._team_state]

    def ask(self, transaction: Transaction) -> None:
        """Ask what `before` asks, already."""
        self._asked = [transaction.rows(*question) for question in self.questions]

    def follow(self, last: int) -> None:
        """Say which submission was the newest of this transaction."""
        self._last = last

    def before(self, transaction: Transaction) -> Entry | None:
        """Return the look that was made under the same key; raise if none may be made now."""
        self.submission, self.replayed = None, False
        if self._asked is None:
            self.ask(transaction)
        assert self._asked is not None
        (same, [(changed, last)], [(refusals, *standing)]), self._asked = self._asked, None
        if (changed, refusals) != (self.board.changed, self.team.refusals):
            raise Superseded
        # Teams that were merged may have used one key for two uploads.
        for earlier in map(Submission._make, same):
            if earlier.body == self._body:
                return self._replay(transaction, earlier)
        if same:
            raise Problem("key_reused", "This idempotency key came with another upload before.")
        closes = self.phase.closes
        if self.phase.finals is not None or (closes is not None and closes <= self._now):
            raise Problem("phase_closed", "The board takes no more submissions.")
        self._row = None if standing[0] is None else Standing(*standing)
        self._id = max(last or 0, self._last) + 1
        return None

    def _replay(self, transaction: Transaction, earlier: Submission) -> Entry:
        entry = transaction.entry(earlier.entry)
        if entry is None:
            raise LedgerError("the ledger lacks the entry of a submission.")
        if earlier.outcome in ("refused", "failed"):
            raise Problem("invalid_submission", earlier.note)
        self.submission, self.replayed = earlier, True
        return entry

    def inside(self, transaction: Transaction, entry: Entry, receipt: Receipt) -> None:
        """Write the submission and what the board shows of it, with the look or not at all."""
        outcome = "repeated" if receipt.repeated else "answered"
        self._insert(transaction, entry, outcome, "")
        if entry.number <= self.phase.start or not receipt.repeated:
            counts = not receipt.repeated
            row = advanced(self._row, self.phase, self.team.id, entry, counts=counts)
            store.put(transaction, row, 3)
        if self.answers_others and not receipt.repeated and receipt.released is not None:
            _answer_earlier(transaction, self.phase, entry)

    def refused(self, transaction: Transaction, entry: Entry, reason: str) -> None:
        """Write a submission that could not be scored."""
        self._insert(transaction, entry, entry.kind, reason)
        statement = "UPDATE holdfast_teams SET refusals = refusals + 1 WHERE id = ?"
        transaction.execute(statement, (self.team.id,))

    def _insert(self, transaction: Transaction, entry: Entry, outcome: str, note: str) -> None:
        self.submission = Submission(
            id=self._id,
            board=self.phase.board,
            phase=self.phase.number,
            team=self.team.id,
            sender=self._sent.user,
            key=self._sent.key,
            body=self._body,
            entry=entry.number,
            outcome=outcome,
            note=note,
            file=self._sent.file,
            time=entry.time,
        )
        store.insert(transaction, self.submission)


def _answer_earlier(transaction: Transaction, phase: Phase, entry: Entry) -> None:
    """Let the answers that a full batch brought to earlier looks show on the board."""
    number = entry.number - 1
    answers = []
    while (answer := transaction.entry(number)) is not None and answer.kind == "answer":
        answers.append(answer)
        number -= 1
    for answer in reversed(answers):
        team = store.survivor(transaction, int(answer.team.rpartition("-t")[2]))
        row = store.one(transaction, Standing, STANDING, phase.board, phase.number, team)
        store.put(transaction, advanced(row, phase, team, answer), 3)


def rebuilt(transaction: Transaction, phase: Phase, teams: Sequence[int] = ()) -> None:
    """Make the standings of a phase anew, from the ledger's entries; of some teams, or of all.

    The looks of teams that were merged count for the one that goes on.
    """
    place, some = (phase.board, phase.number), ""
    if teams:
        some = f" AND team IN ({store.marks(teams)})"
    statement = f"DELETE FROM holdfast_standings WHERE board = ? AND phase = ?{some}"
    transaction.execute(statement, (*place, *teams))
    where = f"WHERE board = ? AND phase = ? AND outcome IN ('answered', 'repeated'){some}"
    for submission in store.find(transaction, Submission, f"{where} ORDER BY id", *place, *teams):
        entry = transaction.entry(submission.entry)
        if entry is None:
            raise LedgerError(f"the ledger lacks entry {submission.entry} of a submission.")
        if teams and entry.released is None:  # answered with a look of somebody else
            rebuilt(transaction, phase)
            return
        counts = submission.outcome == "answered"
        if counts or entry.number <= phase.start:
            team = store.survivor(transaction, submission.team)
            row = store.one(transaction, Standing, STANDING, *place, team)
            store.put(transaction, advanced(row, phase, team, entry, counts=counts), 3)
        if counts and entry.released is not None:
            _answer_earlier(transaction, phase, entry)
    if phase.shows == "chosen":
        for standing in store.find(transaction, Standing, "WHERE board = ? AND phase = ?", *place):
            _choose_again(transaction, phase, standing)


def _choose_again(transaction: Transaction, phase: Phase, standing: Standing) -> None:
    names = [f"b{phase.board}-t{each}" for each in store.pooled(transaction, standing.team)]
    found = [each for name in names for each in transaction.choices(phase.data_set, name)]
    for choice in sorted(found, key=lambda choice: choice.number)[-1:]:
        look = transaction.entry(int(choice.detail.partition("-")[0]))
        if look is not None:
            answer = transaction.answered(look.data_set, look.team, look.prediction, look.rule)
            store.put(transaction, chosen(standing, answer or look), 3)
