"""The check of a whole ledger: every hash, count, state and signature, and the database itself."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.ledger.entry import (
    Entry,
    Head,
    first_hash,
    looks_spent,
    looks_spent_by_all,
    wrong_kinds,
)
from holdfast.ledger.sealing import Fingerprint, is_whole, sign
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.contract import StoredState
from holdfast.quoting import quoted, shortened

__all__ = ["Checker", "Verification", "state_digest"]

# Entries that count a look again: whether it was of the same team, and on the same data set.
ORIGINALS: Final = {
    "carried": (True, False),
    "charged": (False, True),
}


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


class Checker:
    """One pass over the chain, remembering what later entries and states must agree with.

    Whatever is in the tables becomes a finding, never an exception: a database keeps values of
    any kind in any column if somebody puts them there. Only a database that can't be read at all
    raises, and `result` tells what was found until then.
    """

    def __init__(self, owners: Sequence[Fingerprint] = ()) -> None:
        self.keys = {owner.data_set: owner.key for owner in owners}
        self.problems: list[str] = []
        self.last: Head = Head(0, "", 0)
        self.team_looks: dict[tuple[str, str], int] = {}
        self.data_set_looks: dict[str, int] = {}
        self.states: dict[tuple[str, str, str], str] = {}

    @property
    def result(self) -> Verification:
        """What was found so far."""
        return Verification(self.last.number, self.last.hash, tuple(self.problems))

    def run(
        self, ledger: Transaction, *, receipts: Iterable[str] = (), heads: Iterable[str] = ()
    ) -> None:
        """Check everything; receipts and heads are names of entries that must be in the chain."""
        self.problems += [shortened(problem) for problem in ledger.damage()]
        self.last = Head(0, first_hash(ledger.salt()), 0)
        missing, wanted = set(receipts), {head: _parts(head) for head in heads}
        found = {head for head, parts in wanted.items() if _matches(parts, self.last)}
        for entry in ledger.entries(checked=False):
            if wrong := wrong_kinds(entry):
                kinds = ", ".join(wrong)
                self.problems.append(
                    f"entry {quoted(entry.number)} was edited: {kinds} of the wrong kind."
                )
                continue
            self._check_place(entry)
            self._check_counts(entry)
            if entry.kind in ORIGINALS:
                self._check_original(entry, ledger)
            if entry.state:
                self.states[entry.data_set, entry.scope, entry.rule] = entry.state
            self.last = Head(entry.number, entry.hash, entry.time)
            missing.discard(entry.receipt_id)
            found |= {head for head, parts in wanted.items() if _matches(parts, self.last)}
        head = ledger.head()
        if head != self.last:
            self.problems.append(
                f"the head says {head.number} entries, the chain ends at "
                f"{self.last.number}: entries were removed or the head was edited."
            )
        for stored in ledger.states():
            self._check_state(stored)
        for data_set, scope, rule in self.states:
            self.problems.append(
                f"the state of {rule} for {scope or 'all teams'} on {data_set[:12]} is missing."
            )
        self._check_predictions(ledger)
        for receipt in sorted(missing):
            self.problems.append(f"receipt {shortened(receipt)} is not in the chain.")
        for name in sorted(set(wanted) - found):
            self.problems.append(
                f"head {shortened(name)} is not in the chain: entries were removed or rewritten."
            )

    def _check_place(self, entry: Entry) -> None:
        previous = self.last
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
        key = self.keys.get(entry.data_set)
        if key is not None and not _same(entry.signature, sign(entry.hash, key)):
            self.problems.append(f"entry {entry.number} is not signed with these labels.")
        if not entry.data_set:
            self.problems.append(f"entry {entry.number} was edited: it is about no data set.")

    def _check_counts(self, entry: Entry) -> None:
        data_set = self.data_set_looks.get(entry.data_set, 0) + looks_spent_by_all(entry.kind)
        team = self.team_looks.get((entry.data_set, entry.team), 0) + looks_spent(entry.kind)
        if (entry.data_set_looks, entry.team_looks) != (data_set, team):
            self.problems.append(f"entry {entry.number} counts looks wrongly.")
        self.data_set_looks[entry.data_set] = data_set
        self.team_looks[entry.data_set, entry.team] = team

    def _check_original(self, entry: Entry, ledger: Transaction) -> None:
        """Check that a look which is counted again was one, of the right team and data set."""
        parts = _parts(entry.detail)
        before = parts is not None and 0 < parts[0] < entry.number
        original = ledger.entry(parts[0], checked=False) if parts is not None and before else None
        if (
            original is None
            or wrong_kinds(original)
            or original.receipt_id != entry.detail
            or not looks_spent_by_all(original.kind)
            or ORIGINALS[entry.kind]
            != (original.team == entry.team, original.data_set == entry.data_set)
        ):
            self.problems.append(f"entry {entry.number} counts a look again that was none.")

    def _check_state(self, stored: StoredState) -> None:
        whole = all(isinstance(text, str) for text in stored[:3]) and isinstance(
            stored.sealed, bytes
        )
        recorded = (
            self.states.pop((stored.data_set, stored.scope, stored.rule), None) if whole else None
        )
        if not whole or recorded != state_digest(stored.sealed):
            self.problems.append(
                f"the state of {_plain(stored.rule)} for {_plain(stored.scope) or 'all teams'} on "
                f"{_plain(stored.data_set)[:12]} was edited."
            )

    def _check_predictions(self, ledger: Transaction) -> None:
        """Check that kept predictions are there, and with the key that they are the ones."""
        for number in ledger.looks_not_kept():
            self.problems.append(f"the kept prediction of entry {quoted(number)} is missing.")
        for data_set, key in self.keys.items():
            for digest in ledger.kept(data_set):
                if not is_whole(ledger.prediction(data_set, digest), key, digest):
                    self.problems.append(f"the kept prediction {_plain(digest)[:17]} was edited.")


def state_digest(sealed: bytes) -> str:
    """Return the digest by which an entry fixes the state after it."""
    return hashlib.sha256(sealed).hexdigest()


def _parts(name: str) -> tuple[int, str] | None:
    """Return number and hash of a head's name N-HASH; None: it is not such a name."""
    number, _, digest = name.partition("-")
    usable = number.isascii() and number.isdecimal() and len(number) < 19 and len(digest) >= 16
    return (int(number), digest) if usable else None


def _matches(parts: tuple[int, str] | None, head: Head) -> bool:
    return parts is not None and parts[0] == head.number and head.hash.startswith(parts[1])


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())


def _plain(value: object) -> str:
    return shortened(value) if isinstance(value, str) else quoted(value)
