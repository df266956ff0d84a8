"""Scoring behind a ledger: one transaction per look."""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, ReleaseFailed
from holdfast.guard.budget import Allowance, allowance, memory_budget
from holdfast.guard.data_set import DataSet, charge, find, names_of, record, settle
from holdfast.guard.entry import Entry, Kind
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.kept_predictions import KEPT_PREFIX, digest_of, kept_name, packed
from holdfast.guard.ledger import Ledger, state_digest
from holdfast.guard.parts import ALL, Part
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Answer, Receipt, moment_ahead, receipt_for
from holdfast.guard.refusals import refuse_more_refusals, refuse_unless_allowed
from holdfast.guard.sealing import seal, unseal
from holdfast.guard.shown_numbers import ShownNumbers
from holdfast.guard.storage import Transaction
from holdfast.guard.storage.contract import Question, StoredState
from holdfast.guard.team import spelling_key
from holdfast.guard.windows import Microseconds, clock
from holdfast.labels import Labels
from holdfast.mechanisms import recorded_look
from holdfast.metrics import Metric
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.quoting import quoted

__all__ = ["CLOSED_RULE", "Guard", "PreparedLook"]

# Where a rule's state would stand, the final ranking of a closed board.
CLOSED_RULE = "closed"


@dataclass(frozen=True, eq=False, repr=False)
class PreparedLook:
    """A checked prediction of a team, ready for its transaction."""

    found: DataSet
    team: str
    scored: Labels
    digest: str
    kept: bytes | None
    wanted: list[Question]


