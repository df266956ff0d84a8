"""A guard's labels in its ledger: known under their names, opened with the first look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdfast.guard.data_set import DataSet, find, names_of, settle
from holdfast.guard.hidden_examples import HiddenExamples
from holdfast.guard.ledger import Ledger
from holdfast.guard.storage import Transaction
from holdfast.guard.windows import Microseconds

__all__ = ["LabelsInLedger"]


class LabelsInLedger:
    """The data set that a ledger knows a guard's labels as, now.

    The labels are looked up when the guard is made, and recorded when somebody first asks for more
    than the number of looks left: a guard that nobody uses leaves no trace. Another guard may join
    the data set with another one in the meantime, by bringing the same labels with ids. So whoever
    writes asks `settled` before the transaction and `is_current` inside it, and begins again if the
    answer is no: looks of one data set would otherwise stand under two names, with two budgets.

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
    names
        Every name that the labels can have in this ledger.
    found
        What the ledger had about them when it was last asked.
    """

    def __init__(
        self, ledger: Ledger, examples: HiddenExamples, now: Callable[[], Microseconds]
    ) -> None:
        self._ledger, self._now = ledger, now
        self._labels, self._n_classes = examples.labels, examples.n_classes
        self.names = names_of(self._labels, examples.ids, ledger.salt())
        with self._ledger.storage.reading() as transaction:
            self.found = self._find(transaction)

    def seen(self) -> DataSet:
        """Return the data set for a question alone, which does not open it."""
        if self.found.settled:
            return self.found
        with self._ledger.storage.reading() as transaction:
            found = self._find(transaction)
        return self.settled() if found.known else found

    def settled(self) -> DataSet:
        """Return the data set when the ledger has all its names, recording what it has not."""
        found = self.found
        if not found.settled:
            with self._ledger.storage.writing() as transaction:
                now = self.present(transaction)
                found = settle(transaction, self.names, self._labels, self._n_classes, now)
            # Only now is it durable.
            self.found = found
        return found

    def is_current(self, found: DataSet, transaction: Transaction) -> bool:
        """Return whether nobody has joined the data set with another one in the meantime."""
        if transaction.opened(found.name) == found.opening:
            return True
        self.found = replace(found, settled=False)
        return False

    def present(self, transaction: Transaction) -> Microseconds:
        """Return the time of this look: never before the last entry, so no window reopens."""
        return max(self._now(), transaction.head().time)

    def _find(self, transaction: Transaction) -> DataSet:
        return find(transaction, self.names, self._labels, self._n_classes)
