"""The gatekeeper: looks at what is hidden, and nothing else of the server's business.

An import contract keeps labels, scoring and the guard out of every module of the server but this
one and `hidden`.
What leaves this one are ledger entries, receipts and records: released values and public facts.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from holdfast.detect.kept import kept_looks
from holdfast.detect.looks import Look as SeenLook
from holdfast.errors import BudgetExhausted, InvalidInput
from holdfast.evaluate import evaluate
from holdfast.guard.closing import close
from holdfast.guard.exposure import DataSetExposure, exposures, tallied
from holdfast.guard.finals import Finals
from holdfast.guard.guard import PreparedLook
from holdfast.guard.receipt import Receipt
from holdfast.ledger.chain import Ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import clock
from holdfast.ledger.storage import Transaction
from holdfast.ledger.verification import Verification
from holdfast.server import store
from holdfast.server.hidden import Facts, HiddenSets, Host
from holdfast.server.looks import STANDING, Known, Look, Sent, Superseded, with_choice
from holdfast.server.prices import Price
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Standing, Submission, Team, team_number
from holdfast.server.schema import migrate

__all__ = ["Answer", "Gatekeeper"]

Result = TypeVar("Result")

# An exposure that takes longer than this is not waited for, in seconds.
QUICK_SECONDS = 0.1

# In how many threads labels are hashed at the start; each takes 16 MB for a moment.
WARMING_THREADS = 4

# How many teams of a board are remembered.
MOST_KNOWN_TEAMS = 10_000


@dataclass(frozen=True)
class Answer:
    """What a submission became: whose it is, its record, and the receipt.

    `replayed` tells whether this very submission had been made before, under the same key.
    """

    board: Board
    team: Team
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
        self.test_sets = HiddenSets(self.ledger, self._is_linked)
        self._known: dict[str, Known] = {}
        self._own, self._numbers = secrets.token_hex(8), count(1)
        self._exposures = _Measured(-1, {}, 0.0)
        self._beside, self._measuring = ThreadPoolExecutor(1), Future[_Measured]()
        self._measuring.set_result(self._exposures)

    def close(self) -> None:
        """Let go of the database."""
        self._beside.shutdown()
        self.ledger.close()
        self._reader.close()

    # Test sets.

    def new_phase(self, hidden: Path, policy: str, **options: Any) -> Phase:
        """Return a phase over a file of labels or tasks; see `HiddenSets.new_phase`."""
        with self.store.reading() as transaction:
            start = transaction.head().number
        return self.test_sets.new_phase(hidden, policy, start=start, **options)

    def _is_linked(self, data_set: str) -> bool:
        with self.store.reading() as transaction:
            return "linked_to" in (transaction.opened(data_set) or "")

    def warm_up(self) -> None:
        """Read the labels of all phases in force or to come: a fault shows at the start."""
        with self.store.reading() as transaction:
            boards, now = store.find(transaction, Board, "ORDER BY id"), clock()
            found = [store.phase_of(transaction, each.id, now, coming=True) for each in boards]
        phases = [phase for phase in found if phase is not None]
        # Nearly all of it is the slow hash of labels, which other threads need not wait for.
        with ThreadPoolExecutor(WARMING_THREADS) as threads:
            hosts = list(threads.map(self.test_sets.host, phases))
        for phase, host in zip(phases, hosts, strict=True):
            # Kernels are compiled or loaded now, not with somebody's first look.
            if host.guard.policy.display.plain:
                guess = host.truth.labels
                hidden = guess.copy()
                hidden.setflags(write=False)  # as a guard keeps them
                evaluate(guess.copy(), hidden, max(self.facts(phase).n_classes, 2))
            self.exposure(phase)  # the first visitor does not wait for it

    def facts(self, phase: Phase) -> Facts:
        """Return what is public about a phase's test set."""
        return self.test_sets.facts(phase)

    def sample(self, phase: Phase) -> str:
        """Return a submission that is right in form."""
        return self.test_sets.sample(phase)

    def prices(self, phase: Phase) -> list[Price]:
        """Return what the policy in force sells; for hosts."""
        return self.test_sets.prices(phase)

    # Looks.

    def submit(self, sent: Sequence[Sent]) -> list[Answer | Exception]:
        """Answer looks, or say why not; those that can be scored share one transaction.

        A look and its row are there together or not at all. A look that is refused before it has
        written anything leaves the others as they are; after anything else that goes wrong nothing
        of the group was done, and each look is tried by itself.
        """
        found = [_or_error(self._made_ready, each) for each in sent]
        ready = [each for each in found if isinstance(each, _Ready)]
        try:
            self._take_together(ready)
        except Exception:
            for each in ready:
                each.told = None

        def told(each: _Ready) -> Answer | Exception:
            return _or_error(self._alone, each.sent) if each.told is None else each.told

        return [told(each) if isinstance(each, _Ready) else each for each in found]

    def _take_together(self, ready: Sequence[_Ready]) -> None:
        """Answer looks in one transaction: two messages to a database far away, for all of them.

        What was asked for all at first still holds for a look if no other of its team came before.
        """
        if not ready:
            return
        wanted = [question for each in ready for question in each.wanted]
        with self.ledger.storage.writing(wanted) as transaction:
            for each in ready:
                each.look.ask(transaction)
            last, teams = 0, set[int]()
            for each in ready:
                team = each.look.team.id
                if team in teams or (teams and each.look.answers_others):
                    transaction.expect(each.wanted)
                    each.look.ask(transaction)
                teams.add(team)
                written = transaction.written
                try:
                    each.told = each.take(transaction, last)
                except Superseded:
                    self._known.pop(each.sent.slug, None)
                except Exception as error:
                    if transaction.written != written:
                        raise
                    each.told = error
                if each.look.submission is not None:
                    last = max(last, each.look.submission.id)

    def _alone(self, sent: Sent) -> Answer:
        while True:
            ready = self._made_ready(sent)
            if isinstance(ready, Answer):
                return ready
            try:
                with self.ledger.storage.writing(ready.wanted) as transaction:
                    return ready.take(transaction)
            except Superseded:
                self._known.pop(sent.slug, None)

    def _made_ready(self, sent: Sent) -> Answer | _Ready:
        """Do all of a look that comes before its transaction; what can't be scored is refused."""
        while True:
            known, now = self.known(sent.slug), clock()
            phase = known.phase(now)
            team, pool = self._team(known, sent.whose(known.board))
            key = sent.key or f"none {now} {self._own} {next(self._numbers)}"  # of its own
            key += f" in phase {phase.number}" if sent.by_phase else ""
            look = Look(known.board, phase, team, pool, sent._replace(key=key), now)
            host = self.test_sets.host(phase)
            # A look that was answered is answered again, whatever the team may do now.
            if team.refusals and not self.store.rows(look.same_key):
                look.refuse_ended(self.store.rows(look.team_state)[0][1])
                with _named(team):
                    host.guard.admit(team=team.ledger_name)
            prediction, reason = self.test_sets.predicted(phase, sent.body)
            if prediction is not None:
                prepared = host.guard.prepare(prediction, team=team.ledger_name)
                return _Ready(sent, host, look, prepared)
            try:
                return self._refuse(host, look, reason, sent)
            except Superseded:
                self._known.pop(sent.slug, None)

    def _refuse(self, host: Host, look: Look, reason: str, sent: Sent) -> Answer:
        team = look.team
        try:
            with _named(team):
                receipt = host.guard.refuse(
                    reason,
                    team=team.ledger_name,
                    before=look.before,
                    inside=lambda transaction, entry: look.refused(transaction, entry, reason),
                )
            if receipt is not None and look.submission is not None:
                # Made in an earlier phase, whose files were others.
                return Answer(look.board, team, look.submission, _for(team, receipt), True)
            self.known(sent.slug).teams.pop(team.id, None)  # its refusals are one more
            raise Problem("invalid_submission", reason)
        except Problem as problem:
            if problem.word == "invalid_submission":
                rows = self.test_sets.bad_rows(look.phase, sent.body)
                problem.more |= {"rows": rows} if rows else {}
            raise

    def known(self, slug: str) -> Known:
        """Return a board as it was last read; a look's transaction tells whether it still is so."""
        if slug not in self._known:
            with self.store.reading() as transaction:
                board = store.one(transaction, Board, "WHERE slug = ?", slug)
                if board is None:
                    raise Problem("not_found", "There is no board of this name.")
                where = "WHERE board = ? ORDER BY number DESC"
                phases = store.find(transaction, Phase, where, board.id)
            self._known[slug] = Known(board, phases, {})
        return self._known[slug]

    def _team(self, known: Known, number: int) -> tuple[Team, list[int]]:
        if number not in known.teams:
            if len(known.teams) > MOST_KNOWN_TEAMS:
                known.teams.clear()
            with self.store.reading() as transaction:
                last = store.survivor(transaction, number)
                [team] = store.find(transaction, Team, "WHERE id = ?", last)
                known.teams[number] = (team, store.pooled(transaction, last))
        return known.teams[number]

    def allowance(self, phase: Phase, team: Team) -> tuple[int, datetime | None]:
        """Return how many looks a team has left, and when its next look is allowed."""
        return self.test_sets.host(phase).guard.allowance(team=team.ledger_name)

    def choose(self, phase: Phase, team: Team, look: Entry) -> Receipt:
        """Name a look for the final result, and let it stand on a board that shows choices.

        It may be one of a team that was merged into this one.
        """
        host = self.test_sets.host(phase)

        def inside(transaction: Transaction, _look: Entry) -> None:
            for each in store.find(transaction, Phase, "WHERE board = ?", phase.board):
                row = store.one(transaction, Standing, STANDING, each.board, each.number, team.id)
                if row is not None:
                    store.put(transaction, with_choice(transaction, each, row), 3)

        with _named(team):
            receipt = host.guard.choose_final(look.receipt_id, team=look.team, inside=inside)
        return _for(team, receipt)

    # The host's questions.

    def note(
        self,
        phase: Phase,
        what: str,
        inside: Callable[[Transaction], None],
        pooled: tuple[Team, Team] | None = None,
    ) -> str:
        """Do and record what a host decided, in one transaction; return the entry's receipt."""
        both = None if pooled is None else (pooled[0].ledger_name, pooled[1].ledger_name)
        guard, by = self.test_sets.host(phase).guard, f"b{phase.board}-host"
        return guard.note(what, by=by, inside=inside, pooled=both).receipt_id

    def finish(self, phase: Phase) -> Finals:
        """Score the private part once, from the predictions that the ledger keeps."""
        return close(self.test_sets.host(phase))

    def exposure(self, phase: Phase) -> DataSetExposure | None:
        """Return what all looks at a phase's test set allow; None: nobody has looked.

        A pass over all entries: where that takes long, the last result is shown while another
        thread makes the next one.
        """
        known = self._exposures
        with self.store.reading() as transaction:
            head = transaction.head().number
        if known.head != head and known.seconds < QUICK_SECONDS:
            known = self._measure_exposures(head)
        elif known.head != head and self._measuring.done():
            self._measuring = self._beside.submit(self._measure_exposures, head)
        return known.by_data_set.get(phase.data_set)

    def _measure_exposures(self, head: int) -> _Measured:
        began = time.perf_counter()
        with self.store.reading() as transaction:
            counted = tallied(transaction)
        found = {each.data_set: each for each in exposures(counted)}
        self._exposures = _Measured(head, found, time.perf_counter() - began)
        return self._exposures

    def kept_looks(self, board: Board, phase: Phase) -> list[SeenLook]:
        """Return a board's looks at a test set, for the detector; merged teams are one."""

        def name_of(team: str) -> str | None:
            number = team_number(board.id, team)
            if number is None:
                return None
            with self.store.reading() as transaction:
                number = store.survivor(transaction, number)
                return store.names_of(transaction, [number])[number].name

        return kept_looks(self.test_sets.host(phase).guard, self._reader.storage, name_of)

    def labels_of(self, phase: Phase, body: bytes) -> Any:
        """Return the labels of a file that is no look, such as a baseline of the host's."""
        labels, reason = self.test_sets.predicted(phase, body)
        if labels is None:
            raise InvalidInput(f"a baseline must be a submission to the board: {reason}")
        return labels

    def verify(self) -> Verification:
        """Check the whole ledger."""
        return self._reader.verify()


