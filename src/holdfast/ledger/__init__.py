"""A tamper-evident log with budgets: a chain of entries, sealed states, a witness, and copies.

It knows of what is hidden a fingerprint alone: a name, and a key that signs entries and seals
states. `chain` is the ledger itself and appends to it, `entry` says what an entry is and what its
hash is over, `verification` checks all of it; `storage` keeps it in an SQLite file or a PostgreSQL
database; `watched` and `witness` notice when an older copy was put in its place.
"""

from holdfast.ledger.chain import Ledger, Verification, record
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import clock
from holdfast.ledger.sealing import Fingerprint

__all__ = ["Entry", "Fingerprint", "Ledger", "Verification", "clock", "record"]
