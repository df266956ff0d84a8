"""Looks in their transaction: the key that was used before, the submission's row, the standings.

What a look was prepared with, the board, its phase and the team, is remembered and not read again
for each one: every change of a board counts its `changed` up, and the look's transaction asks for
that. So a host's word holds from the next look on, in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdfast.errors import LedgerError
from holdfast.guard.receipt import Receipt
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import as_datetime
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import Question
from holdfast.server import store
from holdfast.server.accounts import refuse_ended
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Standing, Submission, Team, Token, ledger_name
from holdfast.server.standings import advanced, chosen, policy_of

__all__ = ["Known", "Look", "Sent", "Superseded", "choices", "not_open_yet", "rebuild",
           "rebuilt", "with_choice"]  # fmt: skip

STANDING = "WHERE board = ? AND phase = ? AND team = ?"
# The phase in which an entry was made.
PHASE_AT = "SELECT MAX(number) FROM holdfast_phases WHERE board = ? AND start < ?"
# Whether anything has changed and the last submission's number: one question for all looks that
# share a transaction.
BOARD_STATE = (
    "SELECT changed, (SELECT MAX(id) FROM holdfast_submissions) FROM holdfast_boards WHERE id = ?"
)
# The team's refusals, whether the token was revoked, and the team's row on the board.
TEAM_STATE = (
    "SELECT t.refusals, (SELECT revoked FROM holdfast_tokens WHERE id = ?), "
    f"{', '.join(f's.{name}' for name in Standing._fields)} "
    "FROM holdfast_teams AS t LEFT JOIN holdfast_standings AS s "
    "ON s.board = ? AND s.phase = ? AND s.team = t.id WHERE t.id = ?"
)


class Superseded(Exception):
    """What a look was prepared with is no longer in force."""


class Sent(NamedTuple):
    """A submission as it came; `whose` returns the number of the team that may send it.

    `by_phase`: in every phase its key is another one. `token` is the one that it came with.
    """

    slug: str
    whose: Callable[[Board], int]
    user: int | None
    key: str
    file: str
    body: bytes
    by_phase: bool = False
    token: Token | None = None


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
        token = "" if sent.token is None else sent.token.id
        self.team_state: Question = (TEAM_STATE, (token, board.id, phase.number, team.id))
        # A full batch answers looks of other teams, too.
        self.answers_others = policy_of(phase).mechanism.waits
        self._asked: list[list[Any]] | None = None
        self._last = 0

    @property
    def questions(self) -> list[Question]:
        """What `before` asks, for a server far away to answer at once."""
        return [self.same_key, self._board_state, self.team_state]

    def ask(self, transaction: Transaction) -> None:
        """Ask what `before` asks, already."""
        self._asked = [transaction.rows(*question) for question in self.questions]

    def refuse_ended(self, revoked: int | None) -> None:
        """Raise if the token has ended."""
        if self._sent.token is not None:
            refuse_ended(revoked, self._sent.token.expires, self._now)

    def follow(self, last: int) -> None:
        """Say which submission was the newest of this transaction."""
        self._last = last

    def before(self, transaction: Transaction) -> Entry | None:
        """Return the look that was made under the same key; raise if none may be made now."""
        self.submission, self.replayed = None, False
        if self._asked is None:
            self.ask(transaction)
        assert self._asked is not None
        same, [(changed, last)], [(refusals, revoked, *standing)] = self._asked
        self._asked = None
        self.refuse_ended(revoked)
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
        row = self._row
        if entry.number <= self.phase.start or not receipt.repeated:
            counts = not receipt.repeated
            row = advanced(row, self.phase, self.team.id, entry, counts=counts)
        if receipt.repeated and row is not None:
            row = with_choice(transaction, self.phase, row)  # it may have been chosen before
        if row is not None and row != self._row:
            store.put(transaction, row, 3)
        if self.answers_others and not receipt.repeated and receipt.shown is not None:
            for number, answer in _answers_before(transaction, entry):
                self._show(transaction, store.survivor(transaction, number), answer)

    def _show(self, transaction: Transaction, team: int, answer: Entry) -> None:
        """Let an answer that came later show on the board."""
        place = (self.phase.board, self.phase.number, team)
        row = store.one(transaction, Standing, STANDING, *place)
        row = advanced(row, self.phase, team, answer)
        store.put(transaction, with_choice(transaction, self.phase, row), 3)

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


def _answers_before(transaction: Transaction, entry: Entry) -> list[tuple[int, Entry]]:
    """Return the answers that a full batch brought to earlier looks, each with its team."""
    number, found = entry.number - 1, list[tuple[int, Entry]]()
    while (answer := transaction.entry(number)) is not None and answer.kind == "answer":
        found.append((int(answer.team.rpartition("-t")[2]), answer))
        number -= 1
    return found[::-1]


def rebuilt(
    transaction: Transaction, phase: Phase, teams: Sequence[int] = ()
) -> dict[int, Standing]:
    """Return the standings of a phase as they follow from the ledger's entries; nothing is written.

    The looks of teams that were merged count for the one that goes on.

    Parameters
    ----------
    transaction, phase
        Where, and of which phase.
    teams
        The only teams to look at, with all that were merged; by default all of them. Where a rule
        answers looks later, with those of somebody else, it has to be all.
    """
    rows: dict[int, Standing] = {}
    some = f" AND team IN ({store.marks(teams)})" if teams else ""
    where = f"WHERE board = ? AND phase = ? AND outcome IN ('answered', 'repeated'){some}"
    place = (phase.board, phase.number, *teams)
    for submission in store.find(transaction, Submission, f"{where} ORDER BY id", *place):
        entry = transaction.entry(submission.entry)
        if entry is None:
            raise LedgerError(f"the ledger lacks entry {submission.entry} of a submission.")
        counts = submission.outcome == "answered"
        told = [(submission.team, entry)] if counts or entry.number <= phase.start else []
        if counts and entry.released is not None:
            told += _answers_before(transaction, entry)
        for number, each in told:
            team = store.survivor(transaction, number)
            rows[team] = advanced(rows.get(team), phase, team, each, counts=counts)
    return {team: with_choice(transaction, phase, row) for team, row in rows.items()}


def rebuild(transaction: Transaction, phase: Phase, teams: Sequence[int] = ()) -> None:
    """Write the standings of a phase anew, of some teams or of all."""
    if policy_of(phase).mechanism.waits:
        teams = ()
    some = f" AND team IN ({store.marks(teams)})" if teams else ""
    statement = f"DELETE FROM holdfast_standings WHERE board = ? AND phase = ?{some}"
    transaction.execute(statement, (phase.board, phase.number, *teams))
    for row in rebuilt(transaction, phase, teams).values():
        store.insert(transaction, row)


def choices(
    transaction: Transaction, board: int, data_set: str, teams: Iterable[int]
) -> list[Entry]:
    """Return the looks that teams of a board have chosen at a test set, team by team."""
    names = [ledger_name(board, team) for team in teams]
    return [each for name in names for each in transaction.choices(data_set, name)]


def with_choice(transaction: Transaction, phase: Phase, row: Standing) -> Standing:
    """Return a team's row with the look on it that the team chose last.

    A function of the ledger: only what was answered in this phase can stand on its board. A look
    that waits for its answer stands as soon as that comes, in the phase in which it comes.
    """
    if phase.shows != "chosen":
        return row
    pool = store.pooled(transaction, row.team)
    found = choices(transaction, phase.board, phase.data_set, pool)
    sent = f"WHERE phase = ? AND entry = ? AND team IN ({store.marks(pool)})"
    for choice in sorted(found, key=lambda choice: choice.number):
        look = transaction.entry(int(choice.detail.partition("-")[0]))
        if look is not None:
            asked = (look.data_set, look.team, look.prediction, look.rule)
            answer = transaction.answered(*asked) or look
            came = transaction.rows(PHASE_AT, (phase.board, answer.number))[0][0]
            came_here = answer.kind == "answer" and came == phase.number
            shown = (phase.number, answer.number, *pool)
            if came_here or store.one(transaction, Submission, sent, *shown) is not None:
                row = chosen(row, answer)
    return row
