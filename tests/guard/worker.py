"""Client processes of the load tests: they look until refused, or until killed.

The nursery imports everything once and then forks a client for each line "URL BUDGET SEED THREADS
OUTPUT" on its input, and answers with the client's process id. A client writes each received
answer as one line of OUTPUT after `score` has returned: what it has, it was given. Its threads
share one guard, and each ends with a line of its own.
"""

import os
import signal
import sys
from threading import Thread

import numpy as np

from holdfast.errors import BudgetExhausted
from holdfast.guard import Guard, Policy
from holdfast.ledger.storage import sqlite

LABELS = np.arange(200) % 5


def look_until_refused(url, budget, seed, threads, output):
    policy = Policy("exact", looks_per_team=int(budget), looks_per_data_set=int(budget))
    guard = Guard(LABELS, policy, url, create=True)
    with open(output, "w", buffering=1) as file:

        def look(rng):
            try:
                while True:
                    receipt = guard.score(rng.integers(0, 5, 200), team="everyone")
                    file.write(f"{receipt.receipt_id} {receipt.released!r}\n")
            except BudgetExhausted:
                file.write("refused\n")
            except Exception as error:
                file.write(f"failed: {error}\n")

        seeds = np.random.SeedSequence(int(seed)).spawn(int(threads))
        running = [Thread(target=look, args=[np.random.default_rng(each)]) for each in seeds]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()


def nursery():
    # A hundred that wait in line for one lock may wait for more than a minute on a slow disk.
    sqlite.PATIENCE_SECONDS = 1200.0
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
