"""Label sets as a ledger knows them: one data set, one canonical order, every name an alias of it.

A label set has two fingerprints: of its (id, label) pairs sorted by id, and of its labels in the
order of the file. The one that is met first names the data set and fixes its canonical order: that
of the ids if there are ids, else that of the file. The other is recorded at the opening as an alias
of it, so that neither another order nor missing ids renew a budget. Everything that a ledger keeps
about examples, a rule's state or a prediction, is in the canonical order. Labels that the ledger
knows, and that can't be brought to that order, are refused. A guard's labels are known under
their names when it is made, and opened with its first look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.errors import InvalidInput, LedgerError
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.label_set import LabelSet, Order
from holdfast.labels import Labels
from holdfast.ledger.chain import Ledger, data_set_detail, record
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import Microseconds
from holdfast.ledger.sealing import Fingerprint
from holdfast.ledger.storage import Transaction

__all__ = ["DataSet", "LabelsInLedger", "charge", "find", "settle"]


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """What a ledger has recorded about a label set, or will.

    Attributes
    ----------
    owner
        The name under which its looks are recorded, and the key.
    labels
        The labels in the canonical order.
    order
        Where each of them stands among the given examples.
    whole
        The same for the whole test set, of which they are a part.
    opening
        What the newest entry about the data set itself says, or will say.
    known
        Whether the ledger has it.
    settled
        Whether the ledger has all its names, so that nothing is to be recorded before a look.
    """

    owner: Fingerprint
    labels: Labels
    order: Order
    whole: Order
    opening: str
    known: bool
    settled: bool

    @property
    def name(self) -> str:
        """The data set's name in the ledger."""
        return self.owner.data_set

    def in_order(self, query: Labels) -> Labels:
        """Return predictions for the given examples in the canonical order."""
        return query if self.order is None else query[self.order]


def find(ledger: Transaction, labels: LabelSet) -> DataSet:
    """Return the data set that these labels are, or that their first name will open.

    Raises
    ------
    InvalidInput
        The ledger knows the labels, in an order to which they can't be brought.
    """
    homes = {name.owner.data_set: _home(ledger, name.owner.data_set) for name in labels.names}
    telling = [name for name in labels.names if name.by_id or not labels.told_by_ids]
    known = {home for name in telling if (home := homes[name.owner.data_set]) is not None}
    if len(known) > 1:
        raise InvalidInput(
            "labels must be one data set of the ledger, got two, with a budget each: these rows "
            "have been looked at without ids, and by id in another order. Leave the ids out to go "
            "on with the one, or sort the rows by id to go on with the other."
        )
    here = labels.names[0]
    if known:
        there = [name for name in labels.names if name.owner.data_set in known]
        if not there:
            raise InvalidInput(_out_of_order(labels, homes))
        here = there[0]
    wanted = labels.opening(here)
    recorded = data_set_detail(ledger, here.owner.data_set) or {}
    agrees = all(recorded.get(key) == value for key, value in wanted.items())
    new = [name for name in labels.names if not name.former and homes[name.owner.data_set] is None]
    return DataSet(
        owner=replace(here.owner, coding=str(wanted["coding"])),
        labels=labels.labels if here.order is None else labels.labels[here.order],
        order=here.order,
        whole=here.whole,
        opening=json.dumps({**recorded, **wanted}),
        known=bool(known),
        settled=bool(known) and agrees and not new,
    )


def settle(ledger: Transaction, labels: LabelSet, now: Microseconds) -> DataSet:
    """Record whatever the ledger does not know about a label set yet, and return its data set.

    Raises
    ------
    InvalidInput
        The ledger knows the labels under another number of classes, other class numbers, or in
        other rows of the whole test set.
    """
    found = find(ledger, labels)
    if found.settled:
        return found
    recorded = data_set_detail(ledger, found.name)
    if recorded is not None:
        _check_opening(recorded, json.loads(found.opening))
    if recorded is None or recorded != json.loads(found.opening):
        record(ledger, found.owner, "opened", "", now, detail=found.opening)
    alias = json.dumps({"linked_to": found.name})
    for name in labels.names:
        if not name.former and _home(ledger, name.owner.data_set) is None:
            record(ledger, name.owner, "linked", "", now, detail=alias)
    return replace(found, known=True, settled=True)


