"""The ledger of `version_0_4.sql`: made by version 0.4.0, read by tests of later versions.

Run with that version installed: python -m tests.guard.data.make_version_0_4 > version_0_4.sql
"""

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

import numpy as np

from holdfast.guard import Guard, Policy
from holdfast.guard.parts import Part
from holdfast.ledger.moments import DAY

N = 12
START = 20_000 * DAY
RNG = np.random.default_rng(40)
BY_ID, BY_PLACE, PARTED = (RNG.integers(0, 3, N) for _ in range(3))
IDS = RNG.permutation(100)[:N]
NUMBERS = np.where(RNG.random(N) < 0.4, -0.0, np.round(RNG.normal(size=N), 2))
QUERIES = RNG.integers(0, 3, (9, N))
PUBLIC = Part("public", np.flatnonzero(np.arange(N) % 2 == 0), keeps=True)


def guard(url, labels, ids=None, order=slice(None), *, release="exact", **settings):
    """Return a guard over labels in some order, on the first day."""
    part = settings.pop("part", None)
    create = not Path(url).exists()
    policy = Policy(release, **{"looks_per_team": 5, "looks_per_data_set": 12, **settings})
    ids = None if ids is None else ids[order]
    return Guard(labels[order], policy, url, create=create, ids=ids, part=part, now=lambda: START)


def fill(url):
    """Make looks of every kind that there was."""
    by_id = guard(url, BY_ID, IDS, release="ladder:0.01")
    by_id.score(QUERIES[0], team="blue")
    guard(url, BY_ID, release="ladder:0.01").score(QUERIES[1], team="blue")  # linked to it
    turned = slice(None, None, -1)
    guard(url, BY_ID, IDS, turned, release="ladder:0.01").score(QUERIES[2][turned], team="red")
    by_id.note("merged", by="host", pooled=("blue", "red"))
    by_place = guard(url, BY_PLACE, failed="look")
    by_place.score(QUERIES[3], team="blue")
    with contextlib.suppress(ValueError):
        by_place.score(QUERIES[3][:5], team="blue")
    guard(url, BY_PLACE, IDS, failed="look").score(QUERIES[4], team="red")  # the same, by id
    guard(url, BY_PLACE, order=turned).score(QUERIES[5][turned], team="green")
    guard(url, BY_PLACE, IDS, turned).score(QUERIES[6][turned], team="green")  # now carried over
    guard(url, NUMBERS, metric="mae").score(np.ones(N), team="blue")
    parted = guard(url, PARTED, IDS, part=PUBLIC)
    parted.score(QUERIES[7], team="blue")
    parted.score(QUERIES[8], team="red")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        fill(folder + "/ledger.db")
        with sqlite3.connect(folder + "/ledger.db") as connection:
            sys.stdout.write("\n".join(connection.iterdump()) + "\n")
