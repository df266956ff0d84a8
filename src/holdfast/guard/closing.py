"""Closing of a board: one scoring of the private part, from the predictions that were kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, LedgerError
from holdfast.guard.data_set import DataSet, settle
from holdfast.guard.finals import Finals, finals_of, ranked
from holdfast.guard.guard import CLOSED_RULE, Guard
from holdfast.guard.guarded import GuardedSolution
from holdfast.guard.hidden_examples import as_given
from holdfast.guard.label_set import LabelSet
from holdfast.guard.parts import PRIVATE, rows_of_parts
from holdfast.labels import Labels
from holdfast.ledger.chain import record, state_digest
from holdfast.ledger.entry import Entry
from holdfast.ledger.sealing import KEPT_PREFIX, seal, unpacked, unseal
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import StoredState
from holdfast.metrics.display import Display
from holdfast.metrics.one_submission import read_of
from holdfast.quoting import quoted
from holdfast.rules import look_text

__all__ = ["close"]


def close(host: GuardedSolution[Any]) -> Finals:
    """Score each team's final submissions on the private part, record that, and rank the teams.

    The private part is a data set of its own: every final score is a look at it, under the rule
    "exact". All of them and the closing are recorded in one transaction. A board that was closed
    before is answered from the record.

    Parameters
    ----------
    host
        The board: looks are scored on its public part.

    Raises
    ------
    InvalidInput
        There is no private part that waits for the end, the policy says that other rows decide, or
        nobody has looked.
    LedgerError
        A prediction is missing or was edited; nothing was scored.
    """
    guard = host.guard
    if guard.policy.final not in (None, PRIVATE):
        raise InvalidInput(
            f"final must be {quoted(PRIVATE)} for a board to be closed, got "
            f"{quoted(guard.policy.final)} in the policy: closing ranks by the private part."
        )
    if not guard.keeps:
        raise InvalidInput(
            "labels must have a private part, and looks be scored on the public part, for a board "
            f"to be closed; got looks at the part {guard.part}."
        )
    closer = _Closer(host)
    public = guard._in_ledger.settled()
    with guard.ledger.storage.writing() as transaction:
        return closer.run(transaction, public)


class _Closer:
    """One closing: the whole test set, and the private part's names, which take time to make."""

    def __init__(self, host: GuardedSolution[Any]) -> None:
        self._guard: Guard = host.guard
        truth = host.truth
        self._rows = rows_of_parts(truth)[PRIVATE]
        self._labels: Labels = truth.labels[self._rows]
        # The metric that ranks, of all private examples: nothing else decides.
        self._display = Display(self._guard.policy.display.metric)
        self._truth = self._display.metric.truth(self._labels)
        ids = None if truth.ids is None else truth.ids[self._rows]
        salt, n_classes = self._guard.ledger.salt(), self._guard.problem.n_classes
        self._private = LabelSet(self._labels, n_classes, ids, salt, told_by_ids=True)

    def run(self, ledger: Transaction, public: DataSet) -> Finals:
        """Return the ranking, from the record if there is one."""
        sealed = ledger.state(public.name, "", CLOSED_RULE)
        if sealed is not None:
            return Finals.from_data(unseal(sealed, public.owner.key))
        entries = (entry for entry in ledger.entries() if _may_decide(entry, public.name))
        candidates = [each for team in finals_of(entries).values() for each in team]
        if not candidates:
            raise InvalidInput(
                "a board must have been looked at to be closed; there is no look at a whole "
                "test set with a private part."
            )
        scored = [(each, self._score(ledger, public, each.look)) for each in candidates]
        results = ranked(
            ((each, score) for each, score in scored if score is not None),
            higher_is_better=self._guard.policy.display.metric.higher_is_better,
        )
        finals = Finals(len(self._labels), results, metric=str(self._display.metric))
        for each, score in scored:
            self._record_look(ledger, each.look, score)
        self._record_closing(ledger, public, finals)
        return finals

    def _score(self, ledger: Transaction, public: DataSet, look: Entry) -> float | None:
        """Return the exact score of a look's prediction on the private part.

        None: a metric that is not the package's own has no value for it.
        """
        sealed = ledger.prediction(look.data_set, look.prediction)
        if sealed is None:
            raise LedgerError(
                f"the prediction of look {look.receipt_id} of {look.team} is not in the ledger; "
                "let the team send it again, which costs nothing. Nothing was scored."
            )
        dtype, shape = self._guard.kept_as
        prediction = unpacked(sealed, public.owner.key, look.prediction, dtype, shape)
        metric = self._display.metric
        whole = as_given(prediction, public.whole)[self._rows]
        predicted = read_of(whole, self._guard.policy.display.taker, metric)
        if self._display.plain:
            return float(np.mean(predicted == self._labels))
        try:
            score = float(metric.within(metric.value(self._truth, predicted)))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or not metric.may_fail:
                raise
            return None  # as in a look: one submission must not keep a board open
        return score if math.isfinite(score) else None

    def _record_look(self, ledger: Transaction, look: Entry, score: float | None) -> None:
        now = self._guard._in_ledger.present(ledger)
        private = settle(ledger, self._private, now)
        record(
            ledger,
            private.owner,
            "failed" if score is None else "look",
            look.team,
            now,
            prediction=look.prediction.removeprefix(KEPT_PREFIX),
            rule=look_text("exact", self._display, [len(self._labels)]),
            policy=self._guard.policy.digest,
            released=None if score is None else repr(score),
            scope=look.team,
            detail=look.receipt_id,
        )

    def _record_closing(self, ledger: Transaction, public: DataSet, finals: Finals) -> None:
        sealed = seal(finals.as_data(), public.owner.key)
        record(
            ledger,
            public.owner,
            "closed",
            "",
            self._guard._in_ledger.present(ledger),
            rule=CLOSED_RULE,
            policy=self._guard.policy.digest,
            state=state_digest(sealed),
            # The newest entry about no team says what the data set is, as the first one did.
            detail=public.opening,
        )
        ledger.put_state(StoredState(public.name, "", CLOSED_RULE, sealed))


def _may_decide(entry: Entry, data_set: str) -> bool:
    """Tell whether an entry is about a data set, and not a look that left no prediction.

    The public rows may have been scored alone, before there was a private part or beside it.
    """
    kept = entry.kind != "look" or entry.prediction.startswith(KEPT_PREFIX)
    return entry.data_set == data_set and kept
