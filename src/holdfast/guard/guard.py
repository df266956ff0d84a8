"""Scoring behind a ledger: one transaction per look."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.errors import (
    BudgetExhausted,
    InvalidInput,
    InvalidQuery,
    LedgerError,
    ReleaseFailed,
)
from holdfast.guard.answered_look import CLOSED_RULE, LookAnswerer, PreparedLook
from holdfast.guard.budget import (
    allowance,
    refuse_more_refusals,
    refuse_unless_allowed,
    refuse_unless_two_allowed,
)
from holdfast.guard.data_set import LabelsInLedger, charge
from holdfast.guard.finals import is_new_choice, look_to_choose
from holdfast.guard.hidden_examples import HiddenExamples, as_given
from holdfast.guard.parts import ALL, Part
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import NOT_OWN, Receipt, moment_ahead, refusal
from holdfast.guard.shown_numbers import ShownNumbers
from holdfast.guard.team import team_key
from holdfast.labels import Labels
from holdfast.ledger.chain import Ledger
from holdfast.ledger.entry import Entry, Kind
from holdfast.ledger.moments import Microseconds, clock
from holdfast.ledger.sealing import digest_of, kept_name, packed, unpacked
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import Question
from holdfast.metrics import Metric
from holdfast.problem import Problem

__all__ = ["CLOSED_RULE", "Guard", "PreparedLook"]


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
    tasks
        The range of an outcome, where examples are tasks and nobody guesses their labels, which
        the ledger then says; see `OutcomeGuard`.
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
        tasks: tuple[float, float] | None = None,
        picklable: bool = False,
        now: Callable[[], Microseconds] = clock,
    ) -> None:
        policy = policy if isinstance(policy, Policy) else Policy.read(Path(policy))
        if metric is not None:
            policy = replace(policy, metric=metric)
        if breakdown is not None:
            policy = replace(policy, breakdown=breakdown)
        self.policy = policy
        self._examples = HiddenExamples(
            labels, n_classes, ids, part, policy.display, groups, tasks=tasks
        )
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
        self._picklable = picklable
        self._cautions = [NOT_OWN]
        self._in_ledger = LabelsInLedger(self.ledger, self._examples, now)
        self._answerer = LookAnswerer(
            policy, self._shown, self._in_ledger, self.problem, self.part, keeps=self.keeps
        )

    def under(self, policy: Policy) -> Guard:
        """Return a guard over the same examples in the same ledger that keeps no predictions.

        Its policy has a metric of the host's own, of one number for each example.
        """
        other = object.__new__(Guard)
        vars(other).update(vars(self))
        other.policy, other.keeps = policy, False
        other._examples = self._examples.showing(policy.display)
        other._shown = ShownNumbers(policy, other._examples)
        other._answerer = LookAnswerer(
            policy, other._shown, self._in_ledger, self.problem, self.part, keeps=False
        )
        return other

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
        return self._in_ledger.found.name

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
        ReleaseFailed
            A metric of one's own has no value for the prediction. That is an answer: it is
            recorded, and costs a look.
        LedgerError
            The ledger can't be written; nothing was released.
        """
        receipt = self._score(prediction, team, before, inside, ahead)
        if receipt.failed:
            raise ReleaseFailed(
                f"{self._shown.display} has no value for this prediction; that is recorded as look "
                f"{receipt.receipt_id}, and {receipt.looks_left} are left."
            )
        return receipt

    def try_score(self, prediction: object, *, team: str) -> Receipt:
        """Answer one look like `score`; a refusal is a receipt that says so, and no exception.

        `refused` is why there is no answer, with `looks_left` and `next_allowed_at` beside it. A
        metric without a value for the prediction is `failed`. A ledger that can't be written
        raises, since no loop should go on then.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy = Policy("exact", looks_per_team=1)
        ...     guard = Guard([0, 1, 1, 0], policy, folder + "/ledger.db", create=True)
        ...     for guess in ([0, 1, 0, 0], [0, 1], [1, 1, 1, 1]):
        ...         receipt = guard.try_score(guess, team="blue")
        ...         print(receipt.score, "|", receipt.refused or "-")
        0.75 | -
        None | prediction must have length 4, got 2.
        None | all looks of blue on this data set are used up.
        """
        try:
            return self._score(prediction, team)
        except (BudgetExhausted, InvalidQuery) as error:
            return refusal(error, self.allowance(team=team))

    def _score(
        self,
        prediction: object,
        team: str,
        before: Callable[[Transaction], Entry | None] | None = None,
        inside: Callable[[Transaction, Entry, Receipt], None] | None = None,
        ahead: Sequence[Question] = (),
    ) -> Receipt:
        look = self._prepared(prediction, team)
        with self.ledger.storage.writing([*look.wanted, *ahead]) as transaction:
            receipt = self.take(transaction, look, before=before, inside=inside)
        return replace(receipt, cautions=self._cautions)

    def _prepared(self, prediction: object, team: str) -> PreparedLook:
        """Return a prediction ready for its transaction, or record why it can't be scored."""
        team_key(team)  # a name that can't be one is nobody's look
        query, reason = self.checked(prediction)
        if query is None:
            self.refuse(reason, team=team)
            raise InvalidQuery(reason)
        return self.prepare(query, team=team)

    def score_pair(
        self, first: object, second: object, *, team: str, note: str
    ) -> tuple[Receipt, Receipt | None]:
        """Answer two looks in one transaction, the second if the first told its own score.

        Where neither was answered before, an entry with this note stands before them: then the
        second does not depend on the answer to the first.

        Raises
        ------
        BudgetExhausted
            The policy does not allow as many looks as this takes now: nothing was looked at. Or
            the rule answers no second one, which may depend on what it told of the first: that one
            is recorded.
        """
        looks = [self._prepared(each, team) for each in (first, second)]
        wanted = [question for look in looks for question in look.wanted]
        with self.ledger.storage.writing(wanted) as transaction:
            found, name = looks[0].found, looks[0].team
            if not any(
                transaction.answered(found.name, name, look.digest, self.rule) for look in looks
            ):
                self._answerer.refuse_if_closed(transaction, found)
                now = self._in_ledger.present(transaction)
                if looks[0].digest != looks[1].digest:
                    refuse_unless_two_allowed(transaction, self.policy, found.name, name, now)
                self._answerer.record(transaction, found, "host", name, now, detail=note)
            receipt = self.take(transaction, looks[0])
            if not receipt.own:
                return receipt, None
            try:
                return receipt, self.take(transaction, looks[1])
            except BudgetExhausted as refusal:  # it has written nothing
                refused = refusal
        raise refused

    def checked(self, prediction: object) -> tuple[Labels | None, str]:
        """Return a prediction as the metrics take it, or why it can't be scored."""
        return self._examples.checked(prediction)

    def prepare(self, query: Labels, *, team: str) -> PreparedLook:
        """Return all of a look that can be done before its transaction: others wait for that.

        `query` is a prediction that was `checked`; labels that `GuardedSolution.attempt` returns
        are.
        """
        found = self._in_ledger.settled()
        name = team_key(team)
        scored = found.in_order(self._examples.scored(query))
        named = self._examples.named(query, scored, found.whole)
        digest = kept_name(named) if self.keeps else digest_of(named)
        kept = packed(named, found.owner.key) if self.keeps else None
        wanted = self._answerer.wanted(found, name, digest)
        return PreparedLook(found, name, scored, digest, kept, wanted)

    def take(
        self,
        transaction: Transaction,
        look: PreparedLook,
        *,
        before: Callable[[Transaction], Entry | None] | None = None,
        inside: Callable[[Transaction, Entry, Receipt], None] | None = None,
    ) -> Receipt:
        """Answer a look that was prepared; `score` in an open transaction of this guard's ledger.

        Several looks may be answered in one transaction. Nothing may be told of any of them before
        the commit. A receipt that says `failed` is an answer, too, and was paid for.
        """
        earlier = None if before is None else before(transaction)
        if earlier is not None:
            return self._answerer.again(transaction, earlier, look.team)
        entry, receipt = self._answerer.answer(transaction, look)
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
        name = team_key(team)
        with self.ledger.storage.reading() as transaction:
            found, now = self._in_ledger.seen(transaction), self._in_ledger.present(transaction)
            refuse_more_refusals(transaction, self.policy, found.name, name, now)

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
            The board is closed; or the policy charges a look, and the team has none to pay with; or
            it charges nothing, and the team has had its refusals for this window.
        """
        name = team_key(team)
        found = self._in_ledger.settled()
        with self.ledger.storage.writing() as transaction:
            earlier = None if before is None else before(transaction)
            if earlier is not None:
                return self._answerer.again(transaction, earlier, name)
            self._answerer.refuse_if_closed(transaction, found)
            now = self._in_ledger.present(transaction)
            kind: Kind = "failed" if self.policy.failed == "look" else "refused"
            refuse = refuse_unless_allowed if kind == "failed" else refuse_more_refusals
            refuse(transaction, self.policy, found.name, name, now)
            entry = self._answerer.record(transaction, found, kind, name, now, detail=reason)
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
        host = team_key(by)
        found = self._in_ledger.settled()
        with self.ledger.storage.writing() as transaction:
            if inside is not None:
                inside(transaction)
            now = self._in_ledger.present(transaction)
            if pooled is not None:
                team, other = map(team_key, pooled)
                charge(transaction, found, team, other, now)
            return self._answerer.record(transaction, found, "host", host, now, detail=what)

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
        name = team_key(team)
        found = self._in_ledger.settled()
        with self.ledger.storage.writing() as transaction:
            now = self._in_ledger.present(transaction)
            if self._answerer.is_closed(transaction, found):
                raise InvalidInput("final choices must come before the end: the board is closed.")
            look = look_to_choose(transaction, found, name, receipt_id, keeps=self.keeps)
            at_most = self.policy.final_choices
            if is_new_choice(transaction, found, name, receipt_id, at_most=at_most):
                self._answerer.record(
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
            return self._answerer.receipt(look, left, now, repeated=True)

    def allowance(self, *, team: str) -> tuple[int, datetime | None]:
        """Return how many looks a team has left, and when its next look is allowed, in UTC.

        No moment means now if there are looks left, and never if there are none.
        """
        name = team_key(team)
        with self.ledger.storage.reading() as transaction:
            found, now = self._in_ledger.seen(transaction), self._in_ledger.present(transaction)
            left = allowance(transaction, self.policy, found.name, name, now)
        return left.left, moment_ahead(left, now)

    @property
    def kept_as(self) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """What the bytes of a kept prediction are read as: a dtype and a shape."""
        return self._examples.kept_as

    def as_given(self, named: Labels) -> Labels:
        """Return a kept prediction in the order in which the examples were given."""
        return as_given(named, self._in_ledger.found.whole)

    def kept_prediction(self, ledger: Transaction, look: Entry) -> Labels:
        """Return the prediction of a look as it was given, or raise if the ledger has it not."""
        sealed = ledger.prediction(look.data_set, look.prediction)
        if sealed is None:
            raise LedgerError(f"the prediction of look {look.receipt_id} is not in the ledger.")
        key = self._in_ledger.settled().owner.key
        return self.as_given(unpacked(sealed, key, look.prediction, *self.kept_as))
