"""The ledger: every look counted, nothing released that is not recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.errors import LedgerError
from holdfast.ledger.entry import Draft, Entry, Kind, looks_spent, looks_spent_by_all
from holdfast.ledger.moments import Microseconds
from holdfast.ledger.sealing import Fingerprint
from holdfast.ledger.storage import Transaction, open_storage
from holdfast.ledger.verification import Checker, Verification, state_digest
from holdfast.ledger.watched import WatchedStorage
from holdfast.ledger.witness import open_witness

__all__ = ["Ledger", "Verification", "data_set_detail", "record", "state_digest"]


class Ledger:
    """A hash-chained record of looks, in an SQLite file or a PostgreSQL database.

    Parameters
    ----------
    url
        A path or sqlite:///path for an SQLite file, postgresql://... for PostgreSQL.
    create
        Make a new ledger where there is none; if False, that is a `LedgerMissing`.

    witness
        A second place that holds the newest head: the path of a file, or postgresql://... of
        another database. A ledger that lacks what it holds is refused. Made where there is none if
        `create` is True.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger(folder + "/ledger.db", create=True) as ledger:
    ...         ledger.verify().ok
    True
    """

    def __init__(
        self,
        url: str | os.PathLike[str],
        *,
        create: bool = False,
        witness: str | os.PathLike[str] | None = None,
    ) -> None:
        self.storage = WatchedStorage(open_storage(url, create=create))
        self.witness: str | None = None
        if witness is not None:
            self.watch(witness, create=create)

    def watch(self, witness: str | os.PathLike[str], *, create: bool = False) -> None:
        """Let a witness confirm every transaction from now on; see `Ledger`."""
        self.witness = os.fspath(witness)
        self.storage.witness = open_witness(witness)
        if create and self.storage.witness.read() is None:
            self.storage.start_witness(self.storage.witness)

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
        self,
        *,
        receipts: Iterable[str] = (),
        heads: Iterable[str] = (),
        owner: Fingerprint | Sequence[Fingerprint] | None = None,
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
        heads
            Heads that the ledger had at some time, "N-HASH": number of entries and the last one's
            hash, of which 16 digits will do.
        owner
            The fingerprint of a label set, or all it has: the signatures of its entries are checked
            too.
        """
        checker = Checker((owner,) if isinstance(owner, Fingerprint) else owner or ())
        try:
            told = self.storage.testimony()
            with self.storage.inner.reading() as transaction:
                setback = self.storage.setback(transaction, told)
                if setback is not None:
                    checker.problems.append(setback)
                checker.run(transaction, receipts=receipts, heads=heads)
        except LedgerError as error:
            checker.problems.append(str(error))
        return checker.result


def record(
    ledger: Transaction,
    owner: Fingerprint,
    kind: Kind,
    team: str,
    now: Microseconds,
    *,
    prediction: str = "",
    rule: str = "",
    policy: str = "",
    released: str | None = None,
    state: str = "",
    scope: str = "",
    detail: str = "",
) -> Entry:
    """Append an entry about a data set, with the counts that follow from the ones before it."""
    draft = Draft(
        kind=kind,
        data_set=owner.data_set,
        team=team,
        time=now,
        prediction=prediction,
        rule=rule,
        policy=policy,
        released=released,
        state=state,
        scope=scope,
        team_looks=ledger.team_past(owner.data_set, team).looks + looks_spent(kind),
        data_set_looks=ledger.data_set_looks(owner.data_set) + looks_spent_by_all(kind),
        detail=detail,
    )
    entry = draft.after(ledger.head(), owner.key)
    ledger.append(entry)
    return entry


def data_set_detail(ledger: Transaction, data_set: str) -> dict[str, Any] | None:
    """Return what was last recorded about a data set itself; None: it was never seen."""
    text = ledger.opened(data_set)
    if text is None:
        return None
    try:
        detail = json.loads(text)
    except (ValueError, RecursionError):
        detail = None
    if not isinstance(detail, dict):
        raise LedgerError(f"the opening of data set {data_set[:12]} was edited.")
    return detail
