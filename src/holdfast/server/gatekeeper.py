"""The gatekeeper: the one module of the server that holds labels and guards.

An import contract keeps labels, scoring and the guard out of every other module of the server.
What leaves this one are ledger entries, receipts and records: released values and public facts.
"""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, LedgerError
from holdfast.guard.closing import close
from holdfast.guard.entry import Entry
from holdfast.guard.exposure import DataSetExposure, exposure
from holdfast.guard.files import GuardedFile
from holdfast.guard.finals import Finals
from holdfast.guard.ledger import Ledger
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt
from holdfast.guard.replay import replay
from holdfast.guard.storage import Transaction
from holdfast.guard.storage.contract import Question
from holdfast.guard.verification import Verification
from holdfast.guard.windows import clock
from holdfast.server import store
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Sender, Standing, Submission, Team
from holdfast.server.schema import migrate
from holdfast.server.standings import advanced, chosen

__all__ = ["Answer", "Facts", "Gatekeeper"]

# An exposure that takes longer than this is not waited for, in seconds.
QUICK_SECONDS = 0.1

# How many looks are replayed at most.
LONGEST_REPLAY = 500

LAST_ID: Question = ("SELECT MAX(id) FROM holdfast_submissions", ())
STANDING = "WHERE board = ? AND phase = ? AND team = ?"


class _Superseded(Exception):
    """The phase in force is not the one that a look was prepared for."""


@dataclass(frozen=True)
class Facts:
    """What is public about a test set."""

    n_examples: int
    n_classes: int
    classes: tuple[str, ...]
    has_ids: bool


@dataclass(frozen=True)
class Answer:
    """What a submission became: its record, and the receipt unless it could not be scored.

    `replayed` tells whether this very submission had been made before, under the same key.
    """

    submission: Submission
    receipt: Receipt
    replayed: bool


