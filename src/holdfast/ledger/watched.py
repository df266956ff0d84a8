"""Rollback detection: a ledger must go on from the newest head that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from holdfast.errors import LedgerError
from holdfast.ledger.storage import Storage, Transaction
from holdfast.ledger.storage.contract import Question
from holdfast.ledger.verification import Checker
from holdfast.ledger.witness import Mark, Witness

__all__ = ["WatchedStorage"]


@dataclass
class WatchedStorage:
    """A storage of which every transaction begins where the last one that was seen has ended.

    Somebody may put an older copy of a ledger in its place, in a way that leaves the file or the
    tables in order. This process remembers the newest entry that it has seen: a ledger that does
    not contain it is refused, and so is one that lacks what its last writer noted beside it. One
    that was changed by something else than its writers is verified from beginning to end first.

    A witness does the same across processes and restores. It is asked before every transaction
    and moved after every commit, before anything is released. A process that dies in between
    leaves it some entries behind, which is no harm: a ledger may be ahead of its witness, but not
    behind it, nor beside it.
    """

    inner: Storage
    witness: Witness | None = None
    newest: Mark | None = field(default=None, repr=False)

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises."""
        told = self.testimony()
        wanted = [*ahead, *(q for q in self._wanted(told) if q not in ahead)]
        with self.inner.writing(wanted) as transaction:
            if transaction.suspect:
                _verify(transaction)
            self._go_on(transaction, told)
            yield transaction
            end = _end(transaction)
        self._remember(end)
        if self.witness is not None and told != end:
            self.witness.move(end)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        told = self.testimony()
        with self.inner.reading() as transaction:
            self._go_on(transaction, told)
            end = _end(transaction)
            yield transaction
        self._remember(end)

    def close(self) -> None:
        """Let go of the database."""
        self.inner.close()

    def start_witness(self, witness: Witness, *, back: bool = False) -> None:
        """Confide the present head to a witness that knows none, or that may go `back`."""
        with self.inner.reading() as transaction:
            end = _end(transaction)
        witness.move(end, back=back)

    def setback(self, transaction: Transaction, told: Mark | None) -> str | None:
        """Say in what way a ledger is not the continuation of what was seen; None: it is."""
        left = None if transaction.left_at is None else Mark(*transaction.left_at)
        seen = {"this process": self.newest, "its witness": told, "its last writer": left}
        problems = (
            _setback(transaction, mark, who) for who, mark in seen.items() if mark is not None
        )
        return next((problem for problem in problems if problem), None)

    def testimony(self) -> Mark | None:
        """Return what the witness tells; None: the ledger has no witness."""
        if self.witness is None:
            return None
        told = self.witness.read()
        if told is None:
            raise LedgerError(
                "the ledger's witness must know its head, but there is none. Nothing was released. "
                "To start one, run: holdfast ledger witness PLACE LEDGER"
            )
        return told

    def _go_on(self, transaction: Transaction, told: Mark | None) -> None:
        problem = self.setback(transaction, told)
        if problem is not None:
            raise LedgerError(f"{problem} Nothing was released.")

    def _remember(self, end: Mark) -> None:
        if self.newest is None or end.number > self.newest.number:
            self.newest = end

    def _wanted(self, told: Mark | None) -> list[Question]:
        marks = {mark.number for mark in (self.newest, told) if mark is not None}
        return [("head", ()), *(("hash_at", (number,)) for number in sorted(marks) if number > 0)]


def _end(transaction: Transaction) -> Mark:
    head = transaction.head()
    return Mark(head.number, head.hash)


def _setback(transaction: Transaction, mark: Mark, who: str) -> str | None:
    end = _end(transaction)
    if end == mark:
        return None
    if end.number < mark.number:
        return (
            f"the ledger was set back: it ends with entry {end.number}, "
            f"but {who} has seen entry {mark.number}."
        )
    if transaction.hash_at(mark.number) != mark.hash:
        return f"the ledger is another one: its entry {mark.number} is not what {who} has seen."
    return None


def _verify(transaction: Transaction) -> None:
    checker = Checker()
    checker.run(transaction)
    if checker.problems:
        raise LedgerError(
            "the ledger was changed by something else than its writers, and does not verify: "
            f"{checker.problems[0]} Nothing was released."
        )