def charge(ledger: Transaction, found: DataSet, team: str, other: str, now: Microseconds) -> int:
    """Count another team's looks as a team's own, since it now knows what they told."""
    counted = 0
    for entry in ledger.spent_by(found.name, other):
        look: Entry | None = entry
        if entry.kind == "charged":  # the look itself, which was paid for
            look = ledger.entry(int(entry.detail.partition("-")[0]))
        if look is not None and look.team != team:
            record(
                ledger,
                found.owner,
                "charged",
                team,
                now,
                prediction=look.prediction,
                rule=look.rule,
                policy=look.policy,
                released=look.released,
                scope=look.scope,
                detail=look.receipt_id,
            )
            counted += 1
    return counted


def _home(ledger: Transaction, name: str) -> str | None:
    """Return the data set that a name is an alias of, or is; None: the ledger does not know it."""
    passed: set[str] = set()
    while True:
        detail = data_set_detail(ledger, name)
        if detail is None and not passed:
            return None
        passed.add(name)
        if detail is not None and "linked_to" not in detail:
            return name
        name = str((detail or {}).get("linked_to"))
        if name in passed or detail is None:
            raise LedgerError("a data set's alias in the ledger was edited; nothing was released.")


def _out_of_order(labels: LabelSet, homes: Mapping[str, str | None]) -> str:
    """Return why labels that the ledger knows can't be scored, and what helps."""
    by_id = [name for name in labels.names if name.by_id]
    if any(homes[name.owner.data_set] is not None for name in by_id):
        return (
            "labels must have their rows in the order in which the ledger first knew them, since "
            "they had no ids then; put the rows back in that order."
        )
    if by_id:
        return (
            "labels must have the ids under which the ledger knows the same labels, row for row; "
            "put them back, or use another ledger if these are other rows."
        )
    numbers = " Numbers must be written as they were first: -0.0 was not 0.0 then."
    return (
        "labels must come with their ids, by which the ledger knows these labels; name the id "
        "column, or add it."
    ) + (numbers if labels.labels.dtype.kind == "f" else "")


def _check_opening(recorded: dict[str, Any], wanted: dict[str, Any]) -> None:
    if recorded.get("n_classes") != wanted["n_classes"]:
        raise InvalidInput(
            f"n_classes must be {recorded.get('n_classes')}, as recorded for this data set, "
            f"got {wanted['n_classes']}."
        )
    if recorded.get("coding") != wanted["coding"]:
        raise InvalidInput(
            "labels must number the classes as they did at the first look: these are the "
            "same examples under other class numbers."
        )
    if recorded.get("rows", wanted.get("rows")) != wanted.get("rows"):
        raise InvalidInput(
            "labels must have their public rows in the same places of the whole test set as at the "
            "first look, from which predictions are kept; put the other rows back as they were."
        )


class LabelsInLedger:
    """The data set that a ledger knows a guard's labels as.

    The labels are looked up when the guard is made, and recorded when somebody first asks for more
    than the number of looks left: a guard that nobody uses leaves no trace. Once all their names
    are recorded nothing changes them any more, so whoever writes asks `settled` first and needs no
    second look.

    Parameters
    ----------
    ledger
        Where the data set is recorded.
    examples
        The labels and ids.
    now
        The clock, in microseconds of UTC.

    Attributes
    ----------
    labels
        The labels, with every name that they can have in this ledger.
    found
        What the ledger had about them when it was last asked.
    """

    def __init__(
        self, ledger: Ledger, examples: HiddenExamples, now: Callable[[], Microseconds]
    ) -> None:
        self._ledger, self._now = ledger, now
        self.labels = examples.label_set(ledger.salt())
        with self._ledger.storage.reading() as transaction:
            self.found = find(transaction, self.labels)

    def seen(self, transaction: Transaction) -> DataSet:
        """Return the data set for a question alone, which does not open it."""
        return self.found if self.found.settled else find(transaction, self.labels)

    def settled(self) -> DataSet:
        """Return the data set when the ledger has all its names, recording what it has not."""
        found = self.found
        if not found.settled:
            with self._ledger.storage.writing() as transaction:
                found = settle(transaction, self.labels, self.present(transaction))
            # Only now is it durable.
            self.found = found
        return found

    def present(self, transaction: Transaction) -> Microseconds:
        """Return the time of this look: never before the last entry, so no window reopens."""
        return max(self._now(), transaction.head().time)
