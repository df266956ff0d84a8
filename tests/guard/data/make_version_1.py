"""The script that made version_1.sql: a ledger of format 1, written by the code of commit eee3cdb.

    python make_version_1.py > version_1.sql       # with that commit on the path

Formats are for ever, so the file is never made again: the salt in it is random, the labels and the
predictions come from the seeds below. Format 1 knew labels by their order and teams by the letters
of their names: here one label set stands in two orders and one team under three spellings.
"""

import contextlib
import sqlite3
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from holdfast.guard import Guard, Policy
from holdfast.guard.windows import DAY, as_microseconds

N, CLASSES = 24, 3
RNG = np.random.default_rng(20261116)
IDS = RNG.permutation(N) + 100
LABELS = RNG.integers(0, CLASSES, N)
PREDICTIONS = RNG.integers(0, CLASSES, (8, N))
REVERSED = slice(None, None, -1)
START = as_microseconds(datetime(2026, 1, 1, tzinfo=UTC))


def main() -> None:
    """Write the ledger, then print it as SQL."""
    days = iter(range(100))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"

        def guard(rule: str, labels: np.ndarray) -> Guard:
            policy = Policy(rule, looks_per_team=5, looks_per_data_set=20, failed="look")
            return Guard(labels, policy, path, now=lambda: START + next(days) * DAY)

        ladder = guard("ladder:0.01", LABELS)
        ladder.score(PREDICTIONS[0], team="Blue Team")
        ladder.score(PREDICTIONS[1], team="Blue Team")
        ladder.score(PREDICTIONS[2], team="BLUE TEAM")
        ladder.score(PREDICTIONS[3], team="blue team")
        ladder.score(PREDICTIONS[0], team="Red Fox")
        with contextlib.suppress(ValueError):
            ladder.score(PREDICTIONS[0][1:], team="Red Fox")
        guard("subsample:0.5", LABELS).score(PREDICTIONS[4], team="Red Fox")
        guard("ladder:0.01", LABELS[REVERSED]).score(PREDICTIONS[5][REVERSED], team="red fox")
        assert ladder.ledger.verify().ok
        ladder.ledger.close()
        print("\n".join(sqlite3.connect(path).iterdump()))


if __name__ == "__main__":
    main()