class Guard:
    """Scores predictions against hidden labels; the only door to them.

    The exact score exists while one transaction runs and nowhere else: a crash, a full disk or a
    lost connection leaves either a recorded look or no look, and no answer leaves unrecorded.

    Parameters
    ----------
    labels
        The hidden labels, integers from 0 to n_classes - 1; or, for a metric of such, the hidden
        numbers or label sets. Copied.
    policy
        What is released, and how often; a `Policy` or the path of a policy file.
    ledger
        A `Ledger`, or its path or URL.
    create
        Make a new ledger where the path or URL has none; if False, that is a `LedgerMissing`.
    ids
        One distinct id per example, integers or texts. With them the labels are known again in any
        order of the rows; a prediction goes with the ids as they are given here. None: the
        labels are known by their order.
    n_classes
        Number of classes; None: the largest label plus one.
    part
        The examples that looks are scored on, and that the budget belongs to; None: all. A
        prediction is about all examples whatever the part is: what is not scored is checked and
        told apart like the rest, so that no answer and no refusal says which examples are scored.
    groups
        The group of each example, for a policy with a breakdown: anything that can be sorted.
    metric, breakdown
        Other than the policy's, such as a metric of one's own; see `Policy`.
    picklable
        Let the guard be pickled, with the hidden labels in it: whoever gets the pickle has them.
        Needed to send it to other processes, as joblib's workers are.
    now
        The clock, in microseconds of UTC. One that runs backwards is taken to stand still.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy = Policy("exact", looks_per_team=2)
    ...     guard = Guard([0, 1, 1, 0], policy, folder + "/ledger.db", create=True)
    ...     receipt = guard.score([0, 1, 0, 0], team="blue")
    >>> receipt.released, receipt.looks_left
    (0.75, 1)
    """

    def __init__(
        self,
        labels: object,
        policy: Policy | str | os.PathLike[str],
        ledger: Ledger | str | os.PathLike[str],
        *,
        create: bool = False,
        ids: object | None = None,
        n_classes: int | None = None,
        part: Part | None = None,
        groups: object | None = None,
        metric: str | Metric | None = None,
        breakdown: str | None = None,
        picklable: bool = False,
        now: Callable[[], Microseconds] = clock,
    ) -> None:
        policy = policy if isinstance(policy, Policy) else Policy.read(Path(policy))
        if metric is not None:
            policy = replace(policy, metric=metric)
        if breakdown is not None:
            policy = replace(policy, breakdown=breakdown)
        self.policy = policy
        self._examples = HiddenExamples(labels, n_classes, ids, part, policy.display, groups)
        self._shown = ShownNumbers(policy, self._examples)
        self.part = ALL if part is None else part.name
        self.keeps = part is not None and part.keeps
        for caution in self.policy.mechanism.cautions():
            warnings.warn(caution, stacklevel=2)
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger, create=create)
        if self.policy.witness is not None and self.ledger.witness is None:
            self.ledger.watch(self.policy.witness, create=create)
        hidden, n_classes = self._examples.labels, self._examples.n_classes
        self.problem = Problem(len(hidden), n_classes, self.policy.looks_per_data_set)
        # What one memory of the rule can be asked: a team's looks, or everyone's.
        self._remembered = self.problem._replace(n_queries=memory_budget(self.policy))
        self._picklable = picklable
        self._now = now
        self._names = names_of(hidden, self._examples.ids, self.ledger.salt())
        with self.ledger.storage.reading() as transaction:
            self._found = self._find(transaction)

    def __repr__(self) -> str:
        return f"Guard({self.problem}, {self.policy}, data_set={self.data_set[:12]})"

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle carries, the hidden labels among it, if that was asked for."""
        if not self._picklable:
            raise TypeError(
                "a Guard can't be pickled: the pickle would carry the hidden labels. Make it with "
                "picklable=True if they may go where the pickle goes."
            )
        return vars(self)

    def __deepcopy__(self, memo: object) -> Guard:
        """Return the guard itself: a copy would be another door to the same labels."""
        return self

    @property
    def data_set(self) -> str:
        """The label set's name in the ledger."""
        return self._found.name

    @property
    def rule(self) -> str:
        """What the ledger calls this guard's looks: the rule, and what it releases."""
        return self._shown.text

    @property
    def sizes(self) -> tuple[int, ...]:
        """On how many examples each released number is computed."""
        return self._shown.look.sizes or (self.problem.n_examples,)

    @property
    def names(self) -> tuple[str, ...]:
        """What each released number is called."""
        return self._shown.names

    def shown_under(self, policy: Policy) -> ShownNumbers:
        """Return what releases this guard's numbers under another policy's rule."""
        mine = self.policy
        other = replace(policy, metric=mine.metric, breakdown=mine.breakdown, also=mine.also)
        return ShownNumbers(other, self._examples)

    @property
    def n_predicted(self) -> int:
        """Number of examples that a prediction is about, scored or not."""
        return self._examples.n_predicted

    def score(
        self,
        prediction: object,
        *,
        team: str,
        before: Callable[[Transaction], Entry | None] | None = None,
        inside: Callable[[Transaction, Entry, Receipt], None] | None = None,
        ahead: Sequence[Question] = (),
    ) -> Receipt:
        """Answer one look, or refuse it.

        A prediction that this team has had answered before is answered from the record, without
        a new look.

        Parameters
        ----------
        prediction
            One label per example; or what the policy's metric takes, such as probabilities.
        team
            Whose look it is.
        before
            Called first in the look's transaction. A look that it returns is answered again from
            the record, and nothing is written; what it raises ends the transaction, with nothing
            spent and nothing released.
        inside
            Called with the look's entry and receipt before the commit: rows that it writes are
            there if, and only if, the look is. It may be called a second time after a transaction
            that was undone.
        ahead
            Questions that `before` will ask, so that a server far away answers them at once.

        Raises
        ------
        BudgetExhausted
            The policy allows no look now; `next_allowed_at` says when it will.
        InvalidQuery
            The prediction has the wrong length, dtype or range. Costs what the policy says.
        LedgerError
            The ledger can't be written; nothing was released.
        """
        self._found.team(team)  # a name that can't be one is nobody's look
        query, reason = self._examples.checked(prediction)
        if query is None:
            self.refuse(reason, team=team)
            raise InvalidQuery(reason)
        while True:
            look = self.prepare(query, team=team)
            with self.ledger.storage.writing([*look.wanted, *ahead]) as transaction:
                receipt = self.take(transaction, look, before=before, inside=inside)
            if receipt is not None:
                return receipt

    def prepare(self, query: Labels, *, team: str) -> PreparedLook:
        """Return all of a look that can be done before its transaction: others wait for that.

        `query` is a prediction that was checked, as `GuardedSolution.attempt` does.
        """
        found = self._settled()
        name = found.team(team)
        scored = found.in_order(self._examples.scored(query))
        named = self._examples.named(query, scored)
        digest = kept_name(named) if self.keeps else digest_of(named)
        kept = packed(named, found.owner.key) if self.keeps else None
        wanted = self._wanted(found, name, digest)
        return PreparedLook(found, name, scored, digest, kept, wanted)

    def take(
        self,
        transaction: Transaction,
        look: PreparedLook,
        *,
        before: Callable[[Transaction], Entry | None] | None = None,
        inside: Callable[[Transaction, Entry, Receipt], None] | None = None,
    ) -> Receipt | None:
        """Answer a look that was prepared; `score` in an open transaction of this guard's ledger.

        Several looks may be answered in one transaction. Nothing may be told of any of them before
        the commit. None: prepare it again, since its data set was joined with another one.
        """
        if not self._is_current(look.found, transaction):
            return None
        earlier = None if before is None else before(transaction)
        if earlier is not None:
            return self._again(transaction, earlier, look.team)
        entry, receipt = self._look(transaction, look)
        if look.kept is not None:
            transaction.put_prediction(look.found.name, look.digest, look.kept)
        if inside is not None:
            inside(transaction, entry, receipt)
        return receipt

    def differing(self, one: Labels, other: Labels) -> int:
        """Return on how many scored examples two predictions differ."""
        differs = self._examples.ranked_by(one) != self._examples.ranked_by(other)
        return int(np.count_nonzero(self._examples.scored(differs)))

    def admit(self, *, team: str) -> None:
        """Return if a submission of this team may be read; to ask before looking into it.

        Raises
        ------
        BudgetExhausted
            Too many of its submissions were refused in this window. It says the same of each
            submission, since none is read.
        """
        found = self._seen()
        name = found.team(team)
        with self.ledger.storage.reading() as transaction:
            refuse_more_refusals(
                transaction, self.policy, found.name, name, self._present(transaction)
            )

    def refuse(
        self,
        reason: str,
        *,
        team: str,
        before: Callable[[Transaction], Entry | None] | None = None,
        inside: Callable[[Transaction, Entry], None] | None = None,
    ) -> Receipt | None:
        """Record a submission that could not be scored, at the price that the policy names.

        `before` and `inside` are called in the transaction, as for `score`: a look that `before`
        returns was recorded earlier, and nothing more is; its receipt is returned.

        Raises
        ------
        BudgetExhausted
            The policy charges a look, and the team has none to pay with; or it charges nothing,
            and the team has had its refusals for this window.
        """
        self._found.team(team)
        while True:
            found = self._settled()
            name = found.team(team)
            with self.ledger.storage.writing() as transaction:
                if self._is_current(found, transaction):
                    earlier = None if before is None else before(transaction)
                    if earlier is not None:
                        return self._again(transaction, earlier, name)
                    now = self._present(transaction)
                    kind: Kind = "failed" if self.policy.failed == "look" else "refused"
                    refuse = refuse_unless_allowed if kind == "failed" else refuse_more_refusals
                    refuse(transaction, self.policy, found.name, name, now)
                    entry = self._record(transaction, found, kind, name, now, detail=reason)
                    if inside is not None:
                        inside(transaction, entry)
                    return None

    def note(
        self,
        what: str,
        *,
        by: str,
        inside: Callable[[Transaction], None] | None = None,
        pooled: tuple[str, str] | None = None,
    ) -> Entry:
        """Record what a host did, at no cost to anybody; return the entry.

        Parameters
        ----------
        what
            What was done.
        by
            A name for the host, which is no team's.
        inside
            Called first in the transaction, to do it; what it raises undoes all.
        pooled
            A team, and another one whose looks are from now on counted as its own, too: together
            they know what both were told. Nobody gets a look back.
        """
        while True:
            found = self._settled()
            with self.ledger.storage.writing() as transaction:
                if self._is_current(found, transaction):
                    if inside is not None:
                        inside(transaction)
                    now = self._present(transaction)
                    if pooled is not None:
                        team, other = (found.team(name) for name in pooled)
                        charge(transaction, found, team, other, now)
                    return self._record(
                        transaction, found, "host", found.team(by), now, detail=what
                    )

    def choose_final(
        self,
        receipt_id: str,
        *,
        team: str,
        inside: Callable[[Transaction, Entry], None] | None = None,
    ) -> Receipt:
        """Name one of the team's answered looks for the final result; costs no look.

        `inside` is called with the look in the transaction, as for `score`.

        Raises
        ------
        InvalidInput
            Not a look of this team on this data set, or the policy's choices are used up.
        """
        found = self._settled()
        name = found.team(team)
        with self.ledger.storage.writing() as transaction:
            now = self._present(transaction)
            if self._is_closed(transaction, found):
                raise InvalidInput("final choices must come before the end: the board is closed.")
            look = _find_look(transaction, receipt_id)
            if (
                look is None
                or look.data_set != found.name
                or spelling_key(look.team) != spelling_key(name)
            ):
                raise InvalidInput(
                    f"receipt_id must be a look of {name}, got {quoted(receipt_id)}."
                )
            if self.keeps and not look.prediction.startswith(KEPT_PREFIX):
                raise InvalidInput(
                    "receipt_id must be a look at the whole test set, got "
                    f"{quoted(receipt_id)}, a look at the public examples alone: its prediction "
                    "was not kept for the private ones."
                )
            chosen = transaction.choices(found.name, name)
            if receipt_id not in (choice.detail for choice in chosen):
                if len(chosen) >= self.policy.final_choices:
                    raise InvalidInput(
                        f"final choices must be at most {self.policy.final_choices}, "
                        f"got another one from {name}."
                    )
                self._record(
                    transaction,
                    found,
                    "choice",
                    name,
                    now,
                    prediction=look.prediction,
                    detail=receipt_id,
                )
            if inside is not None:
                inside(transaction, look)
            left = allowance(transaction, self.policy, found.name, name, now)
            return self._receipt(look, left, now, repeated=True)

    def allowance(self, *, team: str) -> tuple[int, datetime | None]:
        """Return how many looks a team has left, and when its next look is allowed, in UTC.

        No moment means now if there are looks left, and never if there are none.
        """
        found = self._seen()
        name = found.team(team)
        with self.ledger.storage.reading() as transaction:
            now = self._present(transaction)
            left = allowance(transaction, self.policy, found.name, name, now)
        return left.left, moment_ahead(left, now)

    def _find(self, ledger: Transaction) -> DataSet:
        return find(ledger, self._names, self._examples.labels, self.problem.n_classes)

    def _seen(self) -> DataSet:
        """Return the data set for a question alone, which does not open it."""
        if self._found.settled:
            return self._found
        with self.ledger.storage.reading() as transaction:
            found = self._find(transaction)
        return self._settled() if found.known else found

    def _settled(self) -> DataSet:
        """Return the data set when the ledger has all its names, recording what it has not."""
        found = self._found
        if not found.settled:
            with self.ledger.storage.writing() as transaction:
                now = self._present(transaction)
                hidden, n_classes = self._examples.labels, self.problem.n_classes
                found = settle(transaction, self._names, hidden, n_classes, now)
            # Only now is it durable.
            self._found = found
        return found

    def _is_current(self, found: DataSet, ledger: Transaction) -> bool:
        """Return whether nobody has joined the data set with another one in the meantime."""
        if ledger.opened(found.name) == found.opening:
            return True
        self._found = replace(found, settled=False)
        return False

    @property
    def kept_as(self) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """What the bytes of a kept prediction are read as: a dtype and a shape."""
        return self._examples.kept_as

    def as_given(self, named: Labels) -> Labels:
        """Return a kept prediction in the order in which the examples were given."""
        return self._examples.as_given(named)

    def _look(self, ledger: Transaction, look: PreparedLook) -> tuple[Entry, Receipt]:
        found, team, digest = look.found, look.team, look.digest
        now = self._present(ledger)
        earlier = ledger.answered(found.name, team, digest, self.rule)
        if earlier is not None:
            left = allowance(ledger, self.policy, found.name, team, now)
            return earlier, self._receipt(earlier, left, now, repeated=True)
        if self._is_closed(ledger, found):
            raise BudgetExhausted("the board is closed; no more looks are answered.")
        refuse_unless_allowed(ledger, self.policy, found.name, team, now)
        scope = self._scope(team)
        sealed = ledger.state(found.name, scope, self.rule)
        state = None if sealed is None else unseal(sealed, found.owner.key)
        left = allowance(ledger, self.policy, found.name, team, now, spending=1)
        answers, sealed = self._release(found, look.scored, state)
        self._answer_waiting(ledger, found, scope, answers[:-1], now)
        answer = answers[-1] if answers else None
        entry = self._record(
            ledger,
            found,
            "look",
            team,
            now,
            prediction=digest,
            released=None if answer is None else answer.as_text(),
            state=state_digest(sealed),
            scope=scope,
            detail="" if answer is None else self._note(answer),
        )
        ledger.put_state(StoredState(found.name, scope, self.rule, sealed))
        return entry, self._receipt(entry, left, now)

    def _again(self, ledger: Transaction, look: Entry, team: str) -> Receipt:
        """Return the receipt of a look from the record, with the answer that came later.

        The allowance is that of `team`, which may be one that the look's own went on in.
        """
        newest = ledger.answered(look.data_set, look.team, look.prediction, look.rule) or look
        now = self._present(ledger)
        left = allowance(ledger, self.policy, look.data_set, team, now)
        return self._receipt(newest, left, now, repeated=True)

    def _receipt(
        self, entry: Entry, left: Allowance, now: Microseconds, *, repeated: bool = False
    ) -> Receipt:
        look = self._shown.look
        if entry.rule != self.rule:  # a final choice of a look under an earlier policy
            look = recorded_look(entry.rule)
        return receipt_for(entry, look, left, now, part=self.part, repeated=repeated)

    def _note(self, answer: Answer) -> str:
        return answer.note(speaks=self.policy.mechanism.speaks)

    def _is_closed(self, ledger: Transaction, found: DataSet) -> bool:
        """Return whether the private part was scored, so that further looks decide nothing."""
        return self.keeps and ledger.state(found.name, "", CLOSED_RULE) is not None

    def _scope(self, team: str) -> str:
        return team if self.policy.memory == "team" else ""

    def _wanted(self, found: DataSet, team: str, digest: str) -> list[Question]:
        """Return what a look asks of the ledger before it writes."""
        data_set, rule = found.name, self.rule
        return [
            ("head", ()),
            ("opened", (data_set,)),
            ("answered", (data_set, team, digest, rule)),
            ("past", (data_set, team)),
            ("data_set_looks", (data_set,)),
            ("state", (data_set, self._scope(team), rule)),
            *([("state", (data_set, "", CLOSED_RULE))] if self.keeps else ()),
        ]

    def _answer_waiting(
        self,
        ledger: Transaction,
        found: DataSet,
        scope: str,
        answers: Sequence[Answer],
        now: Microseconds,
    ) -> None:
        """Record what a full batch tells about its earlier looks; their teams ask again, free."""
        waiting = ledger.waiting(found.name, scope, self.rule, len(answers))
        for look, answer in zip(waiting, answers, strict=True):
            self._record(
                ledger,
                found,
                "answer",
                look.team,
                now,
                prediction=look.prediction,
                released=answer.as_text(),
                scope=scope,
                detail=f"{look.receipt_id} {self._note(answer)}".strip(),
            )

    def _release(
        self, found: DataSet, query: Labels, state: State | None
    ) -> tuple[list[Answer], bytes]:
        """Return what is released and the sealed state after it; the exact score ends here.

        A look in a batch that is not full has no answer; one that fills it has the whole batch's.
        """
        # A fresh seed from the system for each look: nothing stored tells the noise.
        rng = np.random.default_rng(secrets.randbits(128))
        failure: Exception
        try:
            answers, state = self._shown.release(
                found.labels, found.order, query, state, self._remembered, rng
            )
            return answers, seal(state, found.owner.key)
        except BudgetExhausted:
            failure = BudgetExhausted(f"the rule {self.policy.release} answers no more looks.")
        except Exception as error:
            # Its message and its frames may hold the exact score, so neither goes on.
            failure = ReleaseFailed(
                f"the rule {self.policy.release} failed with {type(error).__name__}; "
                "nothing was released or counted."
            )
        raise failure

    def _present(self, ledger: Transaction) -> Microseconds:
        """Return the time of this look: never before the last entry, so no window reopens."""
        return max(self._now(), ledger.head().time)

    def _record(
        self,
        ledger: Transaction,
        found: DataSet,
        kind: Kind,
        team: str,
        now: Microseconds,
        *,
        prediction: str = "",
        released: str | None = None,
        state: str = "",
        scope: str = "",
        detail: str = "",
    ) -> Entry:
        return record(
            ledger,
            found.owner,
            kind,
            team,
            now,
            prediction=prediction,
            rule=self.rule,
            policy=self.policy.digest,
            released=released,
            state=state,
            scope=scope,
            detail=detail,
        )


def _find_look(ledger: Transaction, receipt_id: str) -> Entry | None:
    number = receipt_id.partition("-")[0]
    entry = ledger.entry(int(number)) if number.isdecimal() and len(number) < 19 else None
    return entry if entry and entry.receipt_id == receipt_id and entry.kind == "look" else None
