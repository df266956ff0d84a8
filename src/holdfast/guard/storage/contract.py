"""The storage contract: exclusive transactions, and the questions a ledger asks in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from holdfast.guard.entry import Entry, Head
from holdfast.guard.windows import Microseconds

__all__ = ["Past", "Question", "Storage", "StoredState", "Tally", "Transaction"]

# A question of a transaction by name, with its parameters: ("opened", (data_set,)). A name that is
# none of the ledger's is a query in SQL, for tables that a caller keeps beside the ledger's.
Question: TypeAlias = tuple[str, tuple[Any, ...]]


class Past(NamedTuple):
    """What a team had spent at some point: how many looks, and when the last of them was."""

    looks: int
    last: Microseconds | None


class StoredState(NamedTuple):
    """A rule's sealed state, and whose it is."""

    data_set: str
    scope: str
    rule: str
    sealed: bytes


class Tally(NamedTuple):
    """How many looks, or failed submissions, a team has in one history, and when the last was.

    `early` is 1 for looks that were, or may have been, taken before the ledger had this format.
    """

    team: str
    rule: str
    scope: str
    kind: str
    early: int
    looks: int
    last: Microseconds
    first: int


class Transaction(Protocol):
    """The ledger as one writer sees it while every other waits.

    Attributes
    ----------
    suspect
        Whether the database was changed by something else than its writers since the last one
        of them: what it holds must be verified before it is believed.
    left_at
        Number and hash of the last entry when a writer last left the ledger, where that is noted
        outside the database; None: it is not known.
    written
        How many statements have changed something so far.
    """

    suspect: bool
    left_at: tuple[int, str] | None
    written: int

    def expect(self, questions: Sequence[Question]) -> None:
        """Say what will be asked next; a server far away answers it all at once."""
        ...

    def salt(self) -> bytes:
        """Return the ledger's random salt."""
        ...

    def head(self) -> Head:
        """Return the end of the chain."""
        ...

    def hash_at(self, number: int) -> str | None:
        """Return the hash of an entry, or for 0 what the first follows; None: there is none."""
        ...

    def version(self) -> int:
        """Return the format in which the ledger goes on."""
        ...

    def set_version(self, version: int) -> None:
        """Let the ledger go on in another format."""
        ...

    def upgraded(self) -> int | None:
        """Return the number of the first entry in a newer format than the ledger's first."""
        ...

    def append(self, entry: Entry) -> None:
        """Add an entry and move the head to it."""
        ...

    def opened(self, data_set: str) -> str | None:
        """Return the newest detail recorded about the data set itself; None: there is none."""
        ...

    def data_set_looks(self, data_set: str) -> int:
        """Return how many looks all teams together have spent on a data set."""
        ...

    def team_past(self, data_set: str, team: str, before: Microseconds | None = None) -> Past:
        """Return what a team has spent, or had spent before a moment."""
        ...

    def time_of_look(self, data_set: str, team: str, look: int) -> Microseconds:
        """Return when a team spent the look with this number, counted from 1."""
        ...

    def refusals(self, data_set: str, team: str, since: Microseconds) -> int:
        """Return how many free refusals a team has had from a moment on."""
        ...

    def time_of_refusal(
        self, data_set: str, team: str, since: Microseconds, place: int
    ) -> Microseconds:
        """Return when a team had a free refusal, by its place, from 0, since a moment."""
        ...

    def answered(self, data_set: str, team: str, prediction: str, rule: str) -> Entry | None:
        """Return this team's look with this very prediction; its answer, if that came later."""
        ...

    def waiting(self, data_set: str, scope: str, rule: str, count: int) -> list[Entry]:
        """Return the last `count` looks that were not answered when made, in order."""
        ...

    def spellings(self, data_set: str, before: int) -> list[str]:
        """Return the teams of entries before a number as they are written there, oldest first."""
        ...

    def merged(self, data_set: str, team: str) -> set[str]:
        """Return the receipts of a team's looks that were counted again under its key."""
        ...

    def spent(self, data_set: str) -> list[Entry]:
        """Return every entry that cost the data set a look, in order."""
        ...

    def spent_by(self, data_set: str, team: str) -> list[Entry]:
        """Return every entry that cost a team a look, in order."""
        ...

    def entry(self, number: int) -> Entry | None:
        """Return an entry by its place in the chain."""
        ...

    def entries(self) -> Iterator[Entry]:
        """Return every entry, in order."""
        ...

    def data_sets(self) -> list[str]:
        """Return the names of all data sets, oldest first."""
        ...

    def tallies(self, data_set: str) -> list[Tally]:
        """Return everybody's looks, and failed submissions that were charged, by history."""
        ...

    def choices(self, data_set: str, team: str) -> list[Entry]:
        """Return the final choices of a team, in order."""
        ...

    def state(self, data_set: str, scope: str, rule: str) -> bytes | None:
        """Return a rule's sealed state; None: it has none yet."""
        ...

    def put_state(self, state: StoredState) -> None:
        """Store a rule's sealed state in place of the one before."""
        ...

    def states(self) -> Iterator[StoredState]:
        """Return every stored state."""
        ...

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong with its tables."""
        ...

    def make_room_for_predictions(self) -> None:
        """Make the table of predictions, which a ledger of format 1 has not."""
        ...

    def prediction(self, data_set: str, digest: str) -> bytes | None:
        """Return a kept prediction, sealed; None: it was not kept."""
        ...

    def kept(self, data_set: str) -> list[str]:
        """Return the digests of all predictions that are kept for a data set."""
        ...

    def looks_not_kept(self) -> list[int]:
        """Return the first looks whose prediction was kept and is not there."""
        ...

    def put_prediction(self, data_set: str, digest: str, sealed: bytes) -> None:
        """Keep a sealed prediction, unless it is kept already."""
        ...

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return what a query finds in tables that a caller keeps beside the ledger's.

        "?" stands for a parameter; values are texts, integers, bytes or None on both sides.
        """
        ...

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Write to such tables, in this transaction; never to the ledger's own."""
        ...


class Storage(Protocol):
    """A database that holds one ledger."""

    def writing(self, ahead: Sequence[Question] = ()) -> AbstractContextManager[Transaction]:
        """Open an exclusive transaction: durable when the block ends, undone if it raises.

        What is named in `ahead` will be asked first; a server far away answers it all at once.
        """
        ...

    def reading(self) -> AbstractContextManager[Transaction]:
        """Open a consistent view that changes nothing."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
