"""A private endpoint whose answers are counted by the ledger alone: no guard, no labels.

    python answers.py LEDGER CALLER QUESTION

Each caller has three answers. A question asked again is answered from the record, and costs
nothing; an answer is on disk, in the chain, before anybody sees it. The owner's secret lies beside
the ledger here; keep yours elsewhere, since with it entries can be signed.
"""

import hashlib
import os
import secrets
import sys
from pathlib import Path

from holdfast.errors import LedgerError
from holdfast.ledger import Fingerprint, Ledger, clock, record

BUDGET = 3


def private_answer(question: str) -> str:
    """Return what only this process may know: put your endpoint here."""
    return str(sum(question.encode()) % 97)


def owner_of(place: Path) -> Fingerprint:
    """Return the name under which answers are counted, and the key that signs them."""
    if not place.exists():
        with open(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(secrets.token_bytes(64))
    secret = place.read_bytes()
    return Fingerprint(data_set=secret[:32].hex(), coding="", key=secret[32:])


def ask(ledger: Ledger, owner: Fingerprint, caller: str, question: str) -> str:
    """Return an answer with its receipt, or that none is left."""
    name = hashlib.blake2b(question.encode()).hexdigest()
    with ledger.storage.writing() as transaction:  # everybody else waits until the end of it
        entry = transaction.answered(owner.data_set, caller, name, "exact")
        if entry is None:
            if transaction.team_past(owner.data_set, caller).looks >= BUDGET:
                return "no answer left"
            now = max(clock(), transaction.head().time)
            told = {"prediction": name, "rule": "exact", "released": private_answer(question)}
            entry = record(transaction, owner, "look", caller, now, **told)
    return f"{entry.released} ({entry.receipt_id})"


if __name__ == "__main__":
    place, caller, question = sys.argv[1:]
    owner = owner_of(Path(f"{place}.secret"))
    try:
        with Ledger(place, create=True) as ledger:
            print(ask(ledger, owner, caller, question))
    except LedgerError as error:  # such as a ledger that was edited: then nothing is told
        sys.exit(str(error))
