"""One look in its transaction: allowed, scored, released under the rule, recorded."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.errors import BudgetExhausted
from holdfast.guard.budget import Allowance, allowance, memory_budget, refuse_unless_allowed
from holdfast.guard.data_set import DataSet, LabelsInLedger
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Answer, Receipt, receipt_for
from holdfast.guard.shown_numbers import ShownNumbers
from holdfast.labels import Labels
from holdfast.ledger.chain import record, state_digest
from holdfast.ledger.entry import Entry, Kind
from holdfast.ledger.moments import Microseconds
from holdfast.ledger.sealing import seal, unseal
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import Question, StoredState
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules import recorded_look

__all__ = ["CLOSED_RULE", "LookAnswerer", "PreparedLook"]

# What an entry says of a look that a metric has no value for.
NO_VALUE = "no value"
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


class LookAnswerer:
    """Answers looks of one policy, each inside a transaction that somebody else commits.

    The order of the steps is what the guard's promise rests on. A prediction that was answered
    before is answered from the record, and the rule is not asked again: averaging repeated answers
    would take its noise away. Then come the refusals, before anything is computed. Only then does
    the exact score exist, inside `_release`, and nothing but the released numbers and a sealed
    state leaves that method; or that there are none, since a metric failed, which is an answer like
    any other and costs a look. Entry and state are written to the same transaction: after a crash
    there are both or neither.

    Parameters
    ----------
    policy
        What is released, and how often.
    shown
        What releases the numbers.
    in_ledger
        The labels in the ledger, and the time.
    problem
        The sizes of the data set; their queries are replaced by what one memory of the rule can be
        asked: a team's looks, or everyone's.
    part, keeps
        The name of the scored examples, and whether predictions are kept for the private ones.
    """

    def __init__(
        self,
        policy: Policy,
        shown: ShownNumbers,
        in_ledger: LabelsInLedger,
        problem: Problem,
        part: str,
        *,
        keeps: bool,
    ) -> None:
        self._policy, self._shown, self._in_ledger = policy, shown, in_ledger
        self._part, self._keeps = part, keeps
        self._remembered = problem._replace(n_queries=memory_budget(policy))

    def answer(self, ledger: Transaction, look: PreparedLook) -> tuple[Entry, Receipt]:
        """Return the entry and the receipt of a look, new or from the record; or refuse it."""
        found, team, digest, rule = look.found, look.team, look.digest, self._shown.text
        now = self._in_ledger.present(ledger)
        earlier = ledger.answered(found.name, team, digest, rule)
        if earlier is not None:
            left = allowance(ledger, self._policy, found.name, team, now)
            return earlier, self.receipt(earlier, left, now, repeated=True)
        self.refuse_if_closed(ledger, found)
        refuse_unless_allowed(ledger, self._policy, found.name, team, now)
        scope = self._scope(team)
        before = ledger.state(found.name, scope, rule)
        state = None if before is None else unseal(before, found.owner.key)
        left = allowance(ledger, self._policy, found.name, team, now, spending=1)
        released = self._release(found, look.scored, state)
        if released is None:
            entry = self.record(
                ledger, found, "failed", team, now, prediction=digest, scope=scope, detail=NO_VALUE
            )
            return entry, self.receipt(entry, left, now)
        answers, sealed = released
        # The state of a rule that keeps none is the same for ever. Others are sealed afresh, or
        # equal bytes would tell that nothing changed.
        if before is not None and not self._policy.mechanism.keeps_state:
            sealed = before
        self._answer_waiting(ledger, found, scope, answers[:-1], now)
        answer = answers[-1] if answers else None
        entry = self.record(
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
        if sealed != before:
            ledger.put_state(StoredState(found.name, scope, rule, sealed))
        return entry, self.receipt(entry, left, now)

    def again(self, ledger: Transaction, look: Entry, team: str) -> Receipt:
        """Return the receipt of a look from the record, with the answer that came later.

        The allowance is that of `team`, which may be one that the look's own went on in.
        """
        newest = ledger.answered(look.data_set, look.team, look.prediction, look.rule) or look
        now = self._in_ledger.present(ledger)
        left = allowance(ledger, self._policy, look.data_set, team, now)
        return self.receipt(newest, left, now, repeated=True)

    def receipt(
        self, entry: Entry, left: Allowance, now: Microseconds, *, repeated: bool = False
    ) -> Receipt:
        """Return what a team is told of an entry."""
        look = self._shown.look
        if entry.rule != self._shown.text:  # a final choice of a look under an earlier policy
            look = recorded_look(entry.rule)
        return receipt_for(entry, look, left, now, part=self._part, repeated=repeated)

    def refuse_if_closed(self, ledger: Transaction, found: DataSet) -> None:
        """Raise `BudgetExhausted` if no submission counts any more, not even as a refusal."""
        if self.is_closed(ledger, found):
            raise BudgetExhausted("the board is closed; no more looks are answered.")

    def is_closed(self, ledger: Transaction, found: DataSet) -> bool:
        """Return whether the private part was scored, so that further looks decide nothing."""
        return self._keeps and ledger.state(found.name, "", CLOSED_RULE) is not None

    def wanted(self, found: DataSet, team: str, digest: str) -> list[Question]:
        """Return what a look asks of the ledger before it writes."""
        data_set, rule = found.name, self._shown.text
        return [
            ("head", ()),
            ("answered", (data_set, team, digest, rule)),
            ("past", (data_set, team)),
            ("data_set_looks", (data_set,)),
            ("state", (data_set, self._scope(team), rule)),
            *([("state", (data_set, "", CLOSED_RULE))] if self._keeps else ()),
        ]

    def record(
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
        """Append an entry under this policy and rule; return it."""
        return record(
            ledger,
            found.owner,
            kind,
            team,
            now,
            prediction=prediction,
            rule=self._shown.text,
            policy=self._policy.digest,
            released=released,
            state=state,
            scope=scope,
            detail=detail,
        )

    def _note(self, answer: Answer) -> str:
        return answer.note(speaks=self._policy.mechanism.speaks)

    def _scope(self, team: str) -> str:
        return team if self._policy.memory == "team" else ""

    def _answer_waiting(
        self,
        ledger: Transaction,
        found: DataSet,
        scope: str,
        answers: Sequence[Answer],
        now: Microseconds,
    ) -> None:
        """Record what a full batch tells about its earlier looks; their teams ask again, free."""
        waiting = ledger.waiting(found.name, scope, self._shown.text, len(answers))
        for look, answer in zip(waiting, answers, strict=True):
            self.record(
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
    ) -> tuple[list[Answer], bytes] | None:
        """Return what is released and the sealed state after it; the exact score ends here.

        A look in a batch that is not full has no answer; one that fills it has the whole batch's.
        None: there is no value to release. Which failure it was, and what it says, may depend on
        the labels and so goes no further: all failures are one and the same answer.
        """
        # A fresh seed from the system for each look: nothing stored tells the noise.
        rng = np.random.default_rng(secrets.randbits(128))
        try:
            answers, state = self._shown.release(
                found.labels, found.order, query, state, self._remembered, rng
            )
            return answers, seal(state, found.owner.key)
        except BudgetExhausted:
            pass
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None
        raise BudgetExhausted(f"the rule {self._policy.release} answers no more looks.")
