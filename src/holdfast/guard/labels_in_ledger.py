"""A guard's labels in its ledger: known under their names, opened with the first look."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.guard.data_set import DataSet, find, settle
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.ledger.chain import Ledger
from holdfast.ledger.moments import Microseconds
from holdfast.ledger.storage import Transaction

__all__ = ["LabelsInLedger"]


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