class _Measured(NamedTuple):
    """Exposures of all data sets, the number of entries that they are of, and how long it took."""

    head: int
    by_data_set: dict[str, DataSetExposure]
    seconds: float


class _Ready:
    """A look that waits for its transaction."""

    def __init__(self, sent: Sent, host: Host, look: Look, prepared: PreparedLook) -> None:
        self.sent, self._host, self.look, self._prepared = sent, host, look, prepared
        self.wanted = [*prepared.wanted, *look.questions]
        self.told: Answer | Exception | None = None

    def take(self, transaction: Transaction, last: int = 0) -> Answer:
        """Answer it, after submission number `last`."""
        look, team = self.look, self.look.team
        look.follow(last)
        with _named(team):
            receipt = self._host.guard.take(
                transaction, self._prepared, before=look.before, inside=look.inside
            )
        assert look.submission is not None
        return Answer(look.board, team, look.submission, _for(team, receipt), look.replayed)


def _or_error(work: Callable[[Sent], Result], sent: Sent) -> Result | Exception:
    """Return what came of a look, or what was raised."""
    try:
        return work(sent)
    except Exception as error:
        return error


@contextmanager
def _named(team: Team) -> Iterator[None]:
    """Let messages call a team by its name, not by the ledger's."""
    try:
        yield
    except BudgetExhausted as error:
        told, at = _by_name(team, str(error)), error.next_allowed_at
        raise BudgetExhausted(told, next_allowed_at=at) from None
    except InvalidInput as error:
        told = _by_name(team, str(error))
        if told == str(error):
            raise
        raise InvalidInput(told) from None


def _for(team: Team, receipt: Receipt) -> Receipt:
    return replace(receipt, meaning=_by_name(team, receipt.meaning))


def _by_name(team: Team, text: str) -> str:
    """Return a text about a team, or about one that was merged into it, with the team's name."""
    return re.sub(rf"\bb{team.board}-t\d+\b", lambda _: team.name, text)
