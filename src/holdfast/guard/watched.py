"""A ledger that must go on from where it was last seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from holdfast.errors import LedgerError
from holdfast.guard.storage.contract import Question, Storage, Transaction
from holdfast.guard.verification import Checker

__all__ = ["Mark", "WatchedStorage"]


@dataclass(frozen=True)
class Mark:
    """A place in the chain: an entry's number and hash."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}-{self.hash}"


@dataclass
class WatchedStorage:
    """A storage of which every transaction begins where the last one that was seen has ended.

    Somebody may put an older copy of a ledger in its place, in a way that leaves the file or the
    tables in order. This process remembers the newest entry that it has seen: a ledger that does
    not contain it is refused, and so is one that lacks what its last writer noted beside it. One
    that was changed by something else than its writers is verified from beginning to end first.
    """

    inner: Storage
    newest: Mark | None = field(default=None, repr=False)

    @contextmanager
    def writing(self, ahead: Sequence[Question] = ()) -> Iterator[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises."""
        wanted = [*ahead, *(q for q in self._wanted() if q not in ahead)]
        with self.inner.writing(wanted) as transaction:
            if transaction.suspect:
                _verify(transaction)
            self._go_on(transaction)
            yield transaction
            end = _end(transaction)
        self._remember(end)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a consistent view that changes nothing."""
        with self.inner.reading() as transaction:
            self._go_on(transaction)
            end = _end(transaction)
            yield transaction
        self._remember(end)

    def close(self) -> None:
        """Let go of the database."""
        self.inner.close()

    def setback(self, transaction: Transaction) -> str | None:
        """Say in what way a ledger is not the continuation of what was seen; None: it is."""
        if self.newest is not None and (
            problem := _setback(transaction, self.newest, "this process")
        ):
            return problem
        if transaction.left_at is not None:
            return _setback(transaction, Mark(*transaction.left_at), "its last writer")
        return None

    def _go_on(self, transaction: Transaction) -> None:
        problem = self.setback(transaction)
        if problem is not None:
            raise LedgerError(f"{problem} Nothing was released.")

    def _remember(self, end: Mark) -> None:
        if self.newest is None or end.number > self.newest.number:
            self.newest = end

    def _wanted(self) -> list[Question]:
        known: list[Question] = [("head", ())]
        if self.newest is not None and self.newest.number > 0:
            known.append(("hash_at", (self.newest.number,)))
        return known


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
