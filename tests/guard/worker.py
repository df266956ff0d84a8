"""Client processes of the load tests: they look until refused, or until killed.

The nursery imports everything once and then forks a client for each line "URL BUDGET SEED OUTPUT"
on its input, and answers with the client's process id. A client writes each received answer as
one line of OUTPUT after `score` has returned: what it has, it was given.
"""

import os
import signal
import sys

import numpy as np

from holdfast.errors import BudgetExhausted
from holdfast.guard import Guard, Policy
from holdfast.guard.storage import sqlite

LABELS = np.arange(200) % 5


def look_until_refused(url, budget, seed, output):
    policy = Policy("exact", looks_per_team=int(budget), looks_per_data_set=int(budget))
    guard = Guard(LABELS, policy, url, create=True)
    rng = np.random.default_rng(int(seed))
    with open(output, "w", buffering=1) as file:
        try:
            while True:
                receipt = guard.score(rng.integers(0, 5, 200), team="everyone")
                file.write(f"{receipt.receipt_id} {receipt.released!r}\n")
        except BudgetExhausted:
            file.write("refused\n")


def nursery():
    # Fifty that poll for one lock are served in no order: on a slow disk a minute may not do.
    sqlite.PATIENCE = 1200.0
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # clients are not waited for
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                look_until_refused(*line.split())
            except Exception as error:
                with open(line.split()[-1], "a") as file:
                    file.write(f"failed: {error}\n")
            finally:
                os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    nursery()
