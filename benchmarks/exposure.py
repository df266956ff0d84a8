"""Time to show what the looks of a large ledger allow.

    python -m benchmarks.exposure [LOOKS] [TEAMS]

200,000 looks of 10,000 teams in an SQLite file, as `holdfast ledger show` counts and bounds them.
Limit: 2 seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from holdfast.guard import Ledger, exposure
from holdfast.ledger.entry import Draft, Head

KEY, DATA_SET, RULE = b"k" * 32, "d" * 64, "ladder:0.01"
OPENING = json.dumps({"n_examples": 10_000, "n_classes": 10, "coding": "0" * 16})


def fill(ledger: Ledger, looks: int, teams: int) -> None:
    """Append looks of random teams, all in one transaction."""
    spent = [0] * teams
    with ledger.storage.writing() as transaction:
        opened = Draft("opened", DATA_SET, "", 0, "", "", "", None, "", "", 0, 0, OPENING)
        entry = opened.after(transaction.head(), KEY)
        transaction.append(entry)
        for look, team in enumerate(np.random.default_rng(0).integers(0, teams, looks), start=1):
            spent[team] += 1
            name = f"team {team}"
            draft = Draft(
                "look", DATA_SET, name, look, f"{look:040x}", RULE, "0" * 16, "0.5",
                "", name, spent[team], look, "",
            )  # fmt: skip
            entry = draft.after(Head(entry.number, entry.hash, entry.time), KEY)
            transaction.append(entry)


def main() -> None:
    """Fill a ledger, then time its exposure five times."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exposure", description=__doc__)
    parser.add_argument("looks", type=int, nargs="?", default=200_000)
    parser.add_argument("teams", type=int, nargs="?", default=10_000)
    asked = parser.parse_args()
    looks, teams = asked.looks, asked.teams
    with tempfile.TemporaryDirectory(dir=".") as folder:
        ledger = Ledger(Path(folder) / "ledger.db", create=True)
        fill(ledger, looks, teams)
        walls, busy = [], []
        for _ in range(5):
            wall, cpu = time.perf_counter(), time.process_time()
            (found,) = exposure(ledger)
            walls.append(time.perf_counter() - wall)
            busy.append(time.process_time() - cpu)
        ledger.close()
    print(
        f"exposure of {found.looks:,} looks, {len(found.teams):,} teams: {min(walls):.2f} s at "
        f"best, {max(walls):.2f} at worst; {min(busy):.2f} s of the processor"
    )


if __name__ == "__main__":
    main()
