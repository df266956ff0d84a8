"""A ledger of accuracies whose every byte is fixed, to be compared with one of an older version.

`python -m tests.guard.accuracy_alone` writes the record anew; only the version whose bytes are to
be kept may do so.
"""

import itertools
import json
import secrets
from pathlib import Path
from unittest import mock

import numpy as np

from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.parts import Part

RECORD = Path(__file__).parent / "data" / "accuracy_alone.json"
RULES = ("exact", "round:2", "ladder:0.01", "ladder", "gaussian:0.01", "rank", "improved",
         "subsample:0.5+round:2", "split:2", "batch:2", "thresholdout:threshold=0.04,scale=0.01,"
         "budget=50", "shaky:step=0.005,scale=0.001")  # fmt: skip


def written(folder):
    """Return every entry and every receipt of looks under all rules, with fixed randomness."""
    numbers, seeds = itertools.count(1), itertools.count(1)

    def drawn(size):
        return next(numbers).to_bytes(size, "big")

    def drawn_bits(_bits):
        return next(seeds)

    times = itertools.count(1_700_000_000_000_000, 1_000_000)
    rng = np.random.default_rng(11)
    labels = rng.integers(3, size=60)
    with (
        mock.patch.object(secrets, "token_bytes", drawn),
        mock.patch.object(secrets, "randbits", drawn_bits),
    ):
        ledger = Ledger(folder / "ledger.db", create=True)
        receipts = []
        for rule in RULES:
            for kept in (False, True):
                part = Part("public", np.arange(40), keeps=True) if kept else None
                policy = Policy(rule, looks_per_team=4, looks_per_data_set=1000)
                guard = Guard(labels, policy, ledger, part=part, now=lambda: next(times))
                for team in ("red", "blue"):
                    for _ in range(3):
                        receipt = guard.score(rng.integers(3, size=60), team=f"{team} {rule}")
                        receipts.append(
                            [receipt.released, receipt.looks_left, str(receipt.next_allowed_at),
                             receipt.receipt_id, receipt.repeated, receipt.new_best, receipt.own,
                             receipt.meaning, receipt.part]
                        )  # fmt: skip
        entries = [
            [entry.kind, entry.rule, entry.released, entry.state, entry.detail, entry.hash]
            for entry in ledger.entries()
        ]
        assert ledger.verify().ok
    return {"entries": entries, "receipts": receipts}


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        RECORD.write_text(json.dumps(written(Path(name)), indent=0) + "\n")
