"""The ledger: every look counted, nothing released that is not recorded."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from holdfast.errors import LedgerError
from holdfast.guard.entry import Draft, Entry, Head, first_hash, looks_spent
from holdfast.guard.fingerprint import Fingerprint
from holdfast.guard.sealing import sign
from holdfast.guard.storage import Storage, Transaction, open_storage
from holdfast.guard.storage.contract import StoredState

__all__ = ["Ledger", "Verification", "append", "data_set_detail", "state_digest"]


@dataclass(frozen=True)
class Verification:
    """The result of checking a ledger: how many entries, its head, and what is wrong with it."""

    entries: int
    head: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


class Ledger:
    """A hash-chained record of looks, in an SQLite file or a PostgreSQL database.

    Parameters
    ----------
    url
        A path or sqlite:///path for an SQLite file, postgresql://... for PostgreSQL.
    create
        Make a new ledger where there is none; if False, that is a `LedgerMissing`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger(folder + "/ledger.db", create=True) as ledger:
    ...         ledger.verify().ok
    True
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool = False) -> None:
        self.storage: Storage = open_storage(url, create=create)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.storage.close()

    def salt(self) -> bytes:
        """Return the salt under which this ledger knows label sets."""
        with self.storage.reading() as transaction:
            return transaction.salt()

    def entries(self) -> list[Entry]:
        """Return every entry, in order."""
        with self.storage.reading() as transaction:
            return list(transaction.entries())

    def verify(
        self, *, receipts: Iterable[str] = (), owner: Fingerprint | None = None
    ) -> Verification:
        """Check the whole chain, and return everything that does not fit.

        The chain alone shows any edit but two: one by somebody who recomputes every hash after
        it, and the removal of the newest entries together with the head. Receipts that teams
        were given expose both, since each fixes its whole past; so do the signatures, which only
        the owner of the labels can make.

        Parameters
        ----------
        receipts
            Receipt ids that must be in the chain.
        owner
            The fingerprint of a label set: the signatures of its entries are checked too.
        """
        with self.storage.reading() as transaction:
            checker = _Checker(transaction, owner)
            return checker.run(list(receipts))


class _Checker:
    """One pass over the chain, remembering what later entries and states must agree with."""

    def __init__(self, ledger: Transaction, owner: Fingerprint | None) -> None:
        self.ledger = ledger
        self.owner = owner
        self.problems: list[str] = []
        self.team_looks: dict[tuple[str, str], int] = {}
        self.data_set_looks: dict[str, int] = {}
        self.states: dict[tuple[str, str, str], str] = {}

    def run(self, receipts: list[str]) -> Verification:
        previous = Head(0, first_hash(self.ledger.salt()), 0)
        missing = set(receipts)
        for entry in self.ledger.entries():
            self._check_place(entry, previous)
            self._check_counts(entry)
            if entry.state:
                self.states[entry.data_set, entry.scope, entry.rule] = entry.state
            missing.discard(entry.receipt_id)
            previous = Head(entry.number, entry.hash, entry.time)
        if self.ledger.head() != previous:
            self.problems.append(
                f"the head says {self.ledger.head().number} entries, the chain ends at "
                f"{previous.number}: entries were removed or the head was edited."
            )
        for stored in self.ledger.states():
            self._check_state(stored)
        for data_set, scope, rule in self.states:
            self.problems.append(
                f"the state of {rule} for {scope or 'all teams'} on {data_set[:12]} is missing."
            )
        for receipt in sorted(missing):
            self.problems.append(f"receipt {receipt} is not in the chain.")
        return Verification(previous.number, previous.hash, tuple(self.problems))

    def _check_place(self, entry: Entry, previous: Head) -> None:
        expected = entry.draft.after(previous)
        if (entry.number, entry.previous) != (expected.number, expected.previous):
            self.problems.append(
                f"entry {entry.number} does not follow entry {previous.number}: "
                "an entry was removed, added or moved."
            )
            expected = entry.draft.after(Head(entry.number - 1, entry.previous, 0))
        if entry.hash != expected.hash:
            self.problems.append(f"entry {entry.number} was edited: its hash does not fit.")
        if entry.time < previous.time:
            self.problems.append(f"entry {entry.number} is older than the one before it.")
        if (
            self.owner is not None
            and entry.data_set == self.owner.data_set
            and not hmac.compare_digest(entry.signature, sign(entry.hash, self.owner.key))
        ):
            self.problems.append(f"entry {entry.number} is not signed with these labels.")

    def _check_counts(self, entry: Entry) -> None:
        cost = looks_spent(entry.kind)
        data_set = self.data_set_looks.get(entry.data_set, 0) + cost
        team = self.team_looks.get((entry.data_set, entry.team), 0) + cost
        if (entry.data_set_looks, entry.team_looks) != (data_set, team):
            self.problems.append(f"entry {entry.number} counts looks wrongly.")
        self.data_set_looks[entry.data_set] = data_set
        self.team_looks[entry.data_set, entry.team] = team

    def _check_state(self, stored: StoredState) -> None:
        recorded = self.states.pop((stored.data_set, stored.scope, stored.rule), None)
        if recorded != state_digest(stored.sealed):
            self.problems.append(
                f"the state of {stored.rule} for {stored.scope or 'all teams'} on "
                f"{stored.data_set[:12]} was edited."
            )


def append(ledger: Transaction, draft: Draft, key: bytes) -> Entry:
    """Put a draft at the end of the chain, signed."""
    entry = draft.after(ledger.head(), key)
    ledger.append(entry)
    return entry


def data_set_detail(ledger: Transaction, data_set: str) -> dict[str, Any] | None:
    """Return what was recorded when a data set was first seen; None: it never was."""
    text = ledger.opened(data_set)
    if text is None:
        return None
    detail = json.loads(text)
    if not isinstance(detail, dict):
        raise LedgerError(f"the first entry of data set {data_set[:12]} was edited.")
    return detail


def state_digest(sealed: bytes) -> str:
    """Return the digest by which an entry fixes the state after it."""
    return hashlib.sha256(sealed).hexdigest()