class Gatekeeper:
    """Guards over the labels of all boards, by phase.

    Parameters
    ----------
    database
        The ledger's path or URL; the server's tables lie beside it.
    create
        Make a new ledger where there is none.
    """

    def __init__(self, database: str, *, create: bool = False) -> None:
        self.ledger = Ledger(database, create=create)
        migrate(self.ledger.storage)
        self._reader = Ledger(database)
        self.store = store.Store(self.ledger.storage, self._reader.storage)
        self._hosts: dict[tuple[str, str], GuardedFile] = {}
        self._making = threading.Lock()
        self._exposures: dict[str, _Measured] = {}
        self._measuring = threading.Lock()

    def close(self) -> None:
        """Let go of the database."""
        self.ledger.close()
        self._reader.close()

    # Test sets.

    def new_phase(
        self,
        board: int,
        number: int,
        labels: Path,
        policy_text: str,
        *,
        id_column: str | None = None,
        label_column: str | None = None,
        shows: str | None = None,
        opens: int | None = None,
        closes: int | None = None,
    ) -> Phase:
        """Return a phase over a file of hidden labels, checked, and not stored yet.

        The classes become part of the policy's text: a board's classes are public.
        """
        policy = Policy.parse(policy_text, folder=labels.parent)
        host = GuardedFile(
            labels, policy, self.ledger, id_column=id_column, label_column=label_column
        )
        if policy.classes is None:
            policy = replace(policy, classes=tuple(host.truth.class_names))
        text = policy_as_toml(policy)
        with self.store.reading() as transaction:
            start = transaction.head().number
        noisy = policy.mechanism.adds_noise or policy.mechanism.shows != "scores"
        phase = Phase(
            board=board,
            number=number,
            labels=str(labels.absolute()),
            id_column=id_column,
            label_column=label_column,
            data_set=host.guard.data_set,
            n_examples=host.guard.problem.n_examples,
            policy=text,
            digest=policy.digest,
            shows=shows or ("latest" if noisy else "best"),
            opens=clock() if opens is None else opens,
            closes=closes,
            start=start,
            frozen=None,
            snapshot=None,
            finals=None,
        )
        self._hosts[phase.data_set, phase.digest] = GuardedFile(
            labels, policy, self.ledger, id_column=id_column, label_column=label_column
        )
        return phase

    def _host(self, phase: Phase) -> GuardedFile:
        """Return the guard of a phase; its labels must still be those of the first day."""
        key = (phase.data_set, phase.digest)
        with self._making:
            if key not in self._hosts:
                host = GuardedFile(
                    phase.labels,
                    Policy.parse(phase.policy),
                    self.ledger,
                    id_column=phase.id_column,
                    label_column=phase.label_column,
                )
                # A data set that was linked to another one later goes on under that name.
                known = host.guard.data_set == phase.data_set or self._is_linked(phase.data_set)
                if not known:
                    raise LedgerError(
                        f"the labels of board {phase.board} must be those with which phase "
                        f"{phase.number} began, got others in {phase.labels}."
                    )
                self._hosts[key] = host
            return self._hosts[key]

    def _is_linked(self, data_set: str) -> bool:
        with self.store.reading() as transaction:
            return "linked_to" in (transaction.opened(data_set) or "")

    def warm_up(self) -> None:
        """Read the labels of every phase in force, so that a fault shows at the start."""
        for board in self.store.find(Board, "ORDER BY id"):
            phase = self.store.one(Phase, store.PHASE_IN_FORCE, board.id, clock())
            if phase is not None:
                self._host(phase)

    def facts(self, phase: Phase) -> Facts:
        """Return what is public about a phase's test set."""
        host = self._host(phase)
        truth = host.truth
        return Facts(
            host.guard.n_predicted,
            host.guard.problem.n_classes,
            tuple(truth.class_names),
            truth.ids is not None,
        )

    def sample(self, phase: Phase) -> str:
        """Return a submission that predicts the first class for every id, in order of the ids."""
        truth = self._host(phase).truth
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        ids = np.arange(truth.n_examples) if truth.ids is None else np.sort(truth.ids)
        id_column, label_column = phase.id_column or "id", phase.label_column or "label"
        writer.writerow([id_column, label_column] if truth.ids is not None else [label_column])
        first = truth.class_names[0]
        writer.writerows([each, first] if truth.ids is not None else [first] for each in ids)
        return text.getvalue()

    # Looks.

    def submit(self, board: Board, sender: Sender, file: Path) -> Answer:
        """Answer one look at a file, or refuse it; the look and its row are one transaction.

        Raises
        ------
        Problem
            The phase is over, or the key was used for another upload.
        BudgetExhausted, InvalidQuery, LedgerError
            As `Guard.score`.
        """
        prediction: object | None
        prepared = None
        while True:
            now = clock()
            phase = self.store.one(Phase, store.PHASE_IN_FORCE, board.id, now)
            if phase is None:
                raise Problem("phase_closed", "The board has not opened yet.")
            host = self._host(phase)
            if prepared != phase.data_set:
                # A look that was answered is answered again, whatever the team may do now.
                known = (sender.team.id, sender.key)
                if sender.team.refusals and not self.store.find(Submission, store.SAME_KEY, *known):
                    with _named(sender.team):
                        host.guard.admit(team=sender.team.ledger_name)
                prediction, reason = host.attempt(file)
                prepared = phase.data_set
            look = _Look(phase, sender, now)
            try:
                with _named(sender.team):
                    if prediction is None:
                        return self._refuse(host, look, reason)
                    receipt = host.guard.score(
                        prediction,
                        team=sender.team.ledger_name,
                        before=look.before,
                        inside=look.inside,
                        ahead=look.questions,
                    )
            except _Superseded:
                continue
            assert look.submission is not None
            return Answer(look.submission, _for(sender.team, receipt), look.replayed)

    def _refuse(self, host: GuardedFile, look: _Look, reason: str) -> Answer:
        receipt = host.guard.refuse(
            reason,
            team=look.sender.team.ledger_name,
            before=look.before,
            inside=lambda transaction, entry: look.refused(transaction, entry, reason),
        )
        if receipt is None or look.submission is None:
            raise InvalidQuery(reason)
        # Made in an earlier phase, whose files were others.
        return Answer(look.submission, _for(look.sender.team, receipt), look.replayed)

    def allowance(self, phase: Phase, team: Team) -> tuple[int, datetime | None]:
        """Return how many looks a team has left, and when its next look is allowed."""
        return self._host(phase).guard.allowance(team=team.ledger_name)

    def choose(self, phase: Phase, team: Team, receipt_id: str) -> Receipt:
        """Name a look for the final result, and let it stand on a board that shows choices."""
        host = self._host(phase)

        def inside(transaction: Transaction, look: Entry) -> None:
            standing = store.one(
                transaction, Standing, STANDING, phase.board, phase.number, team.id
            )
            if phase.shows == "chosen" and standing is not None:
                answer = (
                    transaction.answered(look.data_set, look.team, look.prediction, look.rule)
                    or look
                )
                store.put(transaction, chosen(standing, answer), 3)

        with _named(team):
            receipt = host.guard.choose_final(receipt_id, team=team.ledger_name, inside=inside)
        return _for(team, receipt)

    # The host's questions.

    def finish(self, phase: Phase) -> Finals:
        """Score the private part once, from the predictions that the ledger keeps."""
        return close(self._host(phase))

    def exposure(self, phase: Phase) -> DataSetExposure | None:
        """Return what all looks at a phase's test set allow; None: nobody has looked.

        A pass over all entries: where that takes long, the last result is shown while another
        thread makes the next one.
        """
        known = self._exposures.get(phase.data_set)
        with self.store.reading() as transaction:
            head = transaction.head().number
        if known is not None and known.head == head:
            return known.exposure
        if known is None or known.seconds < QUICK_SECONDS:
            return self._measure_exposure(phase.data_set, head)
        if self._measuring.acquire(blocking=False):
            work = partial(self._measure_exposure, phase.data_set, head, self._measuring)
            threading.Thread(target=work, daemon=True).start()
        return known.exposure

    def _measure_exposure(
        self, data_set: str, head: int, lock: threading.Lock | None = None
    ) -> DataSetExposure | None:
        began = time.perf_counter()
        try:
            found = {each.data_set: each for each in exposure(self._reader)}
            seconds = time.perf_counter() - began
            self._exposures[data_set] = _Measured(head, found.get(data_set), seconds)
        finally:
            if lock is not None:
                lock.release()
        return found.get(data_set)

    def replay(self, phase: Phase, text: str) -> list[tuple[int, str, float | None]]:
        """Return of the last looks what was released, and what another rule would have released.

        Team, released, replayed, in order. For hosts alone: it is nearly the exact score.
        """
        policy = replace(Policy.parse(phase.policy), release=text)
        guard = self._host(phase).guard
        with self.store.reading() as transaction:
            where = (
                "WHERE board = ? AND phase = ? AND outcome = 'answered' ORDER BY id DESC LIMIT ?"
            )
            place = (phase.board, phase.number, LONGEST_REPLAY)
            sent = store.find(transaction, Submission, where, *place)
            found = [transaction.entry(each.entry) for each in reversed(sent)]
            looks = [entry for entry in found if entry is not None]
            return [
                (int(look.team.rpartition("-t")[2]), look.released or "-", value)
                for look, value in replay(guard, transaction, looks, policy)
            ]

    def verify(self) -> Verification:
        """Check the whole ledger."""
        return self._reader.verify()


class _Measured(NamedTuple):
    """An exposure, the number of entries that it is of, and how long it took."""

    head: int
    exposure: DataSetExposure | None
    seconds: float


class _Look:
    """One submission's questions and rows in the transaction of its look."""

    def __init__(self, phase: Phase, sender: Sender, now: int) -> None:
        self.phase, self.sender, self._now = phase, sender, now
        self.submission: Submission | None = None
        self.replayed = False
        team = sender.team.id
        self._in_force = (store.query(Phase, store.PHASE_IN_FORCE), (phase.board, now))
        self._same_key = (store.query(Submission, store.SAME_KEY), (team, sender.key))
        place = (phase.board, phase.number, team)
        self._standing = (store.query(Standing, STANDING), place)

    @property
    def questions(self) -> list[Question]:
        """What `before` asks, for a server far away to answer at once."""
        return [self._in_force, self._same_key, self._standing, LAST_ID]

    def before(self, transaction: Transaction) -> Entry | None:
        """Return the look that was made under the same key; raise if none may be made now."""
        self.submission, self.replayed = None, False
        rows = transaction.rows(*self._same_key)
        if rows:
            return self._replay(transaction, Submission(*rows[0]))
        rows = transaction.rows(*self._in_force)
        if not rows or Phase(*rows[0])._replace(frozen=None, snapshot=None) != self.phase._replace(
            frozen=None, snapshot=None
        ):
            raise _Superseded
        closes = self.phase.closes
        if self.phase.finals is not None or (closes is not None and closes <= self._now):
            raise Problem("phase_closed", "The board takes no more submissions.")
        rows = transaction.rows(*self._standing)
        self._row = Standing(*rows[0]) if rows else None
        self._id = (transaction.rows(*LAST_ID)[0][0] or 0) + 1
        return None

    def _replay(self, transaction: Transaction, earlier: Submission) -> Entry:
        if earlier.body != self.sender.body:
            raise Problem("key_reused", "This idempotency key came with another upload before.")
        entry = transaction.entry(earlier.entry)
        if entry is None:
            raise LedgerError("the ledger lacks the entry of a submission.")
        if earlier.outcome in ("refused", "failed"):
            raise InvalidQuery(earlier.note)
        self.submission, self.replayed = earlier, True
        return entry

    def inside(self, transaction: Transaction, entry: Entry, receipt: Receipt) -> None:
        """Write the submission and what the board shows of it, with the look or not at all."""
        outcome = "repeated" if receipt.repeated else "answered"
        self._insert(transaction, entry, outcome, "")
        if entry.number <= self.phase.start or not receipt.repeated:
            counts = not receipt.repeated
            row = advanced(self._row, self.phase, self.sender.team.id, entry, counts=counts)
            store.put(transaction, row, 3)
        if not receipt.repeated and receipt.released is not None:
            answer_earlier(transaction, self.phase, entry)

    def refused(self, transaction: Transaction, entry: Entry, reason: str) -> None:
        """Write a submission that could not be scored."""
        self._insert(transaction, entry, entry.kind, reason)
        transaction.execute(
            "UPDATE holdfast_teams SET refusals = refusals + 1 WHERE id = ?",
            (self.sender.team.id,),
        )

    def _insert(self, transaction: Transaction, entry: Entry, outcome: str, note: str) -> None:
        sender = self.sender
        self.submission = Submission(
            id=self._id,
            board=self.phase.board,
            phase=self.phase.number,
            team=sender.team.id,
            sender=sender.user,
            key=sender.key,
            body=sender.body,
            entry=entry.number,
            outcome=outcome,
            note=note,
            file=sender.file,
            time=entry.time,
        )
        store.insert(transaction, self.submission)


def answer_earlier(transaction: Transaction, phase: Phase, entry: Entry) -> None:
    """Let the answers that a full batch brought to earlier looks show on the board."""
    number = entry.number - 1
    answers = []
    while (answer := transaction.entry(number)) is not None and answer.kind == "answer":
        answers.append(answer)
        number -= 1
    for answer in reversed(answers):
        team = int(answer.team.rpartition("-t")[2])
        row = store.one(transaction, Standing, STANDING, phase.board, phase.number, team)
        store.put(transaction, advanced(row, phase, team, answer), 3)


def rebuilt(transaction: Transaction, phase: Phase) -> None:
    """Make the standings of a phase anew, from the ledger's entries."""
    place = (phase.board, phase.number)
    transaction.execute("DELETE FROM holdfast_standings WHERE board = ? AND phase = ?", place)
    where = "WHERE board = ? AND phase = ? AND outcome IN ('answered', 'repeated') ORDER BY id"
    for submission in store.find(transaction, Submission, where, *place):
        entry = transaction.entry(submission.entry)
        if entry is None:
            raise LedgerError(f"the ledger lacks entry {submission.entry} of a submission.")
        counts = submission.outcome == "answered"
        if counts or entry.number <= phase.start:
            row = store.one(transaction, Standing, STANDING, *place, submission.team)
            row = advanced(row, phase, submission.team, entry, counts=counts)
            store.put(transaction, row, 3)
        if counts and entry.released is not None:
            answer_earlier(transaction, phase, entry)
    if phase.shows == "chosen":
        for standing in store.find(transaction, Standing, "WHERE board = ? AND phase = ?", *place):
            _choose_again(transaction, phase, standing)


def _choose_again(transaction: Transaction, phase: Phase, standing: Standing) -> None:
    choices = transaction.choices(phase.data_set, f"b{phase.board}-t{standing.team}")
    for choice in choices[-1:]:
        look = transaction.entry(int(choice.detail.partition("-")[0]))
        if look is not None:
            answer = transaction.answered(look.data_set, look.team, look.prediction, look.rule)
            store.put(transaction, chosen(standing, answer or look), 3)


def policy_as_toml(policy: Policy) -> str:
    """Return a policy as text that reads back as the same one."""
    from holdfast.guard.policy_text import policy_text

    settings = {name: value for name, value in policy.settings().items() if value is not None}
    return policy_text(settings)


@contextmanager
def _named(team: Team) -> Iterator[None]:
    """Let messages call a team by its name, not by the ledger's."""
    try:
        yield
    except BudgetExhausted as error:
        told = str(error).replace(team.ledger_name, team.name)
        at = error.next_allowed_at
    except InvalidInput as error:
        if team.ledger_name not in str(error):
            raise
        raise InvalidInput(str(error).replace(team.ledger_name, team.name)) from None
    else:
        return
    raise BudgetExhausted(told, next_allowed_at=at)


def _for(team: Team, receipt: Receipt) -> Receipt:
    return replace(receipt, meaning=receipt.meaning.replace(team.ledger_name, team.name))
